"""Test error against alpha and against sqrt(h) alpha, change of the weights (chapter 3a).

Letters of the thesis: h width, alpha scale of F, alpha_tilde = sqrt(h) alpha, w weights, w0 those
at the start.
"""

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
from srhm.figures.marks import GUIDE, Colour, few_ticks, line
from srhm.statistics.output_scale import (
    FEATURE,
    Family,
    averages,
    by_width,
    families,
    fitted_in,
    log_of,
    weight_change_fit,
    weight_slope,
)
from srhm.studies.lazy_feature.analysis import rescaled_errors

ROW = 2.1  # inches


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """For each family: error against alpha, rescaled error and weights against alpha_tilde.

    cells: rows of FLOW_CELLS of the study. The guide of the weights has the expected slope.
    """
    shown = families(cells, study="lazy_feature")
    figure, page, panels = rows_of_panels(shown, len(shown), 3, row=ROW, preset=preset)
    colours = width_colours(shown)
    letters = iter(LETTERS)
    for family, (plain, rescaled, weights) in zip(shown, panels, strict=True):
        for width, own in by_width(family.cells):
            points = averages(own, "test_error", by="alpha")
            draw_averages(plain, points, "alpha", colours[width], gid=f"h={width}")
            scaled = own.assign(change=width**0.5 * own["weight_change"])
            points = averages(scaled, "change", by="alpha_tilde", logarithmic=True)
            draw_averages(weights, points, "alpha_tilde", colours[width], gid=f"h={width}")
        _rescaled(rescaled, family, colours)
        _guide(weights, family)
        panel_title(plain, next(letters), title(family))
        panel_title(rescaled, next(letters), "each curve from 0 to 1")
        panel_title(weights, next(letters), "change of the weights")
        _finish(plain, rescaled, weights, family)
    guide = line("expected slope $-1/(L+1)$, not fitted", color=GUIDE, linestyle="--")
    groups = [("Width $h$", width_handles(colours)), ("Points", [*kind_handles(shown), guide])]
    add_legends(page, groups)
    return figure


def _rescaled(axes: Axes, family: Family, colours: dict[float, Colour]) -> None:
    for width, x, y in rescaled_errors(family.cells):
        axes.plot(10**x, y, "o-", color=colours[width], markersize=3.6, linewidth=1.0,
                  gid=f"h={width}")  # fmt: skip


def _guide(axes: Axes, family: Family) -> None:
    """A line of the expected slope below the points, and the fitted slope in words."""
    rows = fitted_in(family.cells, lazy=False)
    if rows.empty:
        return
    slope = weight_slope(family.hidden_layers)
    y = log_of(rows.assign(change=rows["width"] ** 0.5 * rows["weight_change"]), "change")
    ends = np.array([min(family.tildes), FEATURE])
    heights = 0.5 * np.exp(y.mean() + slope * (np.log(ends) - log_of(rows, "alpha_tilde").mean()))
    axes.plot(ends, heights, color=GUIDE, linewidth=0.9, linestyle="--", zorder=1,
              gid=f"guide {slope:.4f}")  # fmt: skip
    fit = weight_change_fit(family.cells)
    if fit.n:
        text = f"$\\tilde\\alpha\\leq{FEATURE:g}$:\n{interval_text(fit.slope, fit.low, fit.high)}"
        axes.text(0.98, 0.97, text, transform=axes.transAxes, ha="right", va="top", fontsize=7,
                  linespacing=1.3, gid="slope")  # fmt: skip


def _finish(plain: Axes, rescaled: Axes, weights: Axes, family: Family) -> None:
    alphas = family.cells["alpha"]
    ends = (min(family.tildes) / 1.8, max(family.tildes) * 1.8)
    plain.set(xscale="log", xlim=(alphas.min() / 1.8, alphas.max() * 1.8), xlabel="$\\alpha$",
              ylabel="test error $\\varepsilon$")  # fmt: skip
    decades(plain, "x", [float(alphas.min()), float(alphas.max())])
    rescaled.set(xscale="log", xlim=ends, xlabel=ALPHA_TILDE, ylabel="rescaled $\\varepsilon$")
    weights.set(xscale="log", yscale="log", xlim=ends, xlabel=ALPHA_TILDE,
                ylabel="$\\sqrt{h}\\,\\|w-w_0\\|/\\|w_0\\|$")  # fmt: skip
    for axes in (rescaled, weights):
        decades(axes, "x", family.tildes)
    low, high = weights.get_ylim()
    weights.set_ylim(low, high * 3)  # room for the fitted slope
    if high * 3 / low < 100:
        few_ticks(weights.yaxis, low, high * 3)
