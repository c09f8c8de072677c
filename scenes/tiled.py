"""How a GPU computes attention without ever holding the s × s matrix: tiles, and what moves between two memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import manim

from attnviz.layout import Region
from attnviz.mobjects.animations import FillCells, FillRows
from attnviz.mobjects.bench import Bench
from attnviz.mobjects.lanes import Lanes
from attnviz.mobjects.ledger import Ledger, Meter, stacked
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.memory import LargeMemory, Place, split
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.program import Program, bright, faint, ran_as
from attnviz.mobjects.rules import Rules
from attnviz.mobjects.tiles import Legend, TileMap, map_lane
from attnviz.mobjects.tiling import Tiling
from attnviz.storyboard import Storyboard

M, L, E, ALPHA = ('part("scores", m)', 'part("weights", l)', 'part("weights", e)', 'part("weights", alpha)')
ACC, V, S = 'part("output", "acc")', 'part("value", V)', 'part("scores", S)'
EXP = f'{E} arrow.l exp({S} - {M})'
FIRST = {"max": f"{M} arrow.l max {S}", "exp": EXP, "sum": f"{L} arrow.l Sigma {E}",
         "acc": f"{ACC} arrow.l {E} thin {V}"}
FIRST_OF = "first_{}"  # a rule while nothing was gathered before
LATER = {"max": f"{M} arrow.l max({M}, {S})", "alpha": f'{ALPHA} arrow.l exp(part("scores", m_"old") - {M})',
         "exp": EXP, "sum": f"{L} arrow.l {ALPHA} {L} + Sigma {E}",
         "acc": f"{ACC} arrow.l {ALPHA} {ACC} + {E} thin {V}", "finish": f'part("output", O) arrow.l {ACC} \\/ {L}'}


class Tiled(Storyboard):
    """How a GPU computes attention without ever holding the s × s matrix."""

    poster_beat = "first_tile"
    records_used = ("projection", "sdpa", "tiled", "traffic", "tiled_difference")

    @property
    def is_causal(self) -> bool:
        """Where words ask among themselves, the later ones are hidden: only then are there tiles to skip."""
        return self.data.query_tokens == self.data.key_tokens

    @property
    def situations(self) -> frozenset[str]:
        """Whether no tile is skipped, and whether even these few words save more than half of the bytes."""
        tiling = Tiling.of(self.of_kernel, self.bundle["tiled"].params)
        untiled, tiled = (self.tensor("bytes_moved", "traffic").entry(setting=0, way=way) for way in (0, 1))
        found = {"nothing_skipped": not tiling.is_skipping, "much_saved": 2 * tiled.value < untiled.value}
        return super().situations | {name for name, holds in found.items() if holds}

    def construct(self) -> None:
        self.lay_out()
        self.play_beats(self.problem, self.two_memories, self.tiles, self.first_tile, self.next_tile, self.write_back,
                        self.parallel, self.traffic_here, self.traffic_large, self.same)

    def problem(self) -> None:
        scores = self.product("scores", "sdpa", "query_pos", "key_pos")
        self.play(manim.FadeIn(self.formula, scores.labels, scores.symbol), FillRows(scores.grid))
        self.play(self.formula.light("scale"), run_time=self.theme.quick)
        self.past.append(scores)
        self.reveal(*self.ledger.problem(self.region("side")), still=self.theme.slow)

    def two_memories(self) -> None:
        self.reveal(self.hbm, manim.Group(self.large.inputs, self.large.empty), self.sram, keep=True)
        self.reveal(self.paragraph("arithmetic", self.sram.inside))

    def tiles(self) -> None:
        self.play(manim.FadeOut(self.hbm, self.large.inputs, self.large.empty, self.sram), run_time=self.theme.quick)
        stage = self.region("stage")
        tiles = TileMap(self.tiling, map_lane(self.tiling, 0.8 * stage.width, 0.9 * stage.height), self.theme)
        legend = Legend(tiles, self.words.text, self.region("side"), self.theme)
        named = tiles.named(self.words.text, self.theme)
        fit_into(manim.Group(tiles, named), stage)
        self.play(manim.FadeIn(tiles, named), run_time=self.theme.step)
        for sort, line in legend.lines.items():
            self.play(*(tile.animate.dimmed(tile.shown_as(sort)) for tile in tiles), manim.FadeIn(line),
                      run_time=self.theme.step)
            self.still(self.theme.slow)
        self.play(*(tile.animate.dimmed(1) for tile in tiles), run_time=self.theme.quick)
        self.past += [tiles, named, *legend.lines.values()]

    def first_tile(self) -> None:
        self.play(manim.FadeIn(self.hbm, self.sram, self.large.inputs, self.large.empty))
        self.bring(self.tiling.queries(self.program.query_tile), (self.large.query, self.query))
        self.play(manim.FadeIn(self.meter.words), run_time=self.theme.quick)
        self.step(self.program.visited[0])

    def next_tile(self) -> None:
        for key_tile in self.program.visited[1:]:
            if "rescale" in self.states:
                self.pace = self.theme.quick  # the same again: what comes in the same order is followed faster
            self.play(manim.FadeOut(*self.streaming), *faint(*self.states.values()), *bright(self.query),
                      self.rules.say("again") if self.is_repeated else self.rules.hush(), run_time=self.pace)
            self.step(key_tile)

    def write_back(self) -> None:
        rows, output = self.tiling.queries(self.program.query_tile), self.large.output
        tile = self.program.output()
        self.play(manim.FadeOut(*self.streaming), self.formula.light("output"), self.rules.say("finish"),
                  *bright(self.states["running_sum"]), run_time=self.theme.step)
        self.play(manim.FadeIn(tile, target_position=self.states["accumulator"].grid), run_time=self.theme.slow)
        self.still()
        self.play(manim.FadeOut(self.large.empty), run_time=self.theme.quick)
        self.play(manim.FadeOut(tile, target_position=output.grid.region(rows=rows), scale=0.3),
                  FillCells(output.grid, rows=rows), manim.FadeIn(output.symbol), run_time=self.theme.slow)
        self.play(FillCells(self.meter.read), manim.FadeIn(self.meter.written), run_time=self.theme.step)
        self.still()
        self.past += [self.hbm, self.sram, self.large.inputs, output, self.rules.now, self.query, self.meter.words,
                      self.meter.read, self.meter.written, *self.states.values()]

    def parallel(self) -> None:
        programs = [Program(self.of_kernel, self.tiling, tile, self.bench, self.tokens, self.theme)
                    for tile in range(self.tiling.counts[0])]
        lanes = Lanes(programs, self.words.text, self.region("whole"), self.theme,
                      beside=self.layout.flow == "beside")
        self.reveal(manim.Group(*lanes.cards), lanes.said)
        for moves in lanes.moments():
            self.play(*moves, run_time=self.theme.step)
            self.still(self.pace)
        self.still()
        self.past += lanes.shown

    def traffic_here(self) -> None:
        self.reveal(*self.ledger.moves(0, self.region("whole")), still=self.theme.slow)

    def traffic_large(self) -> None:
        self.reveal(*self.ledger.moves(1, self.region("whole")), still=self.theme.step)

    def same(self) -> None:
        difference = self.number(self.tensor("max_abs_difference", "tiled_difference"), size=self.theme.title_size)
        said = [self.paragraph(key, self.region("side"))
                for key in (ran_as(self.bundle["tiled"].provenance), "right", "difference")]
        stacked([*said, difference], self.region("side"))
        left, right = (replace(self.region("stage"), width=self.region("stage").width / 2,
                               x=self.region("stage").x + side * self.region("stage").width / 4) for side in (-1, 1))
        self.reveal(self.product("output", "tiled", "query_pos", "value_dim", left), said[0], still=self.theme.quick)
        self.reveal(self.product("theirs", "tiled_difference", "query_pos", "value_dim", right), said[1])
        self.reveal(manim.Group(said[2], difference))

    # --- what is played again and again

    def bring(self, rows: Sequence[int], *ways: tuple[Matrix, Matrix]) -> None:
        """Tiles are copied from the large memory into the small one: each from a matrix to its own."""
        self.play(*(source.grid.animate.focus(rows=rows) for source, _ in ways),
                  *(manim.FadeIn(target, target_position=source.grid.region(rows=rows), scale=0.3)
                    for source, target in ways), run_time=self.theme.step if self.is_repeated else self.theme.slow)

    def step(self, key_tile: int) -> None:
        """One tile of K and V against the tile of Q: scores, maximum, rescaling, exponentials, sum, accumulator.

        What a rule reads and writes is bright, the rest faint; what is written next comes forward a play ahead.
        """
        program, keys, states = self.program, self.tiling.keys(key_tile), self.states
        key, value, scores = program.key(key_tile), program.value(key_tile), program.scores(key_tile)
        self.streaming = [key, value, scores]
        self.bring(keys, (self.large.key, key), (self.large.value, value))
        self.play(FillCells(self.meter.read, columns=[key_tile]), *faint(value), run_time=self.theme.quick)
        self.play(manim.FadeIn(scores.symbol), FillRows(scores.grid, run_time=self.pace),
                  self.formula.light(self.scored), *bright(states.get("running_max")))
        self.pause()
        self.carry("running_max", key_tile, "max", faint(self.query, key), bright(states.get("rescale")))
        if key_tile != program.visited[0]:
            self.carry("rescale", key_tile, "alpha")
        self.play(program.swap(scores, "tile_exp", key_tile), program.rename(scores, "tile_exp"),
                  *self.rule("exp", key_tile), self.formula.light("softmax"), *bright(states.get("running_sum")),
                  run_time=self.pace)
        self.pause()
        self.carry("running_sum", key_tile, "sum", faint(states["running_max"]),
                   bright(value, states.get("accumulator")))
        self.carry("accumulator", key_tile, "acc", faint(states["running_sum"]))

    def carry(self, stage: str, key_tile: int, part: str, *looks: Sequence[Any]) -> None:
        """What is kept for every row becomes what it is after this tile; the formula below says how."""
        if stage in self.states:
            change: manim.Animation = self.program.swap(self.states[stage], stage, key_tile)
        else:
            self.states[stage] = self.program.state(stage, key_tile)
            change = manim.FadeIn(self.states[stage])
        self.play(change, *self.rule(part, key_tile), *(look for group in looks for look in group), run_time=self.pace)
        self.pause()

    def rule(self, part: str, key_tile: int) -> list[manim.Animation]:
        """What is done to the numbers is said in the place of what was; of the first tile without what is old."""
        if self.is_repeated:
            return []
        return [self.rules.say(FIRST_OF.format(part) if key_tile == self.program.visited[0] else part)]

    @property
    def is_repeated(self) -> bool:
        """Whether a step like those to come was shown at length already."""
        return self.pace != self.theme.step

    def pause(self) -> None:
        """Within a step nothing moves after each of its rules, unless it is a repeated one."""
        if not self.is_repeated:
            self.still(self.pace)

    def of_kernel(self, stage: str) -> Any:
        """A stage of the kernel's own record."""
        return self.tensor(stage, "tiled")

    def lay_out(self) -> None:
        """Make both memories, and what counts the bytes between them."""
        words, theme, beside = self.words.text, self.theme, self.layout.flow == "beside"
        self.tiling = Tiling.of(self.of_kernel, self.bundle["tiled"].params)
        self.tokens = (self.data.query_tokens, self.data.key_tokens)
        large, small, strip = split(self.region("whole"), beside=beside)
        self.hbm = Place(large, words["hbm"], words["hbm_is"], theme)
        self.sram = Place(small, words["sram"], words["sram_is"], theme)
        self.large = LargeMemory(self.of_kernel, self.hbm, words["empty"], theme)
        formulas = LATER | {FIRST_OF.format(part): formula for part, formula in FIRST.items()}
        self.rules = Rules(formulas, {name: words[f"rule_{name.removeprefix(FIRST_OF.format(''))}"]
                                      for name in (*formulas, "again")}, self.sram.foot, theme)
        asking = [self.tokens[0][place] for place in self.tiling.queries(self.tiling.worked)]
        self.bench = Bench.fitting(self.sram.above_foot, self.tiling.tile_sizes(self.of_kernel), asking, theme)
        self.program = Program(self.of_kernel, self.tiling, self.tiling.worked, self.bench, self.tokens, theme)
        self.query = self.program.query()
        self.states: dict[str, Matrix] = {}
        self.pace = theme.step
        read, written = (self.of_kernel(stage).sel(query_tile=self.program.query_tile)
                         for stage in ("bytes_read", "bytes_written"))
        each = self.tensor("element_size", "traffic").entry(setting=0)
        self.meter = Meter(read, written, each, words, strip, theme)
        self.ledger = Ledger(lambda stage: self.tensor(stage, "traffic"), words, theme, beside=beside,
                             rule="rule_and_mask" if self.tiling.is_masked else "rule")
        self.formula = self.formula_in_corner(is_masked=self.tiling.is_masked)
        self.scored = "masked" if self.tiling.is_masked else "scale"

    def product(self, stage: str, record: str, rows: str, columns: str, region: Region | None = None) -> Matrix:
        """A whole matrix with its tokens, in the middle of a region."""
        region = region or self.region("stage")
        tensor = self.tensor(stage, record)
        room = region.width - 1.2, region.height - 1.3
        cell = min(room[0] / tensor.size(columns), 0.86), min(room[1] / tensor.size(rows), 0.62)
        tokens = {"query_pos": self.data.query_tokens, "key_pos": self.data.key_tokens}
        matrix = self.matrix(tensor, rows, columns, cell=cell, row_tokens=tokens[rows],
                             column_tokens=tokens.get(columns, ()))
        fit_into(matrix, region)
        return matrix
