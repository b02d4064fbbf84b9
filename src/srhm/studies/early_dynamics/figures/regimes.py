"""Third regime of ReLU; variance of lazy learning by the training set (chapter 3a, Fig. 12, 14).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta tangent kernel, P points.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import ABSENT, ALPHA_TILDE, decades, draw_averages
from srhm.figures.marks import GUIDE, few_ticks, line, marker, shades
from srhm.statistics.output_scale import FEATURE, feature_slope
from srhm.studies.early_dynamics.analysis import (
    BETWEEN,
    SMOOTH,
    lazy_variances,
    of_kind,
    over_data_sets,
)


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """A: kernel change of ReLU networks against alpha_tilde; B, C: Var F against h and P."""
    kinks, variances = of_kind(cells, "kinks"), lazy_variances(cells, ensembles)
    if kinks.empty or variances.empty:
        figure, page = laid_out_page(2.4, preset=preset)
        empty_panel(page.subplots(), ABSENT)
        return figure
    counts = [f"{one['seed'].nunique()} data sets" for one in (kinks, variances)]
    foot = [f"digits, FCN; A: ReLU, L = 5, P = {kinks['P'].iloc[0]}, {counts[0]}; B, C: softplus,"
            f" L = 3, α̃ = 10⁶, {counts[1]} of"
            f" {variances['n_members'].max()} networks each"]  # fmt: skip
    figure, page = laid_out_page(2.7, preset=preset, foot=foot)
    change, wide, many = page.subplots(1, 3, width_ratios=(1.3, 1, 1))
    kinds = {}
    for axes, rows, by, column, name in (
        (change, kinks, "alpha_tilde", "width", "viridis"),
        (wide, variances, "width", "P", "cividis"),
        (many, variances, "P", "width", "viridis"),
    ):
        y = "kernel_change" if axes is change else "variance"
        everywhere = [*kinks["width"], *variances["width"]] if column == "width" else rows[column]
        kinds[column] = shades(sorted({float(v) for v in everywhere}), name)
        for value, own in rows.groupby(column):
            points = over_data_sets(own, y, by=by, logarithmic=True)
            tint = kinds[column][float(str(value))]
            draw_averages(axes, points, by, tint, gid=f"{column}={value}")
        axes.set(xscale="log", yscale="log")
    _windows(change, kinks)
    _guide(wide, variances, "width", -1.0)
    _guide(many, variances, "P", 0.5)
    change.set(xlabel=ALPHA_TILDE, ylabel="$\\|\\Theta-\\Theta_0\\|/\\|\\Theta_0\\|$")
    wide.set(xlabel="width $h$", ylabel="Var $F$")
    many.set(xlabel="training points $P$", ylabel="Var $F$")
    panel_title(change, "A", "kernel change, ReLU")
    panel_title(wide, "B", "variance against $h$")
    panel_title(many, "C", "variance against $P$")
    add_legends(page, [
        ("Width $h$ (A, C)", [line(f"${h:g}$", color=c, marker="o", markersize=3.6)
                              for h, c in kinds["width"].items()]),
        ("$P$ (B)", [line(f"${P:g}$", color=c, marker="o", markersize=3.6)
                     for P, c in kinds["P"].items()]),
        ("Lines", [line("slopes of the thesis, not fitted", color=GUIDE, linestyle="--"),
                   marker("|", "95 % interval (Student $t$ over data sets)", markersize=8),
                   marker("o", "open: a network or more was capped", markersize=4)]),
    ])  # fmt: skip
    return figure


def _windows(axes: Axes, kinks: pd.DataFrame) -> None:
    """The slopes of the thesis in their three windows, above the points."""
    tildes = kinks["alpha_tilde"]
    ends = (
        (tildes.min(), FEATURE, feature_slope(5)),
        (*BETWEEN, -0.5),
        (SMOOTH, max(tildes.max(), SMOOTH), -1.0),
    )
    for low, high, slope in ends:
        rows = kinks[np.isclose(tildes, low, rtol=1e-6)]
        if rows.empty:
            continue
        level = 3 * float(np.exp(np.log(rows["kernel_change"]).mean()))
        axes.plot([low, high], [level, level * (high / low) ** slope], color=GUIDE,
                  linestyle="--", linewidth=0.9, gid=f"guide {slope:.3g}")  # fmt: skip
    decades(axes, "x", [float(tildes.min()), float(tildes.max())])
    decades(axes, "y", axes.get_ylim())


def _guide(axes: Axes, rows: pd.DataFrame, by: str, slope: float) -> None:
    """A slope of the thesis below the points; ticks at the values that there are."""
    values = sorted({float(v) for v in rows[by]})
    level = 0.6 * float(rows.loc[rows[by] == values[0], "variance"].min())
    ends = [values[0], values[-1]]
    axes.plot(ends, [level * (x / ends[0]) ** slope for x in ends], color=GUIDE, linestyle="--",
              linewidth=0.9, gid=f"guide {slope:g}")  # fmt: skip
    axes.set_xticks(values, labels=[f"{v:g}" for v in values])
    axes.set_xticks([], minor=True)
    low, high = axes.get_ylim()
    if high / low < 100:
        few_ticks(axes.yaxis, low, high)
