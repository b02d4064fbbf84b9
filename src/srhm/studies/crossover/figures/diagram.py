"""The (h, alpha_tilde) diagram: error, jamming line, level sets of the kernel change (chapter 3b).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta tangent kernel, h* the width
below which most networks are jammed when their budget ends.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.ticker import PercentFormatter

from srhm.figures.drawing import add_legends, empty_panel, panel_title, styled
from srhm.figures.families import (
    ABSENT,
    ALPHA_TILDE,
    LETTERS,
    decades,
    edges,
    rows_of_panels,
    title,
)
from srhm.figures.marks import few_ticks, line, marker
from srhm.statistics.output_scale import LEVELS, Family, families, jamming_line, level_set

ROW = 2.2  # inches
PALETTE = "YlGnBu"
JAMMING = "#D55E00"
STYLES = ("--", "-", ":")


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """For each family the plane with the error of single networks, and with that of their mean.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies. A field is a pair of the
    grid; it reaches half-way, in logarithms, to its neighbours.
    """
    shown = families(cells, ensembles, study="crossover")
    figure, page, panels = rows_of_panels(shown, len(shown), 2, row=ROW, preset=preset)
    letters = iter(LETTERS)
    scale = _scale(shown)
    mesh = None
    for family, (single, together) in zip(shown, panels, strict=True):
        means = family.cells.groupby(["alpha_tilde", "width"])["test_error"].mean()
        mesh = _map(single, means, family, scale)
        panel_title(single, next(letters), f"{title(family)}: single networks")
        panel_title(together, next(letters), "mean output of the networks")
        if family.ensembles.empty:
            empty_panel(together, f"ensembles: {ABSENT}")
        else:
            of = family.ensembles.groupby(["alpha_tilde", "width"])["ensemble_error"].mean()
            _map(together, of, family, scale)
        for axes in (single, together) if len(family.ensembles) else (single,):
            _statuses(axes, family.cells)
            _lines(axes, family)
            _finish(axes, family)
    if mesh is not None:
        bar = page.colorbar(mesh, ax=[axes for row in panels for axes in row], shrink=0.8,
                            label="test error $\\varepsilon$ (%)")  # fmt: skip
        bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="", decimals=0))
        add_legends(page, [("", _line_handles()), ("", _point_handles())])
    return figure


def _scale(shown: Sequence[Family]) -> Normalize:
    """One range of errors for all panels."""
    parts = [one.cells.groupby(["alpha_tilde", "width"])["test_error"].mean() for one in shown]
    parts += [one.ensembles["ensemble_error"] for one in shown if len(one.ensembles)]
    errors = pd.concat(parts).dropna() if parts else pd.Series(dtype=float)
    if errors.empty:
        return Normalize(0, 0.5)
    return Normalize(float(errors.min()), max(float(errors.max()), float(errors.min()) + 0.01))


def _map(axes: Axes, errors: pd.Series, family: Family, scale: Normalize) -> QuadMesh:
    table = errors.unstack("width").reindex(index=family.tildes, columns=family.widths)
    return axes.pcolormesh(
        edges([float(h) for h in family.widths]), edges(family.tildes),
        np.ma.masked_invalid(table.to_numpy(dtype=float)), cmap=PALETTE, norm=scale,
        linewidth=0, rasterized=True, gid="error",
    )  # fmt: skip


def _statuses(axes: Axes, cells: pd.DataFrame) -> None:
    """Where none, and where not all, of the members fitted."""
    share = (cells["status"] == "fitted").groupby([cells["width"], cells["alpha_tilde"]]).mean()
    for name, some in (("some fitted", (share > 0) & (share < 1)), ("none fitted", share == 0)):
        at = share.index[some].to_frame()
        if len(at):
            axes.plot(at["width"], at["alpha_tilde"], "o", linestyle="", markersize=3,
                      markerfacecolor="white" if name == "some fitted" else "black",
                      markeredgecolor="black", markeredgewidth=0.6, zorder=4, gid=name)  # fmt: skip


def _lines(axes: Axes, family: Family) -> None:
    halo: list[AbstractPathEffect] = [withStroke(linewidth=2.2, foreground="white")]
    found = jamming_line(family.cells)
    if len(found):
        axes.hlines(found["alpha_tilde"], found["h_low"], found["h_high"], color=JAMMING,
                    linewidth=0.7, zorder=3, gid="between widths")  # fmt: skip
        axes.plot(found["h_star"], found["alpha_tilde"], color=JAMMING, linewidth=1.6, zorder=3,
                  gid="jamming line")  # fmt: skip
    for level, style in zip(LEVELS, STYLES, strict=True):
        at = level_set(family.cells, level)
        if len(at):
            axes.plot(at["width"], at["alpha_tilde"], color="black", linestyle=style, linewidth=1.0,
                      zorder=3, gid=f"level {level:g}")  # fmt: skip
            last = at.iloc[-1]
            text = axes.annotate(f"${level:g}$", (last["width"], last["alpha_tilde"]), fontsize=7,
                                 textcoords="offset points", xytext=(2, 2), zorder=5)  # fmt: skip
            text.set_path_effects(halo)


def _finish(axes: Axes, family: Family) -> None:
    h, tildes = edges([float(h) for h in family.widths]), edges(family.tildes)
    axes.set(xscale="log", yscale="log", xlim=(h[0], h[-1]), ylim=(tildes[0], tildes[-1]),
             xlabel="width $h$", ylabel=ALPHA_TILDE)  # fmt: skip
    few_ticks(axes.xaxis, float(h[0]), float(h[-1]))
    if len(family.widths) <= 9:
        axes.xaxis.set_ticks(family.widths, labels=[f"${width}$" for width in family.widths])
        axes.xaxis.set_ticks([], minor=True)
    decades(axes, "y", family.tildes)


def _line_handles() -> list[Line2D]:
    levels = ", ".join(f"{level:g}" for level in LEVELS)
    return [
        line("$h^*$: most are jammed below; bar: grid of $h$", color=JAMMING, linewidth=1.6),
        line(f"$\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|$ = {levels}", color="black"),
    ]


def _point_handles() -> list[Line2D]:
    return [
        marker("o", "some networks did not fit", markersize=3),
        marker("o", "no network fitted", markersize=3, markerfacecolor="black"),
    ]
