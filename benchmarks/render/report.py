"""What was measured, as tables of text and as JSON: rows, bars and whether they are met. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

FILM = 10.0  # times as fast as plain Manim, for the 20 s film at 1080p60
LUMA = 42.0  # dB of the luma against the frames as drawn, at least
LIMIT, GOAL = 3.0, 2.0  # times what encoding alone takes, at most; what is hoped for
HEAT = 50.0  # times as fast as plain Manim, for a heat map of 64x64
FLAT = 1.5  # times what a map of 8x8 takes, at most, for larger ones
MEMORY = 2048.0  # MiB at 4K, at most
PLAYS = 3.0  # times as fast as the film plays


@dataclass(frozen=True)
class Bar:
    """A figure and what it must reach: at least `wanted`, or at most where `most` is set."""

    what: str
    value: float
    wanted: float
    unit: str = "x"
    most: bool = False

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.value <= self.wanted if self.most else self.value >= self.wanted

    def line(self) -> str:
        """`the film, h: bar 10x: 11.3x met`."""
        sign = "at most " if self.most else ""
        verdict = "met" if self.met else "MISSED"
        return f"{self.what}: bar {sign}{self.wanted:g}{self.unit}: {self.value:.3g}{self.unit} {verdict}"


@dataclass
class Section:
    """A table with its bars and notes. A row has as many cells as `head`; numbers are rounded when printed."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The section as it is printed."""
        parts = [self.title, "-" * len(self.title), *table(self.head, self.rows), *self.notes]
        return "\n".join([*parts, *(bar.line() for bar in self.bars)]) + "\n"

    def plain(self) -> dict[str, Any]:
        """The section as JSON values."""
        bars = [{**asdict(bar), "met": bar.met} for bar in self.bars]
        rows = [dict(zip(self.head, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "bars": bars, "notes": self.notes}


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Aligned lines: the first column to the left, all others to the right."""
    cells = [list(head), *([shown(value) for value in row] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    return ["  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in
                                                   zip(line[1:], widths[1:], strict=True))]).rstrip()
            for line in cells]  # fmt: skip


def shown(value: Any) -> str:
    """A cell: three digits for a number, a dash for nothing."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return str(value)
