"""What somebody wants embedded, and where: read and checked before anything is rendered or written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attnviz.embed.words import checked_url
from attnviz.errors import InputError


@dataclass(frozen=True)
class Choice:
    """One wish. `target` is a key of SNIPPETS; `src` an address of the film elsewhere, `still` a beat, or empty.

    `page` is the file that the snippet goes into: paths count from it, or from beside the folder where it is None.
    Raises InputError where two wishes exclude each other, or the address is none.
    """

    target: str = "html"
    av1: bool = False
    autoplay: bool = False
    inspect: bool = False
    src: str = ""
    still: str = ""
    page: Path | None = None

    def __post_init__(self) -> None:
        given = [name for name in ("still", "inspect", "src", "av1", "autoplay") if getattr(self, name)]
        if self.still and len(given) > 1:
            raise InputError(f"--still is one picture: leave --{given[1]} out")
        if self.still and self.target == "iframe":
            raise InputError("--still is a picture, and --for iframe a page in a page: use --for html")
        if self.is_player and (self.av1 or self.autoplay):
            raise InputError(f"the player holds one film, and starts it itself: leave --{given[-1]} out")
        if self.src and self.av1:
            raise InputError("--av1 writes a film, and --src says that it lies elsewhere: give one of them")
        if self.src:
            checked_url(self.src)

    @property
    def is_player(self) -> bool:
        """Whether the lecture player is embedded, in place of the film alone."""
        return self.inspect or self.target == "iframe"
