"""Ranks by layer of deep networks that have learnt the classes of a grammar.

Letters: n_c classes, v features, s branching; a level l of a grammar of depth D has s^(D+1-l)
latents, which span s^(D+1-l) (v - 1) directions, the class n_c - 1.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, patch
from srhm.studies.representation_cost.figures import by_layer
from srhm.studies.representation_cost.known import level_directions
from srhm.studies.representation_cost.readings import finished, of_cells

HEIGHT = 2.6  # inches
KINDS = (
    ("n_visible", "representation", by_layer.COLOURS[0]),
    ("n_large", "weights above 0.5", by_layer.COLOURS[1]),
)


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str) -> Figure:
    """A: directions of representations and weights by layer; B: singular values of weights."""
    own = finished(cells, "hierarchy")
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(own))
    left, right = page.subplots(1, 2)
    panel_title(left, "A", "directions of each layer")
    rows = of_cells(layers, own) if len(own) else own
    by_layer.counts(left, rows, KINDS, label="number")
    panel_title(right, "B", "weights")
    by_layer.singular_values(right, of_cells(values, own) if len(own) else own)
    if len(own):
        _levels(left, own.iloc[0])
    red, blue = "#D55E00", "#0072B2"
    handles = [patch("representation", _rgb(blue)), patch("weights above 0.5", _rgb(red)),
               line("directions of a level", color=GUIDE, linestyle="--")]  # fmt: skip
    add_legends(page, [("Panel A", handles)])
    return figure


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _levels(axes: Axes, cell: pd.Series) -> None:
    depth = int(cell["levels"])
    for level in range(1, depth + 2):
        height = level_directions(
            level,
            depth=depth,
            branching=int(cell["s"]),
            n_features=int(cell["v"]),
            n_classes=int(cell["n_c"]),
        )
        axes.axhline(height, color=GUIDE, linewidth=0.7, linestyle="--", zorder=0, gid="level")
        words = "class" if level > depth else f"level {level}"
        axes.set_ylim(top=max(1.12 * height, axes.get_ylim()[1]))
        axes.text(1.01, height, words, transform=axes.get_yaxis_transform(), ha="left",
                  va="center", fontsize=7, color="0.35")  # fmt: skip


def _foot(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"FCN of L = {first['L']:g}, width {first['width']:g}, λL = {first['penalty']:g},"
        f" P = {first['n']:g}, {len(cells)} seeds, test error"
        f" {100 * cells['test_error'].mean():.1f} %",
        f"grammar of depth {first['levels']:g}, v = {first['v']:g},"
        f" m = {first['m']:g}, n_c = {first['n_c']:g}, s = {first['s']:g}, s_0 = {first['s0']:g}",
    ]
