"""Figures 12, 15: sensitivities of every layer to transformations of every level, against P.

Letters of the paper: S_{k,l}, D_{k,l} sensitivities of layer k to exchange of synonyms and to
diffeomorphisms at level l (Eq. 13, 14); P training points, ε test error, L depth, s branching,
s_0 (s0) empty places for each informative one, v features.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    EQUATIONS,
    GUIDE,
    between,
    empty_handles,
    few_ticks,
    line,
    patch,
    plural,
    shape,
    shown,
)
from srhm.figures.selection import predicted, text_curves
from srhm.model import theory

DEPTH, BRANCHING = 2, 2
FEATURES = 8  # v of the paper's figures
# Level l of the transformation; hues that those of L in the other figures do not have.
LEVEL_COLOURS = {1: (0.0, 0.62, 0.45), 2: (0.67, 0.27, 0.6)}
ERROR_COLOUR = "0.72"
LAYERS = (("1", "layer $k=1$"), ("2", "layer $k=2$"), ("output", "output"))
KINDS = (
    ("S", "$S_{k,l}$ (synonyms), grey: $\\varepsilon$"),
    ("D", "$D_{k,l}$ (places), grey: $\\varepsilon$"),
)
ROW = 1.95  # inches


@styled
def draw(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, net: str, width: int, preset: str
) -> Figure:
    """Figure 12 (LCN, Eq. 3) or 15 (CNN, Eq. 4): S_{k,l} and D_{k,l} against P rescaled.

    Of the main curves with L = s = 2 and this width that have sensitivities, at FEATURES, or at the
    largest v where none has that. Averages and bars are over seeds, diverged cells left out.
    """
    rows = text_curves(sensitivities, width=width, branching=BRANCHING)
    rows = rows[
        (rows["net"] == net) & (rows["L"] == DEPTH) & (rows["variant"] == "text") & (rows["n"] > 0)
    ]
    found = set(rows["v"].astype(int))
    n_features = FEATURES if FEATURES in found else max(found, default=None)
    rows = rows[rows["v"] == n_features]
    own = cells[cells["curve"].isin(rows["curve"])]
    figure, part = laid_out_page(
        ROW * len(KINDS), preset=preset, heading=_heading(own, net, n_features)
    )
    panels = part.subplots(len(KINDS), len(LAYERS))
    letters = iter("ABCDEF")
    equation, formula = EQUATIONS[net]
    for i, (kind, name) in enumerate(KINDS):
        of_kind = rows[rows["kind"] == kind]
        curves = own[own["curve"].isin(of_kind["curve"])]
        for j, (layer, title) in enumerate(LAYERS):
            axes = panels[i, j]
            panel_title(axes, next(letters), title)
            if j == 0:
                axes.set_ylabel(name, labelpad=2)
            if i == len(KINDS) - 1:
                axes.set_xlabel(f"$P\\;/\\;{formula}$   ({equation})")
            if of_kind.empty:
                empty_panel(axes, f"no curve of this kind\nin preset {preset}")
                continue
            _panel(axes, curves, of_kind[of_kind["layer"] == layer])
            if layer == "2":
                axes.axhline(
                    theory.sensitivity_threshold(kind, net, depth=DEPTH, branching=BRANCHING),
                    color=GUIDE, linewidth=0.8, linestyle="--", gid="threshold",
                )  # fmt: skip
    _same_range(panels)
    _legends(part, panels.flat, own)
    return figure


def _heading(cells: pd.DataFrame, net: str, n_features: int | None) -> str:
    """Net, grammar, curves and seeds; empty without cells."""
    if cells.empty:
        return ""
    seeds = cells.groupby("curve")["seed"].nunique()
    return (
        f"{net.upper()}, $L=s=2$, $v={n_features}$: {seeds.size} {plural('curve', seeds.size)},"
        f" {between(seeds)} {plural('seed', int(seeds.max()))}"
    )


def _panel(axes: Axes, cells: pd.DataFrame, sensitivities: pd.DataFrame) -> None:
    """ε in grey, then a line for each level and s_0."""
    for _, curve in cells.groupby("curve", sort=False):
        row = curve.iloc[0]
        errors = curve.groupby("P")["test_error"].mean()
        axes.plot(errors.index / predicted(row), errors, color=ERROR_COLOUR, linewidth=0.8,
                  marker=shape(row["s0"]), markersize=2.5, zorder=1, gid="error")  # fmt: skip
    for _, curve in sensitivities.groupby(["curve", "l"], sort=False):
        row = curve.iloc[0]
        level = int(row["l"])
        tint = LEVEL_COLOURS[level]
        values = curve.groupby("P")["value"].agg(["mean", "min", "max"])
        x = values.index.to_numpy(dtype=float) / predicted(row)
        axes.vlines(x, values["min"], values["max"], color=tint, linewidth=0.6, zorder=2)
        axes.plot(x, values["mean"], color=tint, marker=shape(row["s0"]), markersize=3.5,
                  zorder=2 + 0.1 * level, gid=f"level {level}")  # fmt: skip
    axes.set_xscale("log")


def _same_range(panels: NDArray[Any]) -> None:
    """One range of P for all panels; from zero to what the row needs."""
    filled = [axes for axes in panels.flat if axes.get_lines()]
    if not filled:
        return
    ends = [end for axes in filled for end in axes.get_xlim()]
    low, high = min(ends), max(ends)
    for row in panels:
        top = max([1.0, *(axes.get_ylim()[1] for axes in row if axes in filled)])
        for axes in filter(filled.__contains__, row):
            axes.set(xlim=(low, high), ylim=(-0.03 * top, top))
            few_ticks(axes.xaxis, low, high)


def _legends(part: SubFigure, panels: Iterable[Axes], cells: pd.DataFrame) -> None:
    """Below the panels: levels, s_0, and what the bars are."""
    if cells.empty:
        return
    panels = list(panels)
    levels = {
        f"level {level}": patch(f"$l={level}$: {where}", tint)
        for (level, tint), where in zip(
            LEVEL_COLOURS.items(), ("the input's patches", "the class's patch"), strict=True
        )
    }
    others: dict[str, Line2D] = {
        "level": line("average over seeds; bar: from\nlowest to highest seed", color="0.3"),
        "error": line("test error $\\varepsilon$", color=ERROR_COLOUR),
        "threshold": line("threshold of $P^*_S$, $P^*_D$", color=GUIDE, linestyle="--"),
    }
    add_legends(
        part,
        [
            ("Transformed level", shown(levels, panels)),
            ("Empty places", empty_handles(sorted(set(cells["s0"].tolist())))),
            ("Lines", shown(others, panels)),
        ],
    )
