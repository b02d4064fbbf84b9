"""The plane of h and alpha_tilde, errors against h, and the plane of N and P (chapter 3b).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta tangent kernel, N weights, P
training points, h* and N* the smallest that fit.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import PercentFormatter

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import ABSENT, ALPHA_TILDE, decades, edges, protocol, tilde_colours_of
from srhm.figures.marks import Colour, few_ticks, line, marker, power
from srhm.statistics.jamming import smallest_that_fit
from srhm.statistics.output_scale import families, level_set
from srhm.studies.phase_diagram.analysis import (
    LEVELS,
    PLANE,
    SIZES,
    jamming_lines,
    of_kind,
)

STYLES = dict(zip(LEVELS, ("--", "-", ":"), strict=True))
# Of the smallest budget first.
BUDGETS = (to_rgb("#CC79A7"), to_rgb("#D55E00"), to_rgb("#7F0000"))
SHARE = {"all": "white", "some": "0.65", "none": "black"}


@styled
def draw(
    cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame, *, preset: str
) -> Figure:
    """A the error of ensembles in the plane, B errors at three alpha_tilde, C what fits in (N, P).

    cells, ensembles, histories: rows of FLOW_CELLS, ENSEMBLES and HISTORIES of the study.
    """
    plane, sizes = of_kind(cells, PLANE), of_kind(cells, SIZES)
    shown = families(plane, study="phase_diagram") if len(plane) else []
    foot = wrapped([protocol(one) for one in shown])
    figure, page = laid_out_page(2.5, preset=preset, foot=foot)
    own = ensembles[ensembles["curve"].isin(plane["curve"])] if len(plane) else plane
    if own.empty or sizes.empty or histories.empty:
        empty_panel(page.subplots(), ABSENT)
        return figure
    together, single, size = page.subplots(1, 3)
    lines = jamming_lines(plane, histories)
    tints = dict(zip(sorted(lines["budget"].unique()), BUDGETS, strict=False))
    _plane(page, together, plane, own, lines, tints)
    chosen = sorted(own["alpha_tilde"].unique())
    chosen = [chosen[0], chosen[len(chosen) // 2], chosen[-1]]
    colours = tilde_colours_of(chosen)
    for tilde, part in own[own["alpha_tilde"].isin(chosen)].groupby("alpha_tilde"):
        means = part.groupby("width")[["mean_error", "ensemble_error"]].mean()
        for column, style in (("mean_error", "o-"), ("ensemble_error", "s--")):
            single.plot(means.index, means[column], style, color=colours[float(str(tilde))],
                        markersize=3, linewidth=1, gid=f"{column} {tilde:g}")  # fmt: skip
        star = lines[(lines["part"] == 1) & (lines["alpha_tilde"] == tilde)]["h_star"]
        if len(star):
            single.axvline(star.iloc[0], color=colours[float(str(tilde))], linewidth=0.6)
    single.set(xscale="log", xlabel="width $h$", ylabel="test error $\\varepsilon$ (%)")
    single.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    _sizes(size, sizes)
    panel_title(together, "A", "error of ensembles")
    panel_title(single, "B", "single and ensemble")
    panel_title(size, "C", "what fits")
    for axes in (together, single):
        widths = plane["width"]
        few_ticks(axes.xaxis, float(widths.min()), float(widths.max()))
    add_legends(page, _legend(tints, colours))
    return figure


def _plane(
    page: SubFigure,
    axes: Axes,
    cells: pd.DataFrame,
    ensembles: pd.DataFrame,
    lines: pd.DataFrame,
    tints: dict[float, Colour],
) -> None:
    widths, tildes = (sorted(cells[name].unique()) for name in ("width", "alpha_tilde"))
    error = ensembles.groupby(["alpha_tilde", "width"])["ensemble_error"].mean().unstack("width")
    error = error.reindex(index=tildes, columns=widths)  # some may have no ensemble
    mesh = axes.pcolormesh(
        edges([float(h) for h in widths]), edges([float(a) for a in tildes]),
        error.to_numpy(dtype=float),
        cmap="YlGnBu", linewidth=0, rasterized=True, gid="error",
    )  # fmt: skip
    fitted = (cells["status"] == "fitted").groupby([cells["width"], cells["alpha_tilde"]]).mean()
    for name, some in (("some", (fitted > 0) & (fitted < 1)), ("none", fitted == 0)):
        at = fitted.index[some].to_frame()
        axes.plot(at["width"], at["alpha_tilde"], "o", markersize=3, markerfacecolor=SHARE[name],
                  markeredgecolor="black", markeredgewidth=0.5, gid=f"{name} fitted")  # fmt: skip
    for budget in tints:
        part = lines[lines["budget"] == budget]
        axes.plot(part["h_star"], part["alpha_tilde"], color=tints[budget], linewidth=1.6,
                  gid=f"jamming {budget}")  # fmt: skip
    for level, style in STYLES.items():
        at = level_set(cells, level)
        axes.plot(at["width"], at["alpha_tilde"], color="black", linestyle=style, linewidth=1,
                  gid=f"level {level:g}")  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="width $h$", ylabel=ALPHA_TILDE)
    decades(axes, "y", cells["alpha_tilde"].unique().tolist())
    bar = page.colorbar(mesh, ax=axes, pad=0.02, label="test error $\\varepsilon$ (%)")
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))


def _sizes(axes: Axes, cells: pd.DataFrame) -> None:
    share = (cells["status"] == "fitted").groupby([cells["n_weights"], cells["P"]]).mean()
    for name, some in (
        ("all", share == 1),
        ("some", (share > 0) & (share < 1)),
        ("none", share == 0),
    ):
        at = share.index[some].to_frame()
        axes.plot(at["n_weights"], at["P"], "s", markersize=4, markerfacecolor=SHARE[name],
                  markeredgecolor="black", markeredgewidth=0.5, gid=f"{name} fitted")  # fmt: skip
    stars = smallest_that_fit(cells)
    stars = stars[stars["status"] == "reached"]
    axes.plot(stars["N_star"], stars["P"], color="#D55E00", linewidth=1.4, gid="N*")
    sizes = np.array([cells["P"].min(), cells["P"].max()], dtype=float)
    axes.plot(4 * sizes, sizes, color="black", linestyle=":", linewidth=1, gid="bound")
    axes.set(xscale="log", yscale="log", xlabel="weights $N$", ylabel="training points $P$")
    ticks = sorted(cells["P"].unique())
    axes.set_yticks(ticks, labels=[f"${P}$" for P in ticks])
    axes.set_yticks([], minor=True)


def _legend(
    tints: dict[float, Colour],
    colours: dict[float, Colour],
) -> list[tuple[str, list]]:
    levels = [
        line(f"$\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|={one:g}$", color="black", linestyle=style)
        for one, style in STYLES.items()
    ]
    budgets = [
        line(f"$h^*$, {one:,.0f} evaluations", color=tint, linewidth=1.6)
        for one, tint in tints.items()
    ]
    words = {"all": "all fit (C)", "some": "some do not fit", "none": "none fits"}
    fits = [marker("o", text, markerfacecolor=SHARE[name]) for name, text in words.items()]
    kinds = [
        *(line(f"$\\tilde\\alpha={power(a)}$", color=c) for a, c in colours.items()),
        line("single networks; vertical: $h^*$", color="0.3", marker="o", markersize=3),
        line("ensemble", color="0.3", linestyle="--", marker="s", markersize=3),
    ]
    bounds = [line("$N^*$ (C)", color="#D55E00"), line("$N=4P$", color="black", linestyle=":")]
    return [("A", [*levels, *budgets]), ("A, C", [*fits, *bounds]), ("B", kinds)]
