"""Squared parameter norm against depth, its limits, deep linear networks, stability.

Letters: theta parameters, L weight matrices, R^(0) and R^(1) limit and first correction of the
representation cost, s_i singular values, N points.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line, marker, plural
from srhm.studies.representation_cost.figures.by_layer import COLOURS, MARKERS
from srhm.studies.representation_cost.known import MAPS
from srhm.studies.representation_cost.limits import FIRST_DEPTH
from srhm.studies.representation_cost.readings import STABLE, finished, stable

HEIGHT = 4.4  # inches
STYLES = {name: (COLOURS[i], MARKERS[i]) for i, name in enumerate(MAPS)}


@styled
def draw(cells: pd.DataFrame, limits: pd.DataFrame, *, preset: str) -> Figure:
    """A: ||theta||^2 / L with its fit; B: linear networks; C: R^(0), R^(1); D: stability."""
    own, linear = finished(cells, "maps"), finished(cells, "linear")
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(own))
    boxes = page.subplots(2, 2).ravel()
    titles = ("ReLU networks", "linear networks", "limits", "stability")
    for axes, letter, title in zip(boxes, "ABCD", titles, strict=True):
        panel_title(axes, letter, title)
    _norms(boxes[0], own, limits)
    _linear(boxes[1], linear)
    _limits(boxes[2], limits)
    _sharpness(boxes[3], own)
    shown = [name for name in MAPS if name in set(own["map"])] if len(own) else []
    maps = [marker(STYLES[name][1], name, markerfacecolor=STYLES[name][0]) for name in shown]
    kinds = [
        line(f"fit from $L={FIRST_DEPTH}$ on", color="0.3"),
        line("rank; closed form", color=GUIDE, linestyle="--"),
        line(f"${STABLE:g}L$ (D)", color=GUIDE, linestyle=":"),
        marker("x", "does not fit, or unstable (A, D)"),
    ]
    kinds_of_matrix = sorted({int(rank) for rank in linear["rank"]}) if len(linear) else []
    ranks = [
        marker(MARKERS[rank - 1], f"rank {rank}", markerfacecolor=COLOURS[rank - 1])
        for rank in kinds_of_matrix
    ]
    add_legends(page, [("Map (A, C, D)", maps), ("Matrix (B)", ranks), ("Lines", kinds)])
    return figure


def _norms(axes: Axes, cells: pd.DataFrame, limits: pd.DataFrame) -> None:
    axes.set(xlabel="depth $L$", ylabel=r"$\|\theta\|^2/L$", xscale="log")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    for name, group in cells.groupby("map"):
        colour, symbol = STYLES[str(name)]
        for own, style in by_stability(group, symbol):
            axes.plot(own["L"], own["squared_parameters"] / own["L"], color=colour, alpha=0.8,
                      gid=f"norm {name}", **style)  # fmt: skip
        fits = limits[limits["map"] == name]
        if len(fits):
            along = np.geomspace(FIRST_DEPTH, group["L"].max(), 50)
            mean = fits[["R0", "R1"]].mean()
            axes.plot(along, mean["R0"] + mean["R1"] / along, color=colour, linewidth=0.9,
                      gid=f"fit {name}")  # fmt: skip
    for rank in (1, 2, 3):
        axes.axhline(rank, color=GUIDE, linewidth=0.7, linestyle="--", zorder=0, gid="rank")
    depths = sorted(set(cells["L"]))
    axes.set_xticks(depths, labels=[str(depth) for depth in depths])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)


def by_stability(cells: pd.DataFrame, symbol: str) -> Iterator[tuple[pd.DataFrame, dict[str, Any]]]:
    """Stable networks as open markers, the others as small crosses; how each are drawn."""
    kept = stable(cells)
    common = {"linestyle": "", "markersize": 3.5}
    yield cells[kept], {**common, "marker": symbol, "markerfacecolor": "none"}
    yield cells[~kept], {**common, "marker": "x", "markeredgewidth": 0.7}


def _linear(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set(xlabel="depth $L$", ylabel=r"$\|\theta\|^2/L$", xscale="log")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    for rank in sorted({int(rank) for rank in cells["rank"]}):
        group = cells[cells["rank"] == rank]
        colour, symbol = COLOURS[rank - 1], MARKERS[rank - 1]
        axes.plot(group["L"], group["squared_parameters"] / group["L"], symbol, color=colour,
                  markersize=3.5, markerfacecolor="none", gid=f"linear {rank}")  # fmt: skip
        known = group.groupby("L")["cost_of_target"].first()
        axes.plot(known.index, known / known.index, "--", color=GUIDE, linewidth=0.8,
                  gid=f"closed form {rank}")  # fmt: skip
    depths = sorted(set(cells["L"]))
    axes.set_xticks(depths, labels=[str(depth) for depth in depths])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)


def _limits(axes: Axes, limits: pd.DataFrame) -> None:
    """Each seed's R^(0) and R^(1), and the values that are known or bound them from below."""
    axes.set(xlabel="$R^{(0)}$", ylabel="$R^{(1)}$")
    if limits.empty:
        empty_panel(axes, "fewer than three depths")
        return
    for name, group in limits.groupby("map"):
        colour, symbol = STYLES[str(name)]
        axes.plot(group["R0"], group["R1"], symbol, color=colour, markersize=4,
                  markerfacecolor="none", gid=f"limit {name}")  # fmt: skip
        known = MAPS[str(name)]
        if np.isfinite(known.first_correction):
            axes.plot([known.bottleneck_rank], [known.first_correction], "_", color=colour,
                      markersize=14, markeredgewidth=1.2, gid=f"bound {name}")  # fmt: skip
    for rank in (1, 2, 3):
        axes.axvline(rank, color=GUIDE, linewidth=0.7, linestyle="--", zorder=0)


def _sharpness(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set(xlabel="depth $L$", ylabel=r"$\max_i\,\frac{2}{N}\|J_\theta f(x_i)\|_{op}^2$")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    for name, group in cells.groupby("map"):
        colour, symbol = STYLES[str(name)]
        for own, style in by_stability(group, symbol):
            axes.plot(own["L"], own["sharpness"], color=colour, gid=f"sharpness {name}", **style)
    along = np.array([cells["L"].min(), cells["L"].max()], dtype=float)
    axes.plot(along, STABLE * along, ":", color=GUIDE, linewidth=0.9, gid="stable")
    axes.set(xscale="log", yscale="log")
    few_ticks(axes.yaxis, *axes.get_ylim())
    depths = sorted(set(cells["L"]))
    axes.set_xticks(depths, labels=[str(depth) for depth in depths])
    axes.set_xticks([], minor=True)


def _foot(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    seeds = cells["seed"].nunique()
    errors = ", ".join(
        f"{100 * (group['loss'] / group['variance']).mean():.1f} % ({name})"
        for name, group in cells.groupby("map")
    )
    return [
        f"width {first['width']:g}, N = {first['n']:g}, λL = {first['penalty']:g},"
        f" {first['steps']:g} steps, {seeds} {plural('seed', seeds)}",
        f"C over the variance: {errors}",
    ]
