"""Bytes on screen: those that a program moved, as the kernel counted them, and those that the rule gives for any size.

Every figure is an entry of a `tiled` or a `traffic` record; nothing is added up here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

WAYS = ("untiled", "tiled")
SIZES = ("query_count", "key_count", "head_dim", "query_tile_size")
CHARTS = ("untiled_moves", "tiled_moves", "bytes_held")  # what is drawn as bars, side by side
PITCH, HIGH = (1.0, 1.2), (2.0, 2.1)  # units for a bar, and for the highest one, in a wide and in a narrow frame
LOWEST, AROUND = 0.7, 4.6  # units: the least height of the highest bar, and what stands around two rows of bars
HEADING = (0.1, 0.5)  # units that are kept for what stands above bars, beside them as wide as it is
BETWEEN = 0.6  # units between the bars of one way and those of the next
PRECISION = ("single", "half")  # of the numbers of a setting, in the words of the scene
RULE = (11.0, 6.2)  # units that the line about the rule is wide, in a wide and in a narrow frame
UNITS = ("", "_mib")  # of the settings, the small one and the large one: how its stages end


class Meter:
    """The bytes of one program, step by step: `words` and the hidden row `read`, then `written`, in a strip.

    `each` is how many bytes a number has.
    """

    def __init__(self, read: NamedTensor, written: NamedTensor, each: Entry, words: Mapping[str, str], region: Region,
                 theme: Theme) -> None:
        def line(key: str) -> manim.VMobject:
            return text.line(words[key], size=theme.label_size, color=theme.muted)

        self.read = Grid(read, None, "key_tile", cell=(0.85, 0.45), theme=theme)
        last = max(range(written.values.size), key=lambda place: float(written.values[place]))
        number = Number(written.entry(key_tile=last), size=theme.number_size, color=theme.ink)
        size = Number(each, size=theme.label_size, color=theme.ink)
        self.words = manim.Group(size, line("bytes_read")).arrange(manim.RIGHT, buff=0.12)
        self.written = manim.Group(line("bytes_written"), number).arrange(manim.RIGHT, buff=0.2)
        whole = manim.Group(self.words, self.read, self.written).arrange(manim.RIGHT, buff=0.25)
        self.written.shift(0.25 * manim.RIGHT)
        fit_into(whole, region)
        self.read.dim_cells(to=0)


class Ledger:
    """The figures of a `traffic` record; `tensor` gives its stages, `beside` says whether the frame is wide.

    `rule` is the key of the words that say by what rule bytes are counted, where the kernel's own count is known.
    """

    def __init__(self, tensor: Callable[[str], NamedTensor], words: Mapping[str, str], theme: Theme, *,
                 beside: bool, rule: str) -> None:
        self.tensor, self.words, self.theme, self.beside, self.rule = tensor, words, theme, beside, rule
        self.pitch, self.high = PITCH[not beside], HIGH[not beside]

    def problem(self, region: Region) -> list[manim.Group]:
        """How many scores there are, and their bytes: for these sizes, then for the large ones."""
        groups = []
        for setting, large in ((0, 1.0), (1, 1.7)):
            counts = [self._number(stage, setting=setting) for stage in SIZES[:2]]
            times = text.line("×", size=self.theme.body_size, color=self.theme.muted)
            pairs = manim.Group(counts[0], times, counts[1], self._line("scores")).arrange(manim.RIGHT, buff=0.14)
            _, held = self._amount("bytes_held", setting, large * self.theme.title_size, way=0)
            groups.append(manim.Group(pairs, self._precision(setting), held).arrange(manim.DOWN, buff=0.18))
        whole = manim.Group(*groups).arrange(manim.DOWN if self.beside else manim.RIGHT, buff=0.8)
        fit_into(whole, region, grow=1.15)
        return groups

    def moves(self, setting: int, region: Region) -> list[manim.Group]:
        """The sizes of a setting, then bars: every move untiled and tiled with its total, and what must be held.

        All bars of a setting have one scale and, in a row, one zero line.
        """
        if not self.beside:  # words keep their size where bars need not be high
            self.high = min(self.high, max(LOWEST, (region.height - AROUND) / 2))
        tensors = [self.tensor(f"{one}{UNITS[setting]}").sel(setting=setting) for one in CHARTS]
        scales = [stage_scale(one, self.theme, also=tensors) for one in tensors]
        bars = [Bars(one, size=(self.pitch * one.values.size, self.high), scale=scale, theme=self.theme)
                for one, scale in zip(tensors, scales, strict=True)]
        charts = [*(self._way(way, setting, bars[way]) for way in range(len(WAYS))), self._held(setting, bars[-1])]
        sizes = self._sizes(setting)
        rows = [[0, 1, 2]] if self.beside else [[0], [1, 2]]
        grouped = []
        for row in rows:
            grouped.append(manim.Group(*(charts[place] for place in row)).arrange(manim.RIGHT, buff=BETWEEN))
            for place in row:
                charts[place].shift((bars[row[0]].zero - bars[place].zero) * manim.UP)
        fit_into(manim.Group(sizes, *grouped).arrange(manim.DOWN, buff=0.3), region, grow=1.2)
        return [sizes, *charts]

    def _sizes(self, setting: int) -> manim.Group:
        said = [manim.Group(self._number(stage, setting=setting), self._line(stage)).arrange(manim.RIGHT, buff=0.12)
                for stage in SIZES]
        said.append(self._precision(setting))
        key = "rule" if setting else self.rule
        rule = text.paragraph(self.words[key], width=RULE[not self.beside], size=self.theme.label_size,
                              color=self.theme.muted, align="center")
        cut = len(said) if self.beside else 3
        rows = [manim.Group(*part).arrange(manim.RIGHT, buff=0.4) for part in (said[:cut], said[cut:]) if part]
        return manim.Group(*rows, rule).arrange(manim.DOWN, buff=0.15)

    def _way(self, way: int, setting: int, bars: Bars) -> manim.Group:
        """The moves of one way as bars, with what they add up to."""
        number, total = self._amount("bytes_moved", setting, self.theme.title_size, way=way)
        claim = Claim("sum", tuple(one.bound for one in bars.numbers), number.bound)
        sign = Relation("", [claim], size=self.theme.formula_size, color=self.theme.muted)
        heading = manim.Group(self._name(WAYS[way]), sign, total).arrange(manim.RIGHT, buff=0.15)
        return self._chart(heading, bars, self.words[f"{WAYS[way]}_moves"].split(" | "))

    def _held(self, setting: int, bars: Bars) -> manim.Group:
        """What must be held between the steps, as bars: the first way's, and the second's."""
        unit = text.line(self.words["mib" if UNITS[setting] else "bytes"], size=self.theme.label_size,
                         color=self.theme.muted)
        heading = manim.Group(self._name("held"), unit).arrange(manim.RIGHT, buff=0.15)
        return self._chart(heading, bars, [self.words[way] for way in WAYS])

    def _chart(self, heading: manim.Group, bars: Bars, words: Sequence[str]) -> manim.Group:
        """Bars below their heading, and below each bar what it stands for."""
        said = manim.Group(*(self._under(bars, place, one) for place, one in enumerate(words)))
        room = manim.Rectangle(width=HEADING[0], height=HEADING[1], stroke_width=0)  # all zero lines at one height
        room.move_to((bars.get_x(), bars.zero + self.high + HEADING[1] / 2 + 0.35, 0))
        heading.move_to(room)
        return manim.Group(heading, bars, said)

    def _under(self, bars: Bars, place: int, words: str) -> manim.VMobject:
        said = text.paragraph(words, width=0.98 * self.pitch, size=self.theme.small_size, color=self.theme.muted,
                              align="center")
        x = bars.line.get_left()[0] + (place + 0.5) * self.pitch
        return said.move_to((x, bars.zero - 0.1, 0), aligned_edge=manim.UP)

    def _name(self, key: str) -> manim.VMobject:
        return text.line(self.words[key], size=self.theme.caption_size, weight="semibold", color=self.theme.ink)

    def _precision(self, setting: int) -> manim.Group:
        """How many bytes a number has in this setting, and what that is called."""
        parts = self._number("element_size", setting=setting), self._line(PRECISION[setting])
        return manim.Group(*parts).arrange(manim.RIGHT, buff=0.12)

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
