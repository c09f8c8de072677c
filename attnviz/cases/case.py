"""What a case is: named input with its words, and the bundle of records made from it.

No particular case is built here (see `named.py`), and torch is not imported: naming the cases must stay cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.trace import Bundle


USUAL = ("projection", "sdpa", "difference")  # where Q, K and V come from, attention, and torch's own beside it


@dataclass(frozen=True)
class Projections:
    """Where Q, K and V come from: two inputs (batch, position, model_dim), the same one in self-attention,
    and the weights (head, model_dim, head_dim or value_dim)."""

    query_input: Tensor
    key_input: Tensor
    weight_query: Tensor
    weight_key: Tensor
    weight_value: Tensor


@dataclass(frozen=True, eq=False)
class Case:
    """Named input to attention: float32 query, key, value (batch, head, position, dim), and what to draw of it.

    `sentence` says what the case shows. `batch`, `drawn_head` and `worked_query` are what scenes draw when they draw
    one batch entry, one head, one row. `seed` is the one behind the numbers, be they random or trained.
    """

    name: str
    sentence: str
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    query: Tensor
    key: Tensor
    value: Tensor
    drawn_head: int
    worked_query: int
    is_causal: bool
    seed: int
    projections: Projections | None = None
    batch: int = 0

    @property
    def is_self_attention(self) -> bool:
        """Whether Q, K and V come from one and the same X."""
        return self.projections is not None and self.projections.query_input is self.projections.key_input

    @property
    def drawn_kv_head(self) -> int:
        """The key and value head that the drawn head shares."""
        return self.drawn_head * self.key.shape[1] // self.query.shape[1]

    @property
    def worked_key(self) -> int:
        """The key that matches the worked query best, the mask aside: the dot product that scenes work out."""
        query = self.query[self.batch, self.drawn_head, self.worked_query]
        return int((self.key[self.batch, self.drawn_kv_head] @ query).argmax())

    def bundle(self, *, is_causal: bool | None = None, names: Sequence[str] = USUAL) -> Bundle:
        """The records behind a film of this case, all heads in float32, by the names of `attnviz.cases.records`.

        `is_causal` overrides the case's own; nothing else about the case changes. InputError for an unknown name.
        """
        from attnviz.cases.records import bundle_of

        return bundle_of(self, self.is_causal if is_causal is None else is_causal, names)
