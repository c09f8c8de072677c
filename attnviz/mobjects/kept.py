"""What a pass keeps from block to block: a card for each number, with its name, its letter and the number itself.

Which block it is after is a scene's: `swap_to` brings the number after another.
"""

from __future__ import annotations

import manim

from attnviz import text
from attnviz.mobjects.animations import SwapNumber
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.number import Number
from attnviz.mobjects.stages import stage_format
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

INSIDE, BELOW = 0.2, 0.06  # units between a card's letter and its number, and between its name and both


class Kept(manim.Group):
    """A card with the name of a stage and its number after one block; `swap_to` swaps in that after another.

    `word` says what the number is. What is not kept until the next block has a fainter frame.
    """

    def __init__(self, steps: NamedTensor, whole: NamedTensor, word: str, size: tuple[float, float], theme: Theme, *,
                 is_kept: bool = True) -> None:
        super().__init__()
        self.steps, self.theme = steps, theme
        color = theme.stage_color(steps.name) if is_kept else theme.grid_line
        self.frame = manim.RoundedRectangle(width=size[0], height=size[1], corner_radius=0.12, stroke_width=2,
                                            stroke_color=color, fill_opacity=0)
        self.number = Number(steps.entry(key_tile=0), stage_format(whole), size=1.35 * theme.body_size,
                             color=theme.ink)
        self.symbol = StageName(steps, theme)
        name = text.fitted(word, width=0.85 * size[0], size=theme.label_size, color=theme.muted)
        shown = manim.Group(self.symbol, self.number).arrange(manim.RIGHT, buff=INSIDE)
        inside = manim.Group(name, shown).arrange(manim.DOWN, buff=BELOW)
        inside.scale(min(1.0, 0.9 * size[1] / inside.height, 0.85 * size[0] / inside.width))
        self.add(self.frame, inside)

    def swap_to(self, tile: int) -> SwapNumber:
        """An animation: the number after this block."""
        return SwapNumber(self.number, self.steps.entry(key_tile=tile), run_time=self.theme.step)

    def after(self, tile: int) -> Number:
        """The number after a block, by itself."""
        return self.number.other(self.steps.entry(key_tile=tile))
