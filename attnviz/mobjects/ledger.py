"""Bytes on screen: those that a program moved, as the kernel counted them, and those that the rule gives for any size.

Every figure is an entry of a `tiled` or a `traffic` record; nothing is added up here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.relation import Relation, total_of
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

WAYS = ("untiled", "tiled")
SIZES = ("query_count", "key_count", "head_dim", "element_size", "query_tile_size")
CELL, NARROW_CELL = (1.3, 0.52), (1.14, 0.52)
RULE = (11.0, 5.2)  # units that the line about the rule is wide, in a wide and in a narrow frame
MOST_MOVES, NAME_ROOM = 6, 1.75  # moves of the untiled way; units for the name of a way beside its moves
UNITS = ("", "_mib")  # of the settings, the small one and the large one: how its stages end


class Meter:
    """The bytes of one program, step by step: `words` and the hidden row `read`, then `written`, in a strip."""

    def __init__(self, read: NamedTensor, written: NamedTensor, words: Mapping[str, str], region: Region,
                 theme: Theme) -> None:
        def line(key: str) -> manim.VMobject:
            return text.line(words[key], size=theme.label_size, color=theme.muted)

        self.read = Grid(read, None, "key_tile", cell=(0.85, 0.45), theme=theme)
        last = max(range(written.values.size), key=lambda place: float(written.values[place]))
        number = Number(written.entry(key_tile=last), size=theme.number_size, color=theme.ink)
        self.words = line("bytes_read")
        self.written = manim.Group(line("bytes_written"), number).arrange(manim.RIGHT, buff=0.2)
        whole = manim.Group(self.words, self.read, self.written).arrange(manim.RIGHT, buff=0.25)
        self.written.shift(0.25 * manim.RIGHT)
        fit_into(whole, region)
        self.read.dim_cells(to=0)


class Ledger:
    """The figures of a `traffic` record; `tensor` gives its stages, `beside` says whether the frame is wide."""

    def __init__(self, tensor: Callable[[str], NamedTensor], words: Mapping[str, str], theme: Theme, *,
                 beside: bool) -> None:
        self.tensor, self.words, self.theme, self.beside = tensor, words, theme, beside

    def problem(self, region: Region) -> list[manim.Group]:
        """How many scores there are, and their bytes: for these sizes, then for the large ones."""
        groups = []
        for setting, large in ((0, 1.0), (1, 1.7)):
            counts = [self._number(stage, setting=setting) for stage in SIZES[:2]]
            times = text.line("×", size=self.theme.body_size, color=self.theme.muted)
            pairs = manim.Group(counts[0], times, counts[1], self._line("scores")).arrange(manim.RIGHT, buff=0.14)
            _, held = self._amount("bytes_held", setting, large * self.theme.title_size, way=0)
            groups.append(manim.Group(pairs, held).arrange(manim.DOWN, buff=0.18))
        whole = manim.Group(*groups).arrange(manim.DOWN if self.beside else manim.RIGHT, buff=0.8)
        fit_into(whole, region, grow=1.15)
        return groups

    def moves(self, setting: int, region: Region) -> list[manim.Group]:
        """The sizes of a setting, every move untiled and tiled with what they add up to, and what must be held."""
        sizes = self._sizes(setting)
        ways = [self._way(way, setting) for way in range(len(WAYS))]
        held = self._held(setting)
        whole = manim.Group(sizes, *ways, held).arrange(manim.DOWN, buff=0.5 if self.beside else 0.45)
        for way in ways:
            way.align_to(ways[0], manim.LEFT)
        fit_into(whole, region, grow=1.3)
        return [sizes, *ways, held]

    def _sizes(self, setting: int) -> manim.Group:
        said = [manim.Group(self._number(stage, setting=setting), self._line(stage)).arrange(manim.RIGHT, buff=0.12)
                for stage in SIZES]
        rule = text.paragraph(self.words["rule"], width=RULE[not self.beside], size=self.theme.label_size,
                              color=self.theme.muted, align="center")
        cut = len(said) if self.beside else 3
        rows = [manim.Group(*part).arrange(manim.RIGHT, buff=0.4) for part in (said[:cut], said[cut:]) if part]
        return manim.Group(*rows, rule).arrange(manim.DOWN, buff=0.15)

    def _way(self, way: int, setting: int) -> manim.Group:
        both = [self.tensor(f"{one}_moves{UNITS[setting]}").sel(setting=setting) for one in WAYS]
        tensor, width = both[way], (CELL if self.beside else NARROW_CELL)[0] * MOST_MOVES / both[way].values.size
        scale = stage_scale(tensor, self.theme, also=both)
        grid = Grid(tensor, None, tensor.axes[0], scale=scale, cell=(width, CELL[1]), theme=self.theme)
        words = manim.Group(*(self._over(grid, place, said) for place, said in
                              enumerate(self.words[f"{WAYS[way]}_moves"].split(" | "))))
        number, total = self._amount("bytes_moved", setting, self.theme.title_size, way=way)
        sign = Relation("", total_of(grid, number), size=self.theme.formula_size, color=self.theme.muted)
        name = text.line(self.words[WAYS[way]], size=self.theme.caption_size, weight="semibold", color=self.theme.ink)
        result = manim.Group(sign, total).arrange(manim.RIGHT, buff=0.15)
        row = manim.Group(words, grid)
        if self.beside:
            name.next_to(grid, manim.LEFT, buff=0.35)
            name.align_to(grid.get_left() + NAME_ROOM * manim.LEFT, manim.LEFT)
            result.next_to(grid, manim.RIGHT, buff=0.25)
        else:
            name.next_to(row, manim.UP, buff=0.15, aligned_edge=manim.LEFT)
            result.next_to(grid, manim.DOWN, buff=0.15, aligned_edge=manim.RIGHT)
        return manim.Group(name, row, result)

    def _over(self, grid: Grid, place: int, words: str) -> manim.VMobject:
        size = self.theme.small_size if self.beside else self.theme.label_size
        said = text.fitted(words, width=0.94 * grid.pitch[0], size=size, color=self.theme.muted)
        return said.next_to(grid.column(place), manim.UP, buff=0.08)

    def _held(self, setting: int) -> manim.Group:
        parts: list[manim.Mobject] = [self._line("held")]
        for way, name in enumerate(WAYS):
            _, amount = self._amount("bytes_held", setting, 1.2 * self.theme.title_size, way=way)
            parts.append(manim.Group(self._line(name), amount).arrange(manim.RIGHT, buff=0.2))
        return manim.Group(*parts).arrange(manim.RIGHT, buff=0.7 if self.beside else 0.4)

    def _amount(self, stage: str, setting: int, size: float, **at: int) -> tuple[Number, manim.Group]:
        """A number of bytes, or of MiB, by itself and with its unit."""
        number = self._number(f"{stage}{UNITS[setting]}", size=size, setting=setting, **at)
        unit = text.line(self.words["mib" if UNITS[setting] else "bytes"], size=0.6 * size, color=self.theme.muted)
        return number, manim.Group(number, unit.next_to(number, manim.RIGHT, buff=0.15))

    def _number(self, stage: str, *, size: float | None = None, **at: int) -> Number:
        tensor = self.tensor(stage)
        return Number(tensor.entry(**at), stage_format(tensor), size=size or self.theme.body_size,
                      color=self.theme.ink)

    def _line(self, key: str) -> manim.VMobject:
        return text.line(self.words[key], size=self.theme.label_size, color=self.theme.muted)


def stacked(parts: Sequence[manim.Mobject], region: Region, *, buff: float = 0.5) -> manim.Group:
    """Parts below each other in the middle of a region."""
    group = manim.Group(*parts).arrange(manim.DOWN, buff=buff)
    fit_into(group, region)
    return group
