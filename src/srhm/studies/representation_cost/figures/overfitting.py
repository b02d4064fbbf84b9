"""Networks that fit few points of a map of rank 2, and what a fit of rank 1 would cost.

Letters: N points, k* rank of the map, R^(1) first correction of the representation cost, theta
parameters, L weight matrices, c_1 = ||theta||^2 - L.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker, plural
from srhm.studies.representation_cost.figures.by_layer import COLOURS, MARKERS
from srhm.studies.representation_cost.figures.depth import STYLES
from srhm.studies.representation_cost.known import MAPS
from srhm.studies.representation_cost.readings import (
    TRUE_RANK,
    finished,
    fits_its_points,
    underestimating,
)

HEIGHT = 2.4  # inches


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: ranks of networks that fit N points; B: bound on R^(1); C: fits of rank 1 over a bound."""
    few, paths = finished(cells, "few_points"), finished(cells, "paths")
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(few))
    left, right, bound = page.subplots(1, 3)
    panel_title(left, "A", "rank of fits to $N$ points")
    _ranks(left, few)
    panel_title(right, "B", "curves through $N$ points")
    ranks = _bounds(right, paths)
    panel_title(bound, "C", "fits of rank 1")
    shown = _over_bound(bound, underestimating(cells))
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
    fits = [marker(STYLES[name][1], name, markerfacecolor=STYLES[name][0]) for name in shown]
    legends = [("Networks (A)", networks), ("Points (B)", [*dimensions, law]), ("Map (C)", fits)]
    add_legends(page, legends)
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


def _over_bound(axes: Axes, cells: pd.DataFrame) -> list[str]:
    """Each fit of rank 1 over L e^(-c_1) N^(4-4/k*); the maps that are drawn."""
    axes.set(xlabel="training points $N$", ylabel=r"$\log\,(\|J_\theta f\|^2/(L\,e^{-c_1}N^2))$")
    if cells.empty:
        empty_panel(axes, "no fit of rank 1" if len(cells.columns) else "not in this preset")
        return []
    names = [name for name in MAPS if name in set(cells["map"])]
    for name in names:
        own = cells[cells["map"] == name]
        colour, symbol = STYLES[name]
        axes.plot(own["n"], own["log_over_bound"], symbol, color=colour, markersize=4,
                  markerfacecolor="none", gid=f"over bound {name}")  # fmt: skip
    sizes = sorted(set(cells["n"].astype(int)))
    axes.set_xscale("log")
    axes.set_xticks(sizes, labels=[str(n) for n in sizes])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=min(0.0, float(cells["log_over_bound"].min())))
    return names


def _foot(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first, seeds = cells.iloc[0], cells["seed"].nunique()
    return [
        f"A: L = {first['L']:g}, width {first['width']:g}, λL = {first['penalty']:g},"
        f" {seeds} {plural('seed', seeds)}"
    ]
