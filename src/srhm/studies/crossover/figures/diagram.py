"""The (h, alpha_tilde) diagram: error, jamming line, level sets of the kernel change (chapter 3b).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta tangent kernel, h* the width
below which most networks are jammed when their budget ends.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, edges, levels_of, protocol, title
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK, GREY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import by_name
from srhm.statistics.output_scale import LEVELS, Family, families, jamming_line, level_set

SHARES = {"some": Look("some networks did not fit", GREY, filled=True),
          "none": Look("no network fitted", BLACK, filled=True)}  # fmt: skip


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """For each family the plane with the error of single networks, and with that of their mean.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies. A field is a pair of the
    grid; it reaches half-way, in logarithms, to its neighbours.
    """
    shown = families(cells, ensembles, study="crossover")
    scale = _scale(shown)
    panels = []
    for one in shown:
        means = [
            table.groupby(["alpha_tilde", "width"])[column].mean()
            for table, column in ((one.cells, "test_error"), (one.ensembles, "ensemble_error"))
        ]
        names = (f"{title(one)}: single networks", "mean output of the networks")
        panels += [_plane(name, one, errors, scale)
                   for name, errors in zip(names, means, strict=True)]  # fmt: skip
    notes = [f"{protocol(one)}." for one in shown]
    return mosaic(panels, columns=2, preset=preset, notes=notes)


def _scale(shown: Sequence[Family]) -> Normalize:
    """One range of errors for all panels."""
    parts = [one.cells.groupby(["alpha_tilde", "width"])["test_error"].mean() for one in shown]
    parts += [one.ensembles["ensemble_error"] for one in shown if len(one.ensembles)]
    errors = pd.concat(parts).dropna() if parts else pd.Series(dtype=float)
    if errors.empty:
        return Normalize(0, 0.5)
    return Normalize(float(errors.min()), max(float(errors.max()), float(errors.min()) + 0.01))


def _plane(name: str, family: Family, errors: pd.Series, scale: Normalize) -> Panel:
    """A map of errors, which networks fit, h* with the widths it lies between, levels."""
    if errors.empty:
        return Panel(title=name)
    cells, (h, tildes) = family.cells, _ends(family)
    fitted = (cells["status"] == "fitted").groupby([cells["width"], cells["alpha_tilde"]]).mean()
    share = fitted.rename("part").reset_index().query("part < 1")
    share = share.assign(share=np.where(share["part"] > 0, "some", "none"))
    levels = pd.concat([level_set(cells, one).assign(level=one) for one in LEVELS])
    ticks = (
        {float(width): f"${width}$" for width in family.widths} if len(family.widths) <= 9 else None
    )
    return Panel(
        title=name, x=Axis("width $h$", log=True, limits=(h[0], h[-1]), ticks=ticks),
        y=Axis(ALPHA_TILDE, log=True, limits=(tildes[0], tildes[-1])), has_extra=True,
        extra=partial(_map, family=family, errors=errors, scale=scale), marks=[
            Marks(rows=share, x="width", y="alpha_tilde", name="fits", size=3, order=4.0,
                  by=[by_name("share", share["share"], SHARES)]),
            Marks(rows=jamming_line(cells), x="h_star", y="alpha_tilde", x_low="h_low",
                  x_high="h_high", name="jamming line", colour=VERMILION, marker="", line="-",
                  width=1.6, order=3.0, sort=False,
                  label="$h^*$: most are jammed below; bar: grid of $h$"),
            Marks(rows=levels, x="width", y="alpha_tilde", name="level", colour=BLACK, marker="",
                  line="-", order=3.0,
                  by=[levels_of("$\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|$")]),
        ],
    )  # fmt: skip


def _ends(family: Family) -> tuple[list[float], list[float]]:
    """Edges of the fields in both directions."""
    return edges([float(h) for h in family.widths]).tolist(), edges(family.tildes).tolist()


def _map(axes: Axes, family: Family, errors: pd.Series, scale: Normalize) -> list[Entry]:
    table = errors.unstack("width").reindex(index=family.tildes, columns=family.widths)
    mesh = axes.pcolormesh(
        *_ends(family), np.ma.masked_invalid(table.to_numpy(dtype=float)), cmap="YlGnBu",
        norm=scale, linewidth=0, rasterized=True, gid="error",
    )  # fmt: skip
    bar = axes.figure.colorbar(mesh, ax=axes, pad=0.02, label="test error $\\varepsilon$ (%)")
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="", decimals=0))
    return []
