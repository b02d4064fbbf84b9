"""Test error of single networks, and of their mean output, against alpha_tilde for several h.

Letters of the thesis (chapters 3a, 3b): h width, alpha_tilde = sqrt(h) alpha, F = alpha (f - f_0).
Small alpha_tilde is feature learning, large alpha_tilde is lazy learning.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from srhm.figures.drawing import add_legends, panel_title, styled
from srhm.figures.families import (
    ALPHA_TILDE,
    LETTERS,
    decades,
    draw_averages,
    kind_handles,
    rows_of_panels,
    title,
    width_colours,
    width_handles,
)
from srhm.statistics.output_scale import Family, averages, by_width, families

ROW = 2.2  # inches


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family a panel of single networks and one of their mean output.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies; study: whose are drawn. The
    ensemble's error is the mean over seeds of that of the mean output of a seed's members.
    """
    shown = families(cells, ensembles, study=study)
    figure, page, panels = rows_of_panels(shown, len(shown), 2, row=ROW, preset=preset)
    colours = width_colours(shown)
    letters = iter(LETTERS)
    for family, (single, together) in zip(shown, panels, strict=True):
        for width, cells in by_width(family.cells):
            points = averages(cells, "test_error", by="alpha_tilde")
            draw_averages(single, points, "alpha_tilde", colours[width], gid=f"h={width}")
        for width, ensembles in by_width(family.ensembles):
            points = _of_ensembles(ensembles)
            draw_averages(together, points, "alpha_tilde", colours[width], gid=f"h={width}")
        panel_title(single, next(letters), f"{title(family)}: single networks")
        panel_title(together, next(letters), _ensemble_title(family))
        _finish(single, together, family)
    groups = [("Width $h$", width_handles(colours)), ("Points", kind_handles(shown))]
    add_legends(page, groups)
    return figure


def _of_ensembles(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds of the ensemble's error, without a bar: seeds are few."""
    found = rows.groupby("alpha_tilde").agg(
        value=("ensemble_error", "mean"),
        n=("seed", "size"),
        n_capped=("n_capped", "sum"),
        n_diverged=("n_diverged", "sum"),
    )
    return found.reset_index().assign(low=np.nan, high=np.nan)


def _ensemble_title(family: Family) -> str:
    if family.ensembles.empty:
        return "mean output: no ensemble in this preset"
    sizes = family.ensembles["n_members"]
    least, most = int(sizes.min()), int(sizes.max())
    return f"mean output of {least if least == most else f'{least}–{most}'} networks"


def _finish(single: Axes, together: Axes, family: Family) -> None:
    """One range of errors for both panels."""
    low = min(single.get_ylim()[0], together.get_ylim()[0] if family.ensembles.size else np.inf)
    high = max(single.get_ylim()[1], together.get_ylim()[1] if family.ensembles.size else -np.inf)
    ends = (min(family.tildes) / 1.8, max(family.tildes) * 1.8)
    for axes in (single, together):
        axes.set(xscale="log", xlim=ends, ylim=(max(low, 0.0), high), xlabel=ALPHA_TILDE)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="", decimals=0))
        decades(axes, "x", family.tildes)
    single.set_ylabel("test error $\\varepsilon$ (%)")
    together.set_ylabel("test error of the mean $F$ (%)")
