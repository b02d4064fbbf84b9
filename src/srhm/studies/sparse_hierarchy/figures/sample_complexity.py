"""Figure 4: a learning curve, and the sample complexities of LCN and CNN against Eq. 3 and Eq. 4.

Letters of the paper: P training points, P* sample complexity, L depth, s branching, s_0 (s0) empty
places for each informative one, v features, m synonyms, n_c classes, ε test error.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from srhm.figures.architecture_marks import protocol_lines, wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    EQUATIONS,
    GUIDE,
    HUES,
    MOST_BEYOND,
    OTHER_HUE,
    Estimate,
    Point,
    colour,
    counts,
    depth_handles,
    empty_handles,
    estimate,
    feature_handles,
    few_ticks,
    line,
    marker,
    plural,
    point_handles,
    scatter,
    shape,
    shown,
    three_digits,
)
from srhm.figures.published_runs import draw_rings, points_of, run_handles
from srhm.figures.selection import at_threshold, predicted, text_curves
from srhm.results.publications import Publication, read_publications
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule

PUBLISHED_COLOUR = "0.72"
PANELS = (("B", "lcn"), ("C", "cnn"))
HEIGHT = 2.6  # inches, without the legends


@styled
def draw(
    cells: pd.DataFrame,
    sample_complexity: pd.DataFrame,
    published: pd.DataFrame,
    *,
    width: int,
    threshold: float,
    preset: str,
    runs: Sequence[Publication] = (),
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """Figure 4 from the tables of cells, of sample complexities and of published values.

    The panels hold the curves of the text's protocol (`main_curves`) with this width H, their P* at
    this threshold of the test error. `rule` is the one by which the table was made; the legend
    names it, nothing is computed from it. A: ε of every seed, faint, and the average over the seeds
    that did not diverge, for `example_curve`. B, C: a marker for each curve at its prediction;
    censored ones as arrows from the bound; grey, the paper's own points of s = 2; hollow rings, the
    points of published `runs` with s = 2.
    """
    curves = at_threshold(text_curves(sample_complexity, width=width, branching=2), threshold)
    curves = curves[curves["net"].isin([net for _, net in PANELS])]
    beside = {net: _rings_of(runs, net=net, threshold=threshold) for _, net in PANELS}
    handles = run_handles(runs, [pd.concat(drawn) for drawn in zip(*beside.values(), strict=True)])
    foot = wrapped(protocol_lines(cells[cells["curve"].isin(curves["curve"])]))
    figure, part = laid_out_page(HEIGHT, preset=preset, foot=foot)
    boxes = part.subplots(1, 3, subplot_kw={"box_aspect": 1})
    _learning_curve(boxes[0], cells, example_curve(curves), threshold, preset=preset)
    features = sorted(set(curves["v"].tolist()))
    for axes, (letter, net) in zip(boxes[1:], PANELS, strict=True):
        own = curves[curves["net"] == net]
        against_prediction(
            axes, own, published[(published["net"] == net) & (published["s"] == 2)], net=net,
            features=features, preset=preset, runs=beside[net],
        )  # fmt: skip
        panel_title(axes, letter, net.upper() + counts(own))
    _legends(
        part, boxes, curves, published, beside, handles,
        features=features, threshold=threshold, rule=rule,
    )  # fmt: skip
    return figure


def _rings_of(runs: Sequence[Publication], *, net: str, threshold: float) -> list[pd.DataFrame]:
    return [points_of(run, net=net, branching=2, threshold=threshold) for run in runs]


def example_curve(curves: pd.DataFrame) -> pd.Series | None:
    """The row whose learning curve panel A shows: of the LCN, with L = s_0 = 2 as in the paper.

    Where there is no such curve, the next best: one that reached the threshold, then L = 2, then
    s_0 = 2, then the largest v. None without any curve of the LCN.
    """
    lcn = curves[curves["net"] == "lcn"]
    if lcn.empty:
        return None
    wishes = pd.DataFrame(
        {
            "reached": lcn["status"] == "reached",
            "depth": lcn["L"] == 2,
            "empty": lcn["s0"] == 2,
            "v": lcn["v"],
            "s0": lcn["s0"],
        }
    )
    return lcn.loc[wishes.sort_values(list(wishes.columns), ascending=False).index[0]]


def _learning_curve(
    axes: Axes, cells: pd.DataFrame, row: pd.Series | None, threshold: float, *, preset: str
) -> None:
    """Panel A: test error of every seed, their average, the threshold and P* with its interval."""
    if row is None:
        panel_title(axes, "A", "LCN")
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    own = cells[cells["curve"] == row["curve"]].sort_values("P")
    tint = to_rgb(HUES.get(int(row["L"]), OTHER_HUE))
    for seed, one in own.groupby("seed"):
        axes.plot(one["P"], one["test_error"], color=tint, alpha=0.35, linewidth=0.7, marker=".",
                  markersize=3, gid=f"seed {seed}")  # fmt: skip
    mean = own.groupby("P")["test_error"].mean()  # leaves out NaN, as the table of P* does
    axes.plot(mean.index, mean, color="black", linewidth=1.2, marker="o", markersize=3, gid="mean")
    for _, cell in own[own["status"] == "capped"].iterrows():
        axes.plot([cell["P"]], [cell["test_error"]], "s", markersize=5, markerfacecolor="none",
                  markeredgecolor=tint, markeredgewidth=0.8, gid="capped")  # fmt: skip
    for _, cell in own[own["test_error"].isna()].iterrows():
        axes.plot([cell["P"]], [1.0], "x", color=tint, markersize=4, gid="diverged",
                  clip_on=False)  # fmt: skip
    axes.axhline(threshold, color=GUIDE, linewidth=0.8, linestyle="--", gid="threshold")
    ends = [float(end) for end in own["P"].agg(["min", "max"])]
    point: Any = row["P_star"]
    if isfinite(point):
        lower, upper = (float(row[name]) for name in ("P_star_low", "P_star_high"))
        if isfinite(lower) and isfinite(upper):
            axes.plot([lower, upper], [threshold] * 2, color="black", linewidth=2.6, zorder=3,
                      solid_capstyle="butt", gid="interval")  # fmt: skip
            ends += [max(lower, ends[0] / MOST_BEYOND), min(upper, ends[1] * MOST_BEYOND)]
        axes.plot([point], [threshold], "D", markersize=5.5, markerfacecolor="white",
                  markeredgecolor="black", zorder=4, gid="P_star")  # fmt: skip
        note = f"$P^* = {three_digits(point)}$"
    else:
        note = {"not_reached": "threshold not reached"}.get(row["status"], "below all $P$")
    n_seeds = own["seed"].nunique()
    axes.text(0.98, 0.88, f"{note}\n{n_seeds} {plural('seed', n_seeds)}, {mean.size} $P$",
              transform=axes.transAxes, ha="right", va="top", fontsize=7,
              linespacing=1.4)  # fmt: skip
    panel_title(axes, "A", f"LCN, $L={row['L']}$, $v={row['v']}$, $s_0={row['s0']}$")
    low, high = min(ends), max(ends)
    margin = max((high / low) ** 0.06, 1.05)
    axes.set(
        xscale="log",
        xlim=(low / margin, high * margin),
        ylim=(-0.02, 1.02),
        xlabel="training points $P$",
        ylabel="test error $\\varepsilon$ (%)",
    )
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    axes.yaxis.labelpad = 2
    if high / low < 100:
        few_ticks(axes.xaxis, low, high)


def against_prediction(
    axes: Axes,
    curves: pd.DataFrame,
    published: pd.DataFrame,
    *,
    net: str,
    features: Sequence[int],
    preset: str,
    runs: Sequence[pd.DataFrame] = (),
) -> None:
    """Fills a panel: P* of all curves against their prediction, both axes alike, and y = x.

    runs: curves of each published run, drawn as rings.
    """
    equation, formula = EQUATIONS[net]
    axes.set_xlabel(f"prediction of {equation},\n${formula}$")
    axes.set_ylabel("sample complexity $P^*$ (points)")
    if curves.empty:
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    points = [
        Point(
            x=Estimate(predicted(row)),
            y=estimate(row),
            tint=colour(row["L"], row["v"], features),
            marker=shape(row["s0"]),
            small_pool=row["small_pool"],
        )
        for _, row in curves.sort_values("P_star").iterrows()
    ]
    values: list[float] = []
    for _, row in published.iterrows():
        x, y = predicted(row), float(row["P_star"])
        values += [x, y]
        axes.plot([x], [y], shape(row["s0"]), markersize=7, markerfacecolor=PUBLISHED_COLOUR,
                  markeredgecolor="white", markeredgewidth=0.5, zorder=2,
                  gid="published")  # fmt: skip
    for place, rings in enumerate(runs):
        values += draw_rings(axes, rings, place=place)
    scatter(axes, points, shown=values)


def _legends(
    part: SubFigure,
    panels: Sequence[Axes],
    curves: pd.DataFrame,
    published: pd.DataFrame,
    runs: Mapping[str, Sequence[pd.DataFrame]],
    handles_of_runs: Mapping[str, Line2D],
    *,
    features: Sequence[int],
    threshold: float,
    rule: IntervalRule,
) -> None:
    """Legends below the panels, of what they hold: panel A; L; v; s_0; kinds of points."""
    first, *others = panels
    interval = f"{100 * rule.confidence:.3g} % interval"
    depths = sorted(set(curves["L"].tolist()))
    beside = published[published["net"].isin(curves["net"]) & (published["s"] == 2)]
    drawn = set(curves["net"])
    rings = pd.concat([curves, *(one for net in drawn for one in runs[net])])
    places = sorted({*rings["s0"].tolist(), *beside["s0"].tolist()})
    of_points = {
        **point_handles(rule),
        "published": published_handle(),
        **handles_of_runs,
        "y = x": line("$y=x$", color=GUIDE, linestyle="--"),
    }  # fmt: skip
    add_legends(
        part,
        [
            ("Panel A", shown(_example_handles(interval, threshold), [first])),
            ("Depth", depth_handles(sorted(set(rings["L"].tolist())))),
            ("Features $v$", feature_handles(features, depths)),
            ("Empty places", empty_handles(places)),
            ("Panels B, C", shown(of_points, others)),
        ],
    )


def published_handle() -> Line2D:
    """The paper's own points in a legend."""
    return marker("o", "the paper's (Tomasini & Wyart 2024), 1 seed", markersize=7,
                  markeredgecolor="white", markerfacecolor=PUBLISHED_COLOUR)  # fmt: skip


def _example_handles(interval: str, threshold: float) -> dict[str, Line2D]:
    """What panel A may hold, by the name under which it is drawn."""
    return {
        "seed": line("one seed", color="0.5", linewidth=0.7, marker=".", markersize=3),
        "mean": line("average over seeds", color="black", marker="o", markersize=3),
        "threshold": line(f"threshold {100 * threshold:.3g} %", color=GUIDE, linestyle="--"),
        "P_star": marker("D", "$P^*$", markeredgecolor="black"),
        "interval": line(f"{interval} of $P^*$", color="black", linewidth=2.6),
        "capped": marker("s", "stopped at the cap"),
        "diverged": marker("x", "diverged"),
    }


@styled
def draw_from_files(
    cells: pd.DataFrame,
    sample_complexity: pd.DataFrame,
    published: pd.DataFrame,
    *,
    publications: Sequence[str],
    preset: str,
    **options: Any,
) -> Figure:
    """As `draw`; publications: files of published runs.

    A published run of the preset itself is left out.
    """
    own = preset.removesuffix("-published")
    others = [one for one in publications if Path(one).parts[-3] != own]
    return draw(
        cells,
        sample_complexity,
        published,
        preset=preset,
        runs=read_publications(others),
        **options,
    )
