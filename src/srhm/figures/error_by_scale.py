"""Test error of single networks, and of their mean output, against alpha_tilde for several h.

Letters of the thesis (chapters 3a, 3b): h width, alpha_tilde = sqrt(h) alpha, F = alpha (f - f_0).
Small alpha_tilde is feature learning, large alpha_tilde is lazy learning.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from srhm.figures.averaging import averaged, with_diverged
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, protocol, title, widths_of
from srhm.figures.legends import Entry
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel
from srhm.figures.scales import Scale
from srhm.statistics.output_scale import Family, families

TILDE = Axis(ALPHA_TILDE, log=True)


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family a panel of single networks and one of their mean output.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies; study: whose are drawn. The
    ensemble's error is the mean over seeds of that of the mean output of a seed's members.
    """
    shown = families(cells, ensembles, study=study)
    widths = widths_of(shown)
    return mosaic(
        [panel for one in shown for panel in _of_family(one, widths)], columns=2, preset=preset,
        notes=[f"{protocol(one)}." for one in shown],
    )  # fmt: skip


def _of_family(family: Family, widths: Scale) -> list[Panel]:
    """Errors of networks and of their mean output, on one range."""
    single = averaged(family.cells, "test_error", at="alpha_tilde", by=["width"])
    together = _of_ensembles(family.ensembles)
    values = pd.concat([single["value"], single["low"], single["high"], together["value"]])
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 0.01
    error = Axis("test error $\\varepsilon$ (%)",
                 limits=(max(low - room, 0.0), high + room))  # fmt: skip
    sizes = family.ensembles["n_members"]
    many = "" if sizes.empty else f"{sizes.min()}–{sizes.max()}"
    many = many if sizes.nunique() > 1 else many.partition("–")[0]
    return [
        Panel(title=text, x=TILDE, y=error, extra=_percent,
              marks=with_diverged(rows, "alpha_tilde", [widths], name="error"))
        for text, rows in ((f"{title(family)}: single networks", single),
                           (f"mean output of {many} networks", together))
    ]  # fmt: skip


def _of_ensembles(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds of the ensemble's error, without a bar: seeds are few."""
    found = rows.groupby(["width", "alpha_tilde"]).agg(
        value=("ensemble_error", "mean"), n_capped=("n_capped", "sum"),
        n_diverged=("n_diverged", "sum"),
    )  # fmt: skip
    return found.reset_index().assign(low=np.nan, high=np.nan)


def _percent(axes: Axes) -> list[Entry]:
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="", decimals=0))
    return []
