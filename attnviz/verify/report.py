"""What was found: for each beat how many values were proved by what, and every one that is wrong.

Only counting and wording; nothing is checked here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MOST_WRONG = 20  # lines of wrong values that are printed
REQUIRED = 0.95  # of all drawn numbers that must be read
ABOUT_FILES = ("files", "score")  # tallies that are of no beat
COLUMNS = ("beat", "values", "digits", "colour", "skipped", "unread", "wrong", "levels", "± value")


@dataclass(frozen=True)
class Wrong:
    """Something that does not hold: where it was seen, which entry, what is shown and what it should be."""

    beat: str
    entry: str
    shown: str
    says: str

    def line(self) -> str:
        """In one line."""
        return f"wrong: {self.beat}: {self.entry}: {self.shown}, but {self.says}"


@dataclass
class Tally:
    """Counts of one beat: a value is proved by its digits, by its colour or extent only, or not at all.

    `levels` is the largest error of a colour, `tolerance` the largest difference in value that colours would not show.
    `due` are the numbers whose digits are to be read, `missed` those of them that were not.
    """

    beat: str
    digits: int = 0
    colour: int = 0
    unread: int = 0
    wrong: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    levels: float = 0.0
    tolerance: float = 0.0
    due: int = 0
    missed: int = 0
    wrongs: list[Wrong] = field(default_factory=list)
    unreads: list[str] = field(default_factory=list)

    @property
    def values(self) -> int:
        """All values that are drawn in the beat."""
        return self.digits + self.colour + self.unread + self.wrong + sum(self.skipped.values())

    def complain(self, entry: str, shown: str, says: str) -> None:
        """Something that is wrong besides a drawn value."""
        self.wrongs.append(Wrong(self.beat, entry, shown, says))

    def is_wrong(self, entry: str, shown: str, says: str) -> None:
        """A drawn value that is wrong."""
        self.wrong += 1
        self.complain(entry, shown, says)

    def is_unread(self, entry: str, shown: str) -> None:
        """A drawn value whose digits could not be told."""
        self.unread += 1
        self.unreads.append(f"{self.beat}: {entry}: {shown}")


@dataclass
class Report:
    """All that was found in a folder."""

    folder: Path
    scene: str
    numbers: int = 0
    strings: int = 0
    is_large: bool = True
    beats: list[Tally] = field(default_factory=list)

    def beat(self, name: str) -> Tally:
        """A fresh tally for a beat, or for one of the files."""
        self.beats.append(Tally(name))
        return self.beats[-1]

    def count(self, name: str) -> int:
        """A count over all beats."""
        return sum(getattr(tally, name) for tally in self.beats)

    @property
    def wrongs(self) -> list[Wrong]:
        """All that does not hold."""
        return [wrong for tally in self.beats for wrong in tally.wrongs]

    @property
    def skipped(self) -> Counter[str]:
        """Values that could not be looked at, by the reason."""
        return sum((tally.skipped for tally in self.beats), Counter[str]())

    @property
    def levels(self) -> float:
        """The largest error of a colour."""
        return max((tally.levels for tally in self.beats), default=0.0)

    def table(self) -> list[str]:
        """A line for each beat, under a heading."""
        rows = [list(COLUMNS)] + [_row(tally) for tally in self.beats if tally.values or tally.beat not in ABOUT_FILES]
        widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
        return ["  ".join(cell.ljust(width) if not place else cell.rjust(width)
                          for place, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
                for row in rows]

    def details(self) -> list[str]:
        """Every wrong value, as far as there is room, and the first ones that could not be read."""
        lines = [wrong.line() for wrong in self.wrongs[:MOST_WRONG]]
        if (rest := len(self.wrongs) - MOST_WRONG) > 0:
            lines.append(f"... and {rest} more that are wrong")
        unread = [line for tally in self.beats for line in tally.unreads]
        return lines + [f"unread: {line}" for line in unread[:MOST_WRONG]]

    def closing(self) -> str:
        """The one line that says it all."""
        read = f"{self.count('digits') + self.count('colour')} read ({self.count('digits')} by their digits)"
        reasons = "; ".join(f"{count} {why}" if len(self.skipped) > 1 else why for why, count in self.skipped.items())
        skipped = f"{sum(self.skipped.values())} skipped" + (f" ({reasons})" if reasons else "")
        unread = f"{self.count('unread')} unread, " if self.count("unread") else ""
        return (f"verify: {self.count('values')} values, {read}, {skipped}, {unread}{len(self.wrongs)} wrong; "
                f"largest colour error {self.levels:.0f} levels")

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        beats = [{"beat": tally.beat, "values": tally.values, "digits": tally.digits, "colour": tally.colour,
                  "skipped": dict(tally.skipped), "unread": tally.unread, "wrong": len(tally.wrongs),
                  "colour_error_levels": round(tally.levels, 2), "value_tolerance": tally.tolerance}
                 for tally in self.beats]
        totals = {name: self.count(name) for name in ("values", "digits", "colour", "unread")}
        return {"folder": str(self.folder), "scene": self.scene, "recomputed": self.numbers, "strings": self.strings,
                **totals, "skipped": dict(self.skipped), "wrong": len(self.wrongs),
                "colour_error_levels": round(self.levels, 2), "holds": not self.wrongs, "beats": beats,
                "wrongs": [asdict(wrong) for wrong in self.wrongs]}  # fmt: skip


def _row(tally: Tally) -> list[str]:
    counts = (tally.values, tally.digits, tally.colour, sum(tally.skipped.values()), tally.unread, len(tally.wrongs))
    tolerance = f"{tally.tolerance:.2g}" if tally.tolerance else "-"
    return [tally.beat, *map(str, counts), f"{tally.levels:.1f}", tolerance]
