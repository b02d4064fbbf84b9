"""Figures 7, 8: learning curves with sparsity B, raw and rescaled by Eq. 3 or Eq. 4.

Letters of the paper: P training points, ε test error, L depth, s branching, s_0 empty places for
each informative one, v features.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    EQUATIONS,
    GUIDE,
    between,
    colour,
    curve_groups,
    few_ticks,
    line,
    marker,
    plural,
    shape,
    shown,
)
from srhm.figures.selection import predicted, text_curves

HEIGHT = 2.6  # inches, without the legend
OTHER_SPARSITY = "0.7"


@styled
def draw(cells: pd.DataFrame, *, net: str, width: int, threshold: float, preset: str) -> Figure:
    """Figure 7 (LCN, Eq. 3) or 8 (CNN, Eq. 4), s = 2: ε against P, and against P rescaled.

    The main curves of sparsity B of this width; in grey the averages of the curves with sparsity A
    and otherwise the same parameters, where there are any. Averages leave out diverged cells.
    """
    rows = cells[cells["net"] == net]
    chosen = {
        sparsity: text_curves(rows, width=width, branching=2, sparsity=sparsity)
        for sparsity in "AB"
    }
    shared = ["L", "s0", "v"]
    beside = chosen["A"].merge(chosen["B"][shared].drop_duplicates(), on=shared)
    features = sorted(set(chosen["B"]["v"].tolist()))
    figure, part = laid_out_page(HEIGHT, preset=preset)
    panels = part.subplots(1, 2, subplot_kw={"box_aspect": 1})
    equation, formula = EQUATIONS[net]
    for axes, letter, rescaled in zip(panels, "AB", (False, True), strict=True):
        panel_title(axes, letter, f"{net.upper()}, sparsity B" + _counts(chosen["B"], rescaled))
        label = f"$P\\;/\\;{formula}$   ({equation})" if rescaled else "training points $P$"
        axes.set_xlabel(label)
        if chosen["B"].empty:
            empty_panel(axes, f"no curve of this kind\nin preset {preset}")
            continue
        for _, curve in beside.groupby("curve", sort=False):
            _curve(axes, curve, features, rescaled=rescaled, grey=True)
        for _, curve in chosen["B"].groupby("curve", sort=False):
            _curve(axes, curve, features, rescaled=rescaled, grey=False)
        axes.axhline(threshold, color=GUIDE, linewidth=0.8, linestyle="--", gid="threshold")
        axes.set(xscale="log", ylim=(-0.02, 1.02))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
        low, high = axes.get_xlim()
        if high / low < 100:
            few_ticks(axes.xaxis, low, high)
    panels[0].set_ylabel("test error $\\varepsilon$ (%)", labelpad=2)
    handles = {
        "B curve": line("average over seeds", color="0.3", marker="o", markersize=4),
        "capped": marker("s", "a seed stopped at the cap", markersize=6),
        "diverged": marker("x", "a seed diverged (left out)"),
        "A curve": line("the same with sparsity A", color=OTHER_SPARSITY, marker="o",
                        markersize=3),
        "threshold": line(f"$\\varepsilon = {100 * threshold:.3g}$ %", color=GUIDE,
                          linestyle="--"),
    }  # fmt: skip
    kinds: list = shown(handles, panels)
    if kinds:
        kinds.insert(1, Patch(color="0.8", linewidth=0, label="from lowest to highest seed"))
    add_legends(part, [*curve_groups(chosen["B"], features), ("Curves", kinds)])
    return figure


def _curve(
    axes: Axes, cells: pd.DataFrame, features: Sequence[int], *, rescaled: bool, grey: bool
) -> None:
    """One learning curve: average over seeds and, unless grey, the band that they span."""
    row = cells.iloc[0]
    scale = predicted(row) if rescaled else 1.0
    errors = cells.groupby("P")["test_error"].agg(["mean", "min", "max"])  # leaves out NaN
    x = errors.index.to_numpy(dtype=float) / scale
    tint = OTHER_SPARSITY if grey else colour(row["L"], row["v"], features)
    if not grey:
        axes.fill_between(x, errors["min"], errors["max"], color=tint, alpha=0.2, linewidth=0)
        lost = set(cells["P"][cells["test_error"].isna()])
        if lost:
            axes.plot([P / scale for P in lost], [1.0] * len(lost), "x", color=tint, markersize=4,
                      clip_on=False, gid="diverged")  # fmt: skip
        capped = errors["mean"][errors.index.isin(cells["P"][cells["status"] == "capped"])]
        if len(capped):
            axes.plot([P / scale for P in capped.index], capped, "s", markersize=7, color=tint,
                      markerfacecolor="none", markeredgewidth=0.8, zorder=3.5,
                      gid="capped")  # fmt: skip
    axes.plot(
        x, errors["mean"], marker=shape(row["s0"]), color=tint, markersize=2.5 if grey else 4,
        linewidth=0.7 if grey else 1.0, zorder=1.5 if grey else 3,
        gid=f"{row['sparsity']} curve {row['curve']}",
    )  # fmt: skip


def _counts(cells: pd.DataFrame, rescaled: bool) -> str:
    """How many curves and seeds, said once."""
    if cells.empty or rescaled:
        return ", $P$ rescaled" if rescaled else ""
    seeds = cells.groupby("curve")["seed"].nunique()
    return (
        f": {seeds.size} {plural('curve', seeds.size)},"
        f" {between(seeds)} {plural('seed', int(seeds.max()))}"
    )
