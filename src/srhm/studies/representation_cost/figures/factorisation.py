"""Summary statistics: what a deep network keeps of the start of gradient descent.

Letters: theta start, w the vector that is factorised, L weight matrices.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE
from srhm.studies.representation_cost.figures import by_layer
from srhm.studies.representation_cost.readings import deepest, finished, of_cells

HEIGHT = 4.2  # inches
KNOWN = {"overlap": r"$|w^T\theta|$", "rest": r"$\|(I-ww^T)\theta\|$"}
ALL = {**KNOWN, "signed_overlap": r"$w^T\theta$", "one_coordinate": r"$\theta_2$"}


@styled
def draw(
    cells: pd.DataFrame,
    layers: pd.DataFrame,
    values: pd.DataFrame,
    components: pd.DataFrame,
    *,
    preset: str,
) -> Figure:
    """A: singular values; B: directions; C, D: middle representation; E: what explains it."""
    own = deepest(finished(cells, "factorisation"))
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(own))
    grid = page.add_gridspec(2, 1)
    top, bottom = page.add_subfigure(grid[0]), page.add_subfigure(grid[1])
    boxes = [*top.subplots(1, 2), *bottom.subplots(1, 3)]
    panel_title(boxes[0], "A", "weights")
    by_layer.singular_values(boxes[0], of_cells(values, own) if len(own) else own)
    panel_title(boxes[1], "B", "directions of each layer")
    kinds = [
        ("n_visible", "representation", by_layer.COLOURS[0]),
        ("n_large", "weights above 0.5", by_layer.COLOURS[1]),
    ]
    by_layer.counts(boxes[1], of_cells(layers, own) if len(own) else own, kinds, label="number")
    if len(own):
        boxes[1].axhline(2, color=GUIDE, linewidth=0.7, linestyle="--", gid="two statistics")
        boxes[1].legend(loc="upper right")
    for axes, letter, (name, words) in zip(boxes[2:4], "CD", KNOWN.items(), strict=True):
        panel_title(axes, letter, f"layer $L/2$ by {words}")
        _components(axes, own, components, name)
    panel_title(boxes[4], "E", "from two components")
    _explained(boxes[4], own)
    return figure


def _components(axes: Axes, cells: pd.DataFrame, components: pd.DataFrame, statistic: str) -> None:
    axes.set(xlabel="component 1", ylabel="component 2")
    own = components[components["key"].isin(cells["key"])] if len(cells) else components[:0]
    if own.empty:
        empty_panel(axes, "not in this preset")
        return
    drawn = axes.scatter(own["first"], own["second"], c=own[statistic], s=4, cmap="viridis",
                         linewidths=0, gid=f"components {statistic}")  # fmt: skip
    axes.figure.colorbar(drawn, ax=axes, shrink=0.9, pad=0.02)


def _explained(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set(ylabel="$R^2$ on new starts")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    places = np.arange(len(ALL))
    columns = [f"explained_{name}" for name in ALL]
    axes.bar(places, cells[columns].mean(), width=0.6, color="0.8", edgecolor="0.3", linewidth=0.6)
    shift = 0.1 * (cells["seed"] - cells["seed"].mean()).to_numpy(dtype=float)
    for place, column in enumerate(columns):
        axes.plot(place + shift, cells[column], "o", color="0.2", markersize=3.5,
                  markerfacecolor="white", gid=column)  # fmt: skip
    axes.set_xticks(places, labels=list(ALL.values()), rotation=30, ha="right")
    axes.set_ylim(min(-0.1, float(cells[columns].min().min()) - 0.05), 1.08)
    axes.axhline(0, color="0.3", linewidth=0.6)


def _foot(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"L = {first['L']:g}, width {first['width']:g}, d = {first['d']:g}, T = {first['T']:g},"
        f" N = {first['n']:g}, λL = {first['penalty']:g}, {len(cells)} seeds; error on new starts"
        f" over the variance {100 * cells['test_error'].mean():.1f} %"
    ]
