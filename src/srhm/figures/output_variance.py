"""Variance of F over initialisations against h, and h Var F against alpha_tilde (chapter 3a).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Var F the variance over members that
share their data, averaged over test points.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import with_diverged
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, protocol, tildes_of, title, widths_of
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, power_law
from srhm.figures.scales import Scale
from srhm.statistics.output_scale import WIDE, Family, families

WIDTH, TILDE = Axis("width $h$", log=True), Axis(ALPHA_TILDE, log=True)


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family Var F against h, a line for each alpha_tilde, and h Var F against it.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies; study: whose are drawn. Var
    F is the mean over seeds; its guide has the expected slope of -1.
    """
    shown = families(cells, ensembles, study=study)
    tildes, widths = tildes_of(shown), widths_of(shown)
    return mosaic(
        [panel for one in shown for panel in _of_family(one, tildes, widths)], columns=2,
        preset=preset, notes=[f"{protocol(one)}." for one in shown],
    )  # fmt: skip


def _of_family(family: Family, tildes: Scale, widths: Scale) -> list[Panel]:
    """Var F with a guide of slope -1 below the points, and h Var F."""
    rows = family.ensembles[family.ensembles["variance"] > 0]
    found = rows.groupby(["width", "alpha_tilde"]).agg(
        value=("variance", "mean"), n_capped=("n_capped", "sum"), n_diverged=("n_diverged", "sum")
    )
    found = found.reset_index().assign(low=np.nan, high=np.nan)
    scaled = found.assign(value=found["width"] * found["value"])
    names = [title(family), f"$h$ Var $F$; expected constant for $h\\geq{WIDE}$"]
    if rows.empty:
        return [Panel(title=name) for name in names]
    first = rows["width"].min()
    lowest = 0.6 * float((rows["width"] * rows["variance"]).min()) / first
    guide = power_law(rows["width"].tolist(), -1, through=(first, lowest), name="guide -1",
                      label="expected slope $-1$, not fitted")  # fmt: skip
    return [
        Panel(title=names[0], x=WIDTH, y=Axis("Var $F$", log=True),
              marks=[*with_diverged(found, "width", [tildes], name="variance"), guide]),
        Panel(title=names[1], x=TILDE, y=Axis("$h$ Var $F$", log=True),
              marks=with_diverged(scaled, "alpha_tilde", [widths], name="scaled")),
    ]  # fmt: skip
