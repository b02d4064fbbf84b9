"""Structure of the weights of networks that have learnt maps of known rank.

Letters: s_i(W_l) singular values, V_l semi-orthogonal matrices, c_1 = ||theta||^2 - k L, |Jf|_+
product of the k largest singular values of the Jacobian, Sigma_l Gram matrix of layer l.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker
from srhm.studies.representation_cost.figures import by_layer
from srhm.studies.representation_cost.figures.depth import STYLES, by_stability
from srhm.studies.representation_cost.readings import (
    deepest,
    finished,
    of_cells,
    stable,
    two_parts,
)

HEIGHT = 6.0  # inches
RANKS = ("rank 1", "rank 2", "rank 3")


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str) -> Figure:
    """A-C: singular values; D, E: bound; F: geodesic; G: directions; H: two parts."""
    own = finished(cells, "maps")
    deep = deepest(own[stable(own)], by="map") if len(own) else own
    figure, page = laid_out_page(HEIGHT, preset=preset)
    boxes = page.subplots(3, 3).ravel()
    for axes, letter, name in zip(boxes[:3], "ABC", RANKS, strict=True):
        chosen = deep[deep["map"] == name] if len(deep) else deep
        depth = f", $L={chosen['L'].iloc[0]}$" if len(chosen) else ""
        panel_title(axes, letter, f"{name}{depth}")
        rows = of_cells(values, chosen) if len(chosen) else pd.DataFrame()
        by_layer.singular_values(axes, rows)
    panel_title(boxes[3], "D", "bound on the sum")
    _bound(boxes[3], own)
    panel_title(boxes[4], "E", "by layer")
    _distances(boxes[4], layers, deep)
    panel_title(boxes[5], "F", r"linear: $\Sigma_l$")
    _geodesic(boxes[5], layers, finished(cells, "linear"))
    panel_title(boxes[6], "G", "representations")
    _directions(boxes[6], layers, deep)
    panel_title(boxes[7], "H", "linear: two parts")
    _parts(boxes[7], layers, finished(cells, "linear"))
    boxes[8].set_axis_off()
    shown = sorted(set(own["map"])) if len(own) else []
    maps = [marker(STYLES[name][1], name, markerfacecolor=STYLES[name][0]) for name in shown]
    lines = [
        line("equal (D, H)", color=GUIDE, linestyle="--"),
        line("0.5 (A-C)", color=GUIDE, linestyle=":"),
        marker("x", "does not fit, or unstable (D)"),
    ]
    add_legends(page, [("Map (D, E, G)", maps), ("Lines", lines)])
    return figure


def _bound(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set(xlabel="$c_1-2\\,\\log|Jf|_+$", ylabel=r"$\min\,\Sigma_l\|W_l-V_lV_{l-1}^T\|_F^2$")
    known = cells.dropna(subset=["structure", "structure_bound"]) if len(cells) else cells
    if known.empty:
        empty_panel(axes, "not in this preset")
        return
    for name, group in known.groupby("map"):
        colour, symbol = STYLES[str(name)]
        for own, style in by_stability(group, symbol):
            axes.plot(own["structure_bound"], own["structure"], color=colour,
                      gid=f"structure {name}", **style)  # fmt: skip
    both = known[["structure", "structure_bound"]]
    ends = [0.8 * float(both.min().min()), 1.2 * float(both.max().max())]
    axes.plot(ends, ends, "--", color=GUIDE, linewidth=0.8, gid="equal")
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=6))
        axis.set_minor_locator(NullLocator())


def _distances(axes: Axes, layers: pd.DataFrame, deep: pd.DataFrame) -> None:
    """The distance of each layer; the deepest stable networks of each map."""
    axes.set(xlabel="layer $l$", ylabel=r"$\|W_l-V_lV_{l-1}^T\|_F^2$")
    if deep.empty or layers.empty:
        empty_panel(axes, "not in this preset")
        return
    rows = of_cells(layers, deep, "map").dropna(subset=["distance"])
    for name, group in rows.groupby("map"):
        colour, symbol = STYLES[str(name)]
        mean = group.groupby("k")["distance"].mean()
        axes.plot(mean.index, mean, f"{symbol}-", color=colour, markersize=2.5, linewidth=0.8,
                  gid=f"distance {name}")  # fmt: skip
    axes.set_yscale("log")


def _geodesic(axes: Axes, layers: pd.DataFrame, linear: pd.DataFrame) -> None:
    axes.set(xlabel="$l/L$", ylabel=r"$\|\Sigma_l-(A^TA)^{l/L}\|/\|(A^TA)^{l/L}\|$")
    if linear.empty or layers.empty:
        empty_panel(axes, "not in this preset")
        return
    rows = of_cells(layers, linear)
    for i, depth in enumerate(sorted({int(depth) for depth in rows["L"]})):
        worst = rows[rows["L"] == depth].groupby("k")["geodesic_distance"].max()
        parts = np.asarray(worst.index, dtype=float) / depth
        axes.plot(parts, worst, "o-", color=str(0.75 - 0.75 * i / max(rows["L"].nunique() - 1, 1)),
                  markersize=2, linewidth=0.7, gid=f"geodesic L={depth}")  # fmt: skip
    low, high = int(rows["L"].min()), int(rows["L"].max())
    axes.text(0.03, 0.95, f"light to dark: $L={low}$ to ${high}$", transform=axes.transAxes,
              va="top", fontsize=7, color="0.35")  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylim(top=300 * axes.get_ylim()[1])


def _directions(axes: Axes, layers: pd.DataFrame, deep: pd.DataFrame) -> None:
    """Directions of each layer's representation; the deepest stable networks of each map."""
    axes.set(xlabel="$l/L$", ylabel=r"directions of $\alpha_l$")
    if deep.empty or layers.empty:
        empty_panel(axes, "not in this preset")
        return
    rows = of_cells(layers, deep, "map")
    for name, group in rows.groupby("map"):
        colour, symbol = STYLES[str(name)]
        mean = group.groupby("k")["n_visible"].mean()
        axes.plot(mean.index / group["L"].iloc[0], mean, f"{symbol}-", color=colour,
                  markersize=2.5, linewidth=0.8, gid=f"directions {name}")  # fmt: skip
    axes.set_ylim(bottom=0)


def _parts(axes: Axes, layers: pd.DataFrame, linear: pd.DataFrame) -> None:
    """Norm of the layers below and above each cut against the R of their own maps."""
    axes.set_xlabel("$R$ of $(A^TA)^{l/2L}$, of the rest")
    axes.set_ylabel(r"$\Sigma\,\|W_l\|^2$ of the part")
    if linear.empty or layers.empty:
        empty_panel(axes, "not in this preset")
        return
    rows = two_parts(layers, linear)
    for part, symbol, colour in (("below", "o", "0.2"), ("above", "x", by_layer.COLOURS[1])):
        axes.plot(rows[f"cost_{part}"], rows[f"norm_{part}"], symbol, color=colour, markersize=3,
                  markerfacecolor="none", markeredgewidth=0.6, gid=f"part {part}")  # fmt: skip
    most = float(rows[["cost_below", "cost_above"]].max().max())
    axes.plot([0, most], [0, most], "--", color=GUIDE, linewidth=0.8, gid="equal parts")
    axes.text(0.03, 0.95, "o below, x above a layer", transform=axes.transAxes, va="top",
              fontsize=7, color="0.35")  # fmt: skip
