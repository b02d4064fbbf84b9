"""Variance of F over initialisations against h, and h Var F against alpha_tilde (chapter 3a).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Var F the variance over members that
share their data, averaged over test points.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, panel_title, styled
from srhm.figures.families import (
    ABSENT,
    ALPHA_TILDE,
    LETTERS,
    decades,
    draw_averages,
    kind_handles,
    rows_of_panels,
    tilde_colours,
    tilde_handles,
    title,
    width_colours,
    width_handles,
)
from srhm.figures.marks import GUIDE, few_ticks, line
from srhm.statistics.output_scale import WIDE, Family, by_width, families

ROW = 2.2  # inches


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family Var F against h, a line for each alpha_tilde, and h Var F against it.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies; study: whose are drawn. Var
    F is the mean over seeds; its guide has the expected slope of -1.
    """
    shown = families(cells, ensembles, study=study)
    figure, page, panels = rows_of_panels(shown, len(shown), 2, row=ROW, preset=preset)
    of_tilde, of_width = tilde_colours(shown), width_colours(shown)
    letters = iter(LETTERS)
    for family, (against_h, scaled) in zip(shown, panels, strict=True):
        panel_title(against_h, next(letters), title(family))
        panel_title(scaled, next(letters), f"$h$ Var $F$; expected constant for $h\\geq{WIDE}$")
        rows = family.ensembles[family.ensembles["variance"] > 0]
        if rows.empty:
            for axes in (against_h, scaled):
                empty_panel(axes, f"ensembles: {ABSENT}")
            continue
        for tilde, own in rows.groupby("alpha_tilde"):
            at = float(str(tilde))
            draw_averages(against_h, _means(own, "width"), "width", of_tilde[at],
                          gid=f"tilde={at:g}")  # fmt: skip
        for width, own in by_width(rows):
            points = _means(own.assign(variance=width * own["variance"]), "alpha_tilde")
            draw_averages(scaled, points, "alpha_tilde", of_width[width], gid=f"h={width}")
        _guide(against_h, rows)
        _finish(against_h, scaled, family)
    guide = [line("expected slope $-1$, not fitted", color=GUIDE, linestyle="--")]
    kinds = [one for one in kind_handles(shown) if one.get_marker() != "|"]
    groups = [
        ("$\\tilde\\alpha$ (left)", tilde_handles(of_tilde)),
        ("Width $h$ (right)", width_handles(of_width)),
        ("Points", [*kinds, *guide]),
    ]
    add_legends(page, groups)
    return figure


def _means(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    found = rows.groupby(by).agg(
        value=("variance", "mean"), n_capped=("n_capped", "sum"), n_diverged=("n_diverged", "sum")
    )
    return found.reset_index().assign(low=np.nan, high=np.nan)


def _guide(axes: Axes, rows: pd.DataFrame) -> None:
    """A line of slope -1 below the points."""
    h = np.array([rows["width"].min(), rows["width"].max()], dtype=float)
    lowest = float((rows["width"] * rows["variance"]).min())
    axes.plot(h, 0.6 * lowest / h, color=GUIDE, linewidth=0.9, linestyle="--", zorder=1,
              gid="guide -1")  # fmt: skip


def _finish(against_h: Axes, scaled: Axes, family: Family) -> None:
    ends = (min(family.widths) / 1.2, max(family.widths) * 1.2)
    against_h.set(xscale="log", yscale="log", xlim=ends, xlabel="width $h$", ylabel="Var $F$")
    few_ticks(against_h.xaxis, *ends)
    tildes = (min(family.tildes) / 1.8, max(family.tildes) * 1.8)
    scaled.set(xscale="log", yscale="log", xlim=tildes, xlabel=ALPHA_TILDE, ylabel="$h$ Var $F$")
    decades(scaled, "x", family.tildes)
    for axes in (against_h, scaled):
        low, high = axes.get_ylim()
        if high / low < 100:
            few_ticks(axes.yaxis, low, high)
