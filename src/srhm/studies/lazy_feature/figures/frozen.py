"""Test error of networks beside learning with a frozen kernel (chapter 3a, Fig. 3 b and 8 d).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta_0 the tangent kernel at the
start.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from srhm.figures.averaging import averaged, means
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, protocol, tildes_of, title, widths_of
from srhm.figures.legends import Entry
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, level
from srhm.figures.scales import Scale
from srhm.statistics.output_scale import Family, families
from srhm.studies.lazy_feature.analysis import with_kernels

CAPPED = "one was capped"
INITIALISATION = ["width", "seed", "member"]


@styled
def draw(cells: pd.DataFrame, frozen_kernels: pd.DataFrame, *, preset: str) -> Figure:
    """For each family: error against h beside the kernel at the start; the kernel at the end."""
    own = cells[cells["curve"].isin(frozen_kernels["curve"])] if len(cells) else cells
    shown = families(own, study="lazy_feature") if len(own) else []
    tildes, widths = tildes_of(shown), widths_of(shown)
    return mosaic(
        [panel for one in shown for panel in _of_family(one, frozen_kernels, tildes, widths)],
        columns=2, preset=preset, notes=[f"{protocol(one)}." for one in shown],
    )  # fmt: skip


def _of_family(family: Family, kernels: pd.DataFrame, tildes: Scale, widths: Scale) -> list[Panel]:
    rows = with_kernels(family.cells, kernels)
    start, end = (rows[rows["kernel"] == when] for when in ("initial", "end"))
    # One kernel at the start is that of all alpha_tilde.
    alone = start.drop_duplicates(INITIALISATION).assign(status=start["status_kernel"])
    capped = (end[["status", "status_kernel"]] == "capped").any(axis=1)
    end = end.assign(status=end["status"].mask(capped, "capped"))
    networks = averaged(family.cells, "test_error", at="width", by=["alpha_tilde"])
    differences = averaged(end, "difference", at="alpha_tilde", by=["width"])
    return [
        Panel(title=title(family), x=Axis("width $h$", log=True, ticks=family.widths),
              y=Axis("test error $\\varepsilon$ (%)"), extra=_percent, marks=[
            means(networks, "width", [tildes], name="network", label="network",
                  open_label=CAPPED),
            means(averaged(alone, "test_error_kernel", at="width"), "width", name="start",
                  label="kernel at the start, frozen", colour="black", line="--",
                  open_label=CAPPED),
        ]),
        Panel(title="kernel at the end, frozen, minus network", x=Axis(ALPHA_TILDE, log=True),
              y=Axis("difference of $\\varepsilon$ (points)"), extra=_percent, marks=[
            means(differences, "alpha_tilde", [widths], name="difference", open_label=CAPPED),
            level(0.0, "no difference", name="none"),
        ]),
    ]  # fmt: skip


def _percent(axes: Axes) -> list[Entry]:
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    return []
