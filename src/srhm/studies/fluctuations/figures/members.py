"""Ensembles of n networks, and f along its gradient (thesis, chapter 2b, figures 4, 9 and 10)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line
from srhm.studies.fluctuations.analysis import ensembles_of, quartiles

MEAN, SEED = "#0072B2", "#56B4E9"
# x, y and exponent of each panel of ensembles.
PANELS = (("n", "excess", -1), ("n", "delta", -0.5), ("delta", "excess", 2), ("estimate", "delta", 1))  # fmt: skip  # noqa: E501
NAMES = {
    "n": "networks $n$",
    "excess": r"$\varepsilon^n-\bar{\varepsilon}$",
    "delta": r"distance $\delta$",
    "estimate": r"$\|f^n-\bar{f}\|/\|\nabla f^n\|$",
}


@styled
def draw(
    resampled: pd.DataFrame, crossings: pd.DataFrame, courses: pd.DataFrame, *, preset: str
) -> Figure:
    """A-D: excess error and distance of ensembles of n; E, F: f along its gradient."""
    foot = [
        f"A-D: h = {resampled['width'].max()}, P = {resampled['P'].max()}, ensembles drawn with"
        f" replacement out of {resampled['n_members'].max()} networks;"
        f" {resampled['seed'].nunique()} seeds"
    ] if len(resampled) else []  # fmt: skip
    figure, page = laid_out_page(4.4, preset=preset, foot=foot)
    boxes = page.subplots(2, 3).ravel()
    for axes, letter, (x, y, power) in zip(boxes, "ABCD", PANELS, strict=False):
        panel_title(axes, letter, f"{NAMES[y]}: exponent ${power:g}$")
        axes.set(xlabel=NAMES[x], ylabel=NAMES[y])
        _ensembles(axes, resampled, x, y, power)
    widths = sorted(set(courses["width"])) if len(courses) else []
    for axes, letter, at in zip(boxes[4:], "EF", (len(widths) // 3, -1), strict=True):
        _lines(axes, letter, courses, crossings, widths[at] if widths else None)
    add_legends(page, [
        ("A-D", [line("mean over seeds", color=MEAN, marker="o", markersize=3),
                 line("a seed", color=SEED, linewidth=0.7),
                 line("exponent of the thesis", color=GUIDE, linestyle="--")]),
        ("E, F", [line("a test point", color="0.6", linewidth=0.6),
                  line("linear estimate", color=GUIDE, linestyle="--"),
                  line("quartiles of the crossing", color="#D55E00", linewidth=1.4)]),
    ])  # fmt: skip
    return figure


def _ensembles(axes: Axes, rows: pd.DataFrame, x: str, y: str, power: float) -> None:
    if rows.empty:
        empty_panel(axes, "not in this preset")
        return
    for seed, own in rows.groupby("seed"):
        one = ensembles_of(own)
        one = one[one[y] > 0]
        axes.plot(one[x], one[y], color=SEED, linewidth=0.7, gid=f"seed {seed}")
    means = ensembles_of(rows)
    means = means[means[y] > 0]
    axes.plot(means[x], means[y], "o-", color=MEAN, markersize=3, linewidth=1.0, gid=f"{y} {x}")
    if len(means):
        guide = means[y].iloc[0] * (means[x] / means[x].iloc[0]) ** power
        axes.plot(means[x], guide, "--", color=GUIDE, linewidth=0.9, gid="guide")
    axes.set(xscale="log", yscale="log")
    for axis in () if x == "n" else (axes.xaxis, axes.yaxis):
        few_ticks(axis, *axis.get_view_interval())


def _lines(
    axes: Axes, letter: str, courses: pd.DataFrame, crossings: pd.DataFrame, width: int | None
) -> None:
    panel_title(axes, letter, f"along $\\nabla f$, $h={width}$")
    axes.set(xlabel=r"distance / linear estimate", ylabel="$f$ / $f$ at the point")
    if width is None:
        empty_panel(axes, "not in this preset")
        return
    for number, own in courses[courses["width"] == width].groupby("line"):
        axes.plot(own["step"], own["value"], color="0.6", linewidth=0.6, gid=f"line {number}")
    axes.plot([0, 2], [1, -1], "--", color=GUIDE, linewidth=0.9, gid="linear")
    axes.axhline(0, color="0.8", linewidth=0.6, zorder=1)
    found = quartiles(crossings[crossings["width"] == width])[["low", "middle", "high"]]
    for name, value in found.replace(np.inf, np.nan).mean().items():
        axes.plot([value] * 2, [-0.3, 0.3], color="#D55E00", linewidth=1.4, gid=f"tick {name}")
    axes.set(xlim=(0, 3), ylim=(-2, 1.5))
