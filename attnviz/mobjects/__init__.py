"""What scenes draw with: grids, numbers, labels and the animations that are ours, all made from records."""

from attnviz.mobjects.anchors import Anchor
from attnviz.mobjects.animations import FillCells, FillRows, Swap, SwapNumber
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar, ShapeLabel, TokenLabels
from attnviz.mobjects.number import Literal, Number
from attnviz.mobjects.stages import stage_format, stage_scale

__all__ = [
    "Anchor",
    "Bars",
    "ColorBar",
    "FillCells",
    "FillRows",
    "Grid",
    "Literal",
    "Number",
    "ShapeLabel",
    "Swap",
    "SwapNumber",
    "TokenLabels",
    "stage_format",
    "stage_scale",
]
