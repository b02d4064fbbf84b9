"""Test error against alpha and against sqrt(h) alpha, change of the weights (chapter 3a).

Letters of the thesis: h width, alpha scale of F, alpha_tilde = sqrt(h) alpha, w weights, w0 those
at the start.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import averaged, with_diverged
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, interval_text, protocol, title, widths_of
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, power_law
from srhm.figures.scales import Scale
from srhm.statistics.output_scale import (
    FEATURE,
    Family,
    families,
    fitted_in,
    log_of,
    weight_change_fit,
    weight_slope,
)
from srhm.studies.lazy_feature.analysis import rescaled_errors

TILDE = Axis(ALPHA_TILDE, log=True)


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """For each family: error against alpha, rescaled error and weights against alpha_tilde.

    cells: rows of FLOW_CELLS of the study. The guide of the weights has the expected slope.
    """
    shown = families(cells, study="lazy_feature")
    widths = widths_of(shown)
    return mosaic(
        [panel for one in shown for panel in _of_family(one, widths)], columns=3, preset=preset,
        notes=[f"{protocol(one)}." for one in shown],
    )  # fmt: skip


def _of_family(family: Family, widths: Scale) -> list[Panel]:
    cells = family.cells
    cells = cells.assign(change=cells["width"] ** 0.5 * cells["weight_change"])
    rescaled = [pd.DataFrame({"alpha_tilde": 10**x, "error": y, "width": width})
                for width, x, y in rescaled_errors(cells)]  # fmt: skip
    errors = averaged(cells, "test_error", at="alpha", by=["width"])
    change = averaged(cells, "change", at="alpha_tilde", by=["width"], logarithmic=True)
    fit, highest = weight_change_fit(cells), float(change["value"].max())
    words = f"$\\tilde\\alpha\\leq{FEATURE:g}$:\n{interval_text(fit.slope, fit.low, fit.high)}"
    return [
        Panel(title=title(family), x=Axis("$\\alpha$", log=True),
              y=Axis("test error $\\varepsilon$"),
              marks=with_diverged(errors, "alpha", [widths], name="error")),
        Panel(title="each curve from 0 to 1", x=TILDE, y=Axis("rescaled $\\varepsilon$"), marks=[
            Marks(rows=pd.concat(rescaled), x="alpha_tilde", y="error", by=[widths], line="-",
                  name="rescaled", size=3.6),
        ] if rescaled else []),
        Panel(title="change of the weights", x=TILDE, note=words if fit.n else "",
              y=Axis("$\\sqrt{h}\\,\\|w-w_0\\|/\\|w_0\\|$", log=True, limits=(None, 4 * highest)),
              marks=[*with_diverged(change, "alpha_tilde", [widths], name="change"),
                     *_guide(family, cells)]),
    ]  # fmt: skip


def _guide(family: Family, cells: pd.DataFrame) -> list[Marks]:
    """A line of the expected slope below the points."""
    rows = fitted_in(cells, lazy=False)
    if rows.empty:
        return []
    x, y = (float(np.exp(log_of(rows, name).mean())) for name in ("alpha_tilde", "change"))
    slope = weight_slope(family.hidden_layers)
    return [power_law([min(family.tildes), FEATURE], slope, through=(x, 0.5 * y),
                      label="expected slope $-1/(L+1)$, not fitted",
                      name=f"guide {slope:.4f}")]  # fmt: skip
