"""What a maker of records gets: the case, whether it is causal, and what was made before."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from attnviz.cases.case import Case
from attnviz.trace import Record


@dataclass(frozen=True)
class Making:
    """A bundle on its way. `made` holds the records that stand before this one in the scene's list."""

    case: Case
    is_causal: bool
    made: dict[str, Record] = field(default_factory=dict)

    @property
    def notes(self) -> dict[str, object]:
        """What every record notes about where it comes from."""
        case = self.case
        return {"case": case.name, "seed": case.seed, "query_tokens": list(case.query_tokens),
                "key_tokens": list(case.key_tokens)}  # fmt: skip

    @property
    def given(self) -> tuple[Tensor, Tensor, Tensor]:
        """Q, K and V of the case, (batch, head, position, dim)."""
        return self.case.query, self.case.key, self.case.value

    def drawn(self) -> tuple[Tensor, Tensor, Tensor]:
        """Q, K and V of the drawn batch entry and head alone, (position, dim)."""
        batch, head, kv_head = self.case.batch, self.case.drawn_head, self.case.drawn_kv_head
        return self.case.query[batch, head], self.case.key[batch, kv_head], self.case.value[batch, kv_head]

    def tensor(self, record: str, stage: str) -> Tensor:
        """A stage of a record made before, as a tensor of its own: a record's arrays are read-only."""
        return torch.from_numpy(self.made[record].arrays[stage].copy())


Maker = Callable[[Making], Record | None]
