"""The forest plot as a picture."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK
from srhm.forest.layout import HOLLOW, Band, Part, Segment, Symbol, Words, layout
from srhm.forest.letters import runs
from srhm.scorecard.headline import ForestRow

INK, SOFT, GREY, BAND = BLACK, "#555555", "#8a8a8a", "#dfe5ea"
VERDICTS = {"reproduced": "#00558c", "differs": "#a33b00"}
# Marker of matplotlib, its size in points.
MARKERS = {
    "dot": ("o", 9.0), "cross": ("X", 10.0), "diamond": ("D", 7.0), "square": ("s", 6.0),
    "small": ("o", 5.0), "left": ("<", 7.0), "right": (">", 7.0),
}  # fmt: skip
WIDTHS = {"ours": 2.4, "axis": 0.8, "expected": 0.8}


@styled
def draw(
    rows: Sequence[ForestRow], *, other: str = "", narrow: bool = True, legend: bool = True
) -> Figure:
    """The forest plot of these rows, a point for each of the layout's; other: of its grey run."""
    made = layout(rows, narrow=narrow, other=other, legend=legend)
    figure = Figure(figsize=(made.width / 72, made.height / 72), layout=None)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, made.width), ylim=(made.height, 0))
    axes.set_axis_off()
    for placed in made.placed:
        for part in placed.parts:
            _draw(axes, part, made.font)
    return figure


def _draw(axes: Axes, part: Part, font: float) -> None:
    if isinstance(part, Band):
        axes.add_patch(Rectangle((part.x, part.y), part.width, part.height, fc=BAND, lw=0))
    elif isinstance(part, Segment):
        width = WIDTHS.get(part.style, 1.2)
        axes.plot([part.x, part.to_x], [part.y, part.to_y], color=_colour(part), lw=width,
                  solid_capstyle="butt", zorder=_order(part))  # fmt: skip
    elif isinstance(part, Symbol):
        marker, size = MARKERS[part.shape]
        hollow = part.shape in HOLLOW
        axes.plot(part.x, part.y, marker, ms=size, mfc="white" if hollow else _colour(part),
                  mec=_colour(part), mew=1.8 if hollow else 0, zorder=_order(part))  # fmt: skip
    else:
        weight = "bold" if part.style == "heading" else "normal"
        size = font * (0.92 if part.style == "soft" else 1.0)
        axes.text(part.x, part.y, _mathtext(part), fontsize=size * 0.93, fontweight=weight,
                  color=SOFT if part.style == "soft" else INK,
                  ha={"start": "left", "middle": "center", "end": "right"}[part.anchor],
                  va="baseline", parse_math=True)  # fmt: skip


def _order(part: Segment | Symbol) -> float:
    return {"expected": 1.5, "ours": 4.0}.get(part.style, 3.0)


def _colour(part: Segment | Symbol) -> str:
    return VERDICTS.get(part.verdict, SOFT) if part.style == "ours" else GREY


def _mathtext(part: Words) -> str:
    signs = {"index": "_", "power": "^"}
    return "".join(
        piece if kind == "plain" else f"${{}}{signs[kind]}{{\\mathregular{{{piece}}}}}$"
        for piece, kind in runs(part.text)
    )
