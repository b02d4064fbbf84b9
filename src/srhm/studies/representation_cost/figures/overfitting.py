"""Networks that fit few points of a map of rank 2, and what a fit of rank 1 would cost.

Letters: N points, k* rank of the map, R^(1) first correction of the representation cost.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker, plural
from srhm.studies.representation_cost.figures.by_layer import COLOURS, MARKERS
from srhm.studies.representation_cost.readings import finished, fits_its_points

HEIGHT = 2.4  # inches
TRUE_RANK = 2


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: ranks of networks that fit N points of a map of rank 2; B: the bound on R^(1)."""
    few, paths = finished(cells, "few_points"), finished(cells, "paths")
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(few))
    left, right = page.subplots(1, 2)
    panel_title(left, "A", "rank of fits to $N$ points")
    _ranks(left, few)
    panel_title(right, "B", "curves through $N$ points")
    ranks = _bounds(right, paths)
    networks = [
        marker("o", "fits its points", markerfacecolor=COLOURS[0]),
        marker("o", "does not"),
        line("rank of the map", color=GUIDE, linestyle="--"),
    ]
    dimensions = [
        marker(MARKERS[i], f"$k^*={rank}$", markerfacecolor=COLOURS[i])
        for i, rank in enumerate(ranks)
    ]
    law = line("slope $2(1-1/k^*)$", color=GUIDE, linestyle="--")
    add_legends(page, [("Networks (A)", networks), ("Points (B)", [*dimensions, law])])
    return figure


def _ranks(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set(xlabel="training points $N$", ylabel="singular values near 1")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    fits = fits_its_points(cells)
    for own, filling in ((cells[fits], COLOURS[0]), (cells[~fits], "white")):
        # Seeds side by side, so that equal ranks do not cover each other.
        places = own["n"] * 1.06 ** (own["seed"] - cells["seed"].mean())
        axes.plot(places, own["weight_rank"], "o", color=COLOURS[0], markerfacecolor=filling,
                  markersize=4.5, gid=f"few {'fits' if filling != 'white' else 'not'}")  # fmt: skip
    axes.axhline(TRUE_RANK, color=GUIDE, linewidth=0.8, linestyle="--", zorder=0, gid="rank")
    sizes = sorted(set(cells["n"].astype(int)))
    axes.set_xscale("log")
    axes.set_xticks(sizes, labels=[str(n) for n in sizes])
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, max(TRUE_RANK, cells["weight_rank"].max()) + 0.6)


def _bounds(axes: Axes, cells: pd.DataFrame) -> list[int]:
    """Means over seeds and the law's slope through the last; the ranks that are drawn."""
    axes.set(xlabel="points $N$", ylabel="2 log length of the tree", xscale="log")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return []
    ranks = sorted({int(rank) for rank in cells["rank"]})
    for i, rank in enumerate(ranks):
        mean = cells[cells["rank"] == rank].groupby("n")["path_bound"].mean()
        sizes = mean.index.to_numpy(dtype=float)
        axes.plot(sizes, mean, MARKERS[i], color=COLOURS[i], markersize=4, gid=f"path {rank}")
        law = mean.iloc[-1] + 2 * (1 - 1 / rank) * np.log(sizes / sizes[-1])
        axes.plot(sizes, law, "--", color=GUIDE, linewidth=0.8, zorder=0, gid=f"law {rank}")
    return ranks


def _foot(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first, seeds = cells.iloc[0], cells["seed"].nunique()
    return [
        f"A: L = {first['L']:g}, width {first['width']:g}, λL = {first['penalty']:g},"
        f" {seeds} {plural('seed', seeds)}"
    ]
