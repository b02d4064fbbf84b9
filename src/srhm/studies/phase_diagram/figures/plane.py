"""The plane of h and alpha_tilde, errors against h, and the plane of N and P (chapter 3b).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta tangent kernel, N weights, P
training points, h* and N* the smallest that fit.
"""

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, edges, levels_of, protocol
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK, GREEN, GREY, PURPLE, VERMILION, Look
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, laws
from srhm.figures.scales import by_name, graded
from srhm.statistics.jamming import smallest_that_fit
from srhm.statistics.output_scale import families, level_set
from srhm.studies.phase_diagram.analysis import (
    LEVELS,
    SIZES,
    jamming_lines,
    longest_line,
    of_kind,
    plane_of,
)

BUDGETS = (PURPLE, VERMILION, "#7F0000", GREEN)  # of the smallest first
SHARES = by_name("share", ("all", "some", "none"), {
    "all": Look("all fit", BLACK, filled=False), "some": Look("some do not fit", GREY, filled=True),
    "none": Look("none fits", BLACK, filled=True),
}, "A, C")  # fmt: skip
WIDTH = Axis("width $h$", log=True)
ERROR = "test error $\\varepsilon$ (%)"


@styled
def draw(
    cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame, *, preset: str
) -> Figure:
    """A the error of ensembles in the plane, B errors at three alpha_tilde, C what fits in (N, P).

    cells, ensembles, histories: rows of FLOW_CELLS, ENSEMBLES and HISTORIES of the study.
    """
    plane, sizes = plane_of(cells), of_kind(cells, SIZES)
    own = ensembles[ensembles["curve"].isin(plane["curve"])] if len(plane) else plane
    if own.empty or sizes.empty or histories.empty:
        return mosaic([], columns=3, preset=preset)
    lines = jamming_lines(plane, histories)
    notes = [f"{protocol(one)}." for one in families(plane, study="phase_diagram")]
    return mosaic(
        [_together(plane, own, lines, longest_line(cells)), _single(own, lines), _sizes(sizes)],
        columns=3, preset=preset, notes=notes, height=2.5,
    )  # fmt: skip


def _together(
    cells: pd.DataFrame, ensembles: pd.DataFrame, lines: pd.DataFrame, longest: pd.DataFrame
) -> Panel:
    """A map of the ensembles' error, which networks fit, h* by budget, levels of the change."""
    widths, tildes = (sorted(cells[name].unique()) for name in ("width", "alpha_tilde"))
    error = ensembles.groupby(["alpha_tilde", "width"])["ensemble_error"].mean().unstack("width")
    error = error.reindex(index=tildes, columns=widths)  # some may have no ensemble
    fitted = _shares(cells, "width", "alpha_tilde")
    longer = longest[longest["budget"] > lines["budget"].max()]
    known = pd.concat([lines["budget"], longer["budget"]])
    budgets = by_name("budget", known, {
        one: Look(f"{one:,.0f} evaluations", tint)
        for one, tint in zip(sorted(known.unique()), BUDGETS, strict=False)
    }, "A: $h^*$ after")  # fmt: skip
    levels = pd.concat([level_set(cells, one).assign(level=one) for one in LEVELS])
    return Panel(
        title="error $\\varepsilon$ of ensembles (%)", x=WIDTH, y=Axis(ALPHA_TILDE, log=True),
        marks=[
            Marks(rows=fitted[fitted["share"] != "all"], x="width", y="alpha_tilde", by=[SHARES],
                  name="fits", size=3),
            Marks(rows=lines, x="h_star", y="alpha_tilde", by=[budgets], name="jamming", marker="",
                  line="-", width=1.6, sort=False),
            Marks(rows=longer, x="h_star", y="alpha_tilde", by=[budgets], name="longest",
                  marker="D", size=6),
            Marks(rows=levels, x="width", y="alpha_tilde", name="level", colour=BLACK, marker="",
                  line="-", by=[levels_of("A: $\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|$")]),
        ],
        extra=partial(_map, widths=widths, tildes=tildes, error=error),
    )  # fmt: skip


def _map(axes: Axes, widths: list[int], tildes: list[float], error: pd.DataFrame) -> list[Entry]:
    mesh = axes.pcolormesh(
        edges([float(h) for h in widths]), edges([float(a) for a in tildes]),
        error.to_numpy(dtype=float), cmap="YlGnBu", linewidth=0, rasterized=True, gid="error",
    )  # fmt: skip
    bar = axes.figure.colorbar(mesh, ax=axes, pad=0.02)  # the title says of what
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=""))
    return []


def _single(ensembles: pd.DataFrame, lines: pd.DataFrame) -> Panel:
    """Errors of single networks and of ensembles at three alpha_tilde, with h* of each."""
    tildes = sorted(ensembles["alpha_tilde"].unique())
    chosen = [tildes[0], tildes[len(tildes) // 2], tildes[-1]]
    own = ensembles[ensembles["alpha_tilde"].isin(chosen)]
    errors = ["mean_error", "ensemble_error"]
    means = own.groupby(["alpha_tilde", "width"])[errors].mean().reset_index()
    stars = lines[(lines["part"] == 1) & lines["alpha_tilde"].isin(chosen)]
    scale = graded("alpha_tilde", chosen, "B: $\\tilde\\alpha$", palette="flare",
                   label=lambda a: f"${power(a)}$")  # fmt: skip
    return Panel(
        title="single and ensemble", x=WIDTH, y=Axis(ERROR), extra=_percent,
        marks=[
            Marks(rows=means, x="width", y="mean_error", by=[scale], line="-", size=3,
                  label="single networks"),
            Marks(rows=means, x="width", y="ensemble_error", by=[scale], line="--", marker="s",
                  size=3, label="ensemble"),
            laws(stars, "h_star", "", "$h^*$", by=[scale], name="star", line="-"),
        ],
    )  # fmt: skip


def _percent(axes: Axes) -> list[Entry]:
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    return []


def _sizes(cells: pd.DataFrame) -> Panel:
    """Which networks fit in (N, P), N* and the bound N = 4 P."""
    stars = smallest_that_fit(cells).query("status == 'reached'")
    P = np.array([cells["P"].min(), cells["P"].max()], dtype=float)
    return Panel(
        title="what fits", x=Axis("weights $N$", log=True),
        y=Axis("training points $P$", log=True, ticks={one: f"${one}$" for one in set(cells["P"])}),
        marks=[
            Marks(rows=_shares(cells, "n_weights", "P"), x="n_weights", y="P", by=[SHARES],
                  name="fits", size=4),
            Marks(rows=stars, x="N_star", y="P", name="N*", label="$N^*$ (C)", colour=VERMILION,
                  marker="", line="-", width=1.4, sort=False),
            law(4 * P, P, "$N=4P$ (C)", name="bound", line=":"),
        ],
    )  # fmt: skip


def _shares(cells: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Whether all, some or none of the networks at each place fit."""
    part = (cells["status"] == "fitted").groupby([cells[x], cells[y]]).mean().rename("part")
    rows = part.reset_index()
    rows["share"] = np.select([rows["part"] == 1, rows["part"] > 0], ["all", "some"], "none")
    return rows
