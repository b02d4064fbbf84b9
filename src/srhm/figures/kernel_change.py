"""Change of the tangent kernel, and half time of the loss, against alpha_tilde (chapter 3a).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, L hidden layers, Theta tangent kernel
of f on test points, t_1/2 time of gradient flow at which the loss has halved.
"""

from math import exp

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, panel_title, styled
from srhm.figures.families import (
    ALPHA_TILDE,
    LETTERS,
    decades,
    draw_averages,
    interval_text,
    kind_handles,
    rows_of_panels,
    title,
    width_colours,
    width_handles,
)
from srhm.figures.marks import GUIDE, few_ticks, line, power
from srhm.statistics.output_scale import (
    FEATURE,
    LAZY,
    SHORT,
    Family,
    averages,
    by_width,
    families,
    feature_slope,
    fitted_in,
    kernel_change_fit,
    level_set,
    log_of,
    wholly_fitted,
    width_fit,
)

ROW = 2.2  # inches
CHANGE = "$\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|$"


@styled
def draw(cells: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family: kernel change and half time against alpha_tilde, kernel change against h.

    cells: rows of FLOW_CELLS, of any studies; study: whose are drawn. The guides have the expected
    slopes and pass through the middle of the fitted points of their regime.
    """
    shown = families(cells, study=study)
    figure, page, panels = rows_of_panels(shown, len(shown), 3, row=ROW, preset=preset)
    colours = width_colours(shown)
    letters = iter(LETTERS)
    for family, (change, half, narrow) in zip(shown, panels, strict=True):
        for width, own in by_width(family.cells):
            for axes, column in ((change, "kernel_change"), (half, "scaled")):
                rows = own.assign(scaled=own["half_time"] / own["alpha_tilde"])
                points = averages(rows, column, by="alpha_tilde", logarithmic=True)
                draw_averages(axes, points, "alpha_tilde", colours[width], gid=f"h={width}")
        _guides(change, family)
        _crossover(change, family)
        half.axvspan(min(family.tildes) / 3, SHORT * 1.3, color="0.93", zorder=0, gid="window")
        _against_width(narrow, family)
        panel_title(change, next(letters), title(family))
        panel_title(half, next(letters), "half time of the loss")
        panel_title(narrow, next(letters), f"at $\\tilde\\alpha = {power(max(family.tildes))}$")
        _finish(change, half, family)
    guides = [
        line("expected slope (labels), not fitted", color=GUIDE, linestyle="--"),
        line("$t_{1/2}/\\tilde\\alpha$ expected constant", color="0.9", linewidth=6),
        line("change of 1: the crossover", color=GUIDE, linestyle=":"),
    ]
    groups = [
        ("Width $h$", width_handles(colours)),
        ("Points and lines", [*kind_handles(shown), *guides]),
    ]
    add_legends(page, groups)
    return figure


def _guides(axes: Axes, family: Family) -> None:
    """Lines of the expected slopes, and the fitted slopes in words."""
    expected = {True: -1.0, False: feature_slope(family.hidden_layers)}
    words = {True: "-1", False: "-2/(1+1/L)"}
    texts = []
    for lazy, slope in expected.items():
        rows = fitted_in(family.cells, lazy=lazy)
        rows = rows[rows["kernel_change"] > 0]
        if rows.empty:
            continue
        x, y = log_of(rows, "alpha_tilde"), log_of(rows, "kernel_change")
        ends = np.array([LAZY, max(family.tildes)] if lazy else [min(family.tildes), FEATURE])
        level = exp(y.mean()) * (5.0 if lazy else 1 / 3.0)  # beside the points
        heights = level * np.exp(slope * (np.log(ends) - x.mean()))
        axes.plot(ends, heights, color=GUIDE, linewidth=0.9, linestyle="--", zorder=1,
                  gid=f"guide {slope:.4f}")  # fmt: skip
        axes.annotate(f"${words[lazy]}$", (ends[1], heights[1]), textcoords="offset points",
                      fontsize=7, color=GUIDE, xytext=(0, 2) if lazy else (-4, 0), ha="right",
                      va="bottom" if lazy else "top")  # fmt: skip
        fit = kernel_change_fit(family.cells, lazy=lazy)
        if fit.n:
            name = "lazy, " if lazy else "feature, "
            where = (
                f"${{\\tilde\\alpha}}\\geq{LAZY:g}$"
                if lazy
                else f"$\\tilde\\alpha\\leq{FEATURE:g}$"
            )
            texts.append(f"{name}{where}:\n{interval_text(fit.slope, fit.low, fit.high)}")
    if texts:
        axes.text(0.98, 0.97, "\n".join(texts), transform=axes.transAxes,
                  ha="right", va="top", fontsize=7, linespacing=1.3, gid="slopes")  # fmt: skip


def _crossover(axes: Axes, family: Family) -> None:
    """The level of 1, and where the widths that fit there cross it, on geometric average."""
    axes.axhline(1.0, color=GUIDE, linewidth=0.8, linestyle=":", zorder=1, gid="change of 1")
    found = level_set(wholly_fitted(family.cells), 1.0)
    if len(found):
        at = float(np.exp(log_of(found, "alpha_tilde").mean()))
        axes.plot([at], [1.0], "D", markersize=4, markerfacecolor="white", markeredgecolor="black",
                  zorder=4, gid="crossover")  # fmt: skip
        axes.annotate(f"$\\tilde\\alpha = {at:.3g}$", (at, 1.0), textcoords="offset points",
                      xytext=(-5, -3), fontsize=7, ha="right", va="top")  # fmt: skip


def _against_width(axes: Axes, family: Family) -> None:
    """Kernel change against h at the largest alpha_tilde: is it a function of alpha_tilde alone?"""
    tilde = max(family.tildes)
    part = family.cells[np.isclose(family.cells["alpha_tilde"], tilde, rtol=1e-6)]
    points = averages(part, "kernel_change", by="width", logarithmic=True)
    draw_averages(axes, points, "width", (0.2, 0.2, 0.2), gid="h-slope")
    ends = (min(family.widths) / 1.3, max(family.widths) * 1.3)
    axes.set(xscale="log", yscale="log", xlim=ends, xlabel="width $h$", ylabel=CHANGE)
    low, high = axes.get_ylim()
    axes.set_ylim(low / 1.3, high * 2.2)
    fit = width_fit(family.cells, tilde)
    text = "fitted slope: not enough widths"
    if fit.n:
        text = f"fitted slope\n{interval_text(fit.slope, fit.low, fit.high)}"
        own = points[points["value"] > 0]
        x = np.array([own["width"].min(), own["width"].max()], dtype=float)
        middle = float(np.exp(np.log(own["width"].to_numpy(dtype=float)).mean()))
        level = 1.6 * float(np.exp(np.log(own["value"].to_numpy(dtype=float)).mean()))
        for slope, word in ((0.0, "0"), (-0.5, "-1/2")):
            y = level * (x / middle) ** slope
            axes.plot(x, y, color=GUIDE, linewidth=0.9, linestyle="--", zorder=1,
                      gid=f"guide {slope:g}")  # fmt: skip
            # At the upper end of either line, where neither crosses its label.
            end, side = (-1, "right") if slope == 0 else (0, "left")
            axes.annotate(f"${word}$", (x[end], y[end]), textcoords="offset points", xytext=(0, 2),
                          fontsize=7, color=GUIDE, ha=side, va="bottom")  # fmt: skip
    axes.text(0.98, 0.97, text, transform=axes.transAxes, ha="right", va="top", fontsize=7,
              linespacing=1.3, gid="slopes")  # fmt: skip
    few_ticks(axes.xaxis, *ends)
    if axes.get_ylim()[1] / axes.get_ylim()[0] < 100:
        few_ticks(axes.yaxis, *axes.get_ylim())


def _finish(change: Axes, half: Axes, family: Family) -> None:
    ends = (min(family.tildes) / 1.8, max(family.tildes) * 1.8)
    for axes in (change, half):
        axes.set(xscale="log", yscale="log", xlim=ends, xlabel=ALPHA_TILDE)
        decades(axes, "x", family.tildes)
    low, high = change.get_ylim()
    change.set_ylim(low, high * 30)  # room for the fitted slopes
    decades(change, "y", change.get_ylim())
    change.set_ylabel(CHANGE)
    half.set_ylabel("$t_{1/2}/\\tilde\\alpha$")
    low, high = half.get_ylim()
    if high / low < 100:
        few_ticks(half.yaxis, low, high)
