"""P* against alpha_tilde for each net and s_0, beside frozen kernels, and against Eq. 3 and 4.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 empty places for each
informative one, m synonyms, n_c classes, ε test error; α̃ = √h α, Θ tangent kernel.
"""

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    EQUATIONS,
    GUIDE,
    Estimate,
    Point,
    between,
    draw_point,
    empty_handles,
    estimate,
    few_ticks,
    limits,
    line,
    marker,
    plural,
    power,
    scatter,
    shades,
    shape,
    shown,
)
from srhm.figures.selection import at_threshold
from srhm.results.coordinates import NET_AND_DATA
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule

STUDY = "complexity"
NETS = ("lcn", "cnn", "fcn")
# Okabe and Ito's colours of s_0; markers as everywhere.
HUES = {0: "#009E73", 1: "#D55E00", 2: "#0072B2", 4: "#AA4499"}
OTHER_HUE = "#666666"
WAYS = {"flow": "gradient flow", "adam": "Adam", "sgd": "SGD"}
ROW = 2.3  # inches, with titles and labels
# Factors by which kernels and SGD are moved along alpha_tilde to be seen beside the networks.
APART = {"test_error": 1.0, "end_kernel": 1.5, "sgd": 1 / 1.5}
# Factor between the outermost places of the alpha_tilde at one prediction, where equal bounds would
# coincide: no point is further than a tenth from where it belongs.
ASIDE = 1.2


@styled
def draw(
    cells: pd.DataFrame,
    complexity: pd.DataFrame,
    *,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """P* of the study "complexity" at this threshold, from the tables of cells and of P*.

    A, B, C: P* against alpha_tilde, a panel for each net, a line for each s_0; at the right edge
    P* of the kernel at initialisation, open diamonds that of the kernel at the end; above the frame
    the change of the kernel at each alpha_tilde, a geometric mean over the cells. D, E, F: P* of
    the networks against the prediction of Eq. 3 or 4, a colour for each alpha_tilde, side by side.
    """
    rows = at_threshold(complexity[complexity["study"] == STUDY], threshold)
    errors = main(at_threshold(complexity[complexity["study"] == STUDY], threshold))
    kernels = pd.concat(
        [
            main(at_threshold(complexity[complexity["study"] == STUDY], threshold, criterion=name))
            for name in ("initial_kernel", "end_kernel")
        ]
    )
    own = cells[cells["study"] == STUDY]
    foot = wrapped([*protocol(own), *_other_widths(rows)])
    figure, page = laid_out_page(2 * ROW, preset=preset, foot=foot)
    panels = page.subplots(2, 3)
    colours = shades(sorted(set(errors["alpha_tilde"].tolist())), "plasma")
    for (row, column), axes in np.ndenumerate(panels):
        net, letter = NETS[column], "ABCDEF"[column + 3 * row]
        part = errors[errors["net"] == net]
        axes.set_ylabel("sample complexity $P^*$ (points)" if column == 0 else "")
        if part.empty:
            panel_title(axes, letter, net.upper())
            empty_panel(axes, f"not in preset {preset}")
        elif row == 0:
            sgd = rows[(rows["net"] == net) & (rows["optimiser"] == "sgd")]
            panel_title(axes, letter, f"{net.upper()}: {_seeds(part)}")
            changes = own[(own["net"] == net) & (own["optimiser"] != "sgd")]
            _against_alpha(axes, part, kernels[kernels["net"] == net], sgd, changes)
        else:
            panel_title(axes, letter, f"{net.upper()}: {len(part)} $P^*$")
            _against_prediction(axes, part, net, colours)
    add_legends(page, _legends(panels.ravel(), errors, colours, rule))
    return figure


def main(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the study's main curves.

    Not those trained with SGD, which are a check, nor those of widths that were trained at fewer
    alpha_tilde than others of the same net and data: these check that a width is enough.
    """
    own = rows[rows["optimiser"] != "sgd"]
    if own.empty:
        return own
    scales = own.groupby([*NET_AND_DATA, "width"])["alpha_tilde"].transform("nunique")
    return own[scales == scales.groupby([own[name] for name in NET_AND_DATA]).transform("max")]


def _other_widths(rows: pd.DataFrame) -> list[str]:
    others = rows[rows["optimiser"] != "sgd"].drop(main(rows).index)
    return [
        f"Not drawn, a row of the scorecard: {str(net).upper()}, h = {width}, at α̃ ="
        f" {', '.join(f'{a:g}' for a in sorted(set(part['alpha_tilde'])))} alone"
        for (net, width), part in others.groupby(["net", "width"])
    ]


def protocol(cells: pd.DataFrame) -> list[str]:
    """How the networks of a study were trained, a line for each way, and how that ended."""
    lines = []
    for (way, width, labels, loss, activation, budget), part in cells.groupby(
        ["optimiser", "width", "labels", "loss", "activation", "budget"]
    ):
        ends = part["status"].value_counts()
        counts = ", ".join(f"{ends[w]} {w}" for w in ("fitted", "capped", "diverged") if w in ends)
        nets = ", ".join(sorted({net.upper() for net in part["net"]}))
        n_seeds = part.groupby("curve")["seed"].nunique()
        lines.append(
            f"{nets}: {WAYS.get(str(way), str(way))}, h = {width}, {activation}, {labels},"
            f" {str(loss).replace('_', '-')}, at most {budget:,} gradient evaluations{_step(part)};"
            f" {between(n_seeds)} {plural('seed', int(n_seeds.max()))}; {len(part)} networks:"
            f" {counts}"
        )
    return lines


def _step(cells: pd.DataFrame) -> str:
    """How far a step of the flow moves F at most; empty for other optimisers."""
    settings: list[str] = cells["settings"].tolist() if "settings" in cells else []
    moves = {json.loads(one).get("max_output_change") for one in settings} - {None}
    return f" in steps that move F by at most {max(moves):g}" if moves else ""


def hue(n_empty: int) -> tuple[float, float, float]:
    """Colour of an s_0."""
    return to_rgb(HUES.get(n_empty, OTHER_HUE))


def _seeds(part: pd.DataFrame) -> str:
    n = int(part["n_seeds"].max())
    return f"{between(part['n_seeds'])} {plural('seed', n)}"


def _against_alpha(
    axes: Axes,
    errors: pd.DataFrame,
    kernels: pd.DataFrame,
    sgd: pd.DataFrame,
    cells: pd.DataFrame,
) -> None:
    tildes = sorted(set(errors["alpha_tilde"].tolist()))
    everything = pd.concat([errors, kernels, sgd])
    predictions = errors.groupby("s0")["prediction"].first()
    low, high = limits(
        [estimate(row) for _, row in everything.iterrows()]
        + [Estimate(value) for value in predictions]
    )
    edge = tildes[-1] * 30
    for s0 in sorted(set(errors["s0"].tolist())):
        part, tint = errors[errors["s0"] == s0], hue(s0)
        axes.axhline(predictions[s0], color=tint, linewidth=0.8, linestyle=":", zorder=1,
                     gid="prediction")  # fmt: skip
        ordered = part.sort_values("alpha_tilde")
        reached = ordered[ordered["status"] == "reached"]
        axes.plot(reached["alpha_tilde"], reached["P_star"], color=tint, linewidth=1.0, zorder=2,
                  gid=f"line s0 = {s0}")  # fmt: skip
        for name, rows in (("test_error", ordered), ("sgd", sgd[sgd["s0"] == s0])):
            for _, row in rows.iterrows():
                _point(axes, row, row["alpha_tilde"] * APART[name], tint, low, name)
        own = kernels[kernels["s0"] == s0]
        for _, row in own[own["criterion"] == "end_kernel"].iterrows():
            _point(axes, row, row["alpha_tilde"] * APART["end_kernel"], tint, low, "end_kernel")
        # The same at every alpha_tilde, but for the sizes P that it was asked for.
        start = own[own["criterion"] == "initial_kernel"].sort_values("n_cells", ascending=False)
        start = start.drop_duplicates("curve")
        for number, (_, row) in enumerate(start.iterrows()):
            at = edge * 2.0 ** (number + s0 - 0.5)
            _point(axes, row, at, tint, low, "initial_kernel")
    axes.axvline(edge / 5, color=GUIDE, linewidth=0.6, zorder=1)
    axes.set(xscale="log", yscale="log", xlim=(tildes[0] / 4, edge * 14), ylim=(low, high))
    axes.set_xticks([*tildes, edge * 2], [*(f"${power(a)}$" for a in tildes), "$\\Theta_0$"])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("$\\tilde\\alpha = \\sqrt{h}\\,\\alpha$")
    if high / low < 100:
        few_ticks(axes.yaxis, low, high)
    top = axes.secondary_xaxis("top")
    labels = [_change(cells[np.isclose(cells["alpha_tilde"], a)]) for a in tildes]
    top.set_xticks(tildes, labels, fontsize=7)
    top.set_xticks([], minor=True)
    top.tick_params(length=2, pad=1)


def _change(cells: pd.DataFrame) -> str:
    """Geometric mean of the kernel's change over cells, to a digit or a power of ten."""
    found = cells["kernel_change"]
    found = found[np.isfinite(found) & (found > 0)]
    if found.empty:
        return ""
    value = float(np.exp(np.log(found).mean()))
    digit = float(f"{value:.1g}")
    return f"${digit:g}$" if digit < 1000 else f"$10^{{{round(np.log10(value))}}}$"


def _point(axes: Axes, row: pd.Series, x: float, tint: Any, floor: float, name: str) -> None:
    symbols = {"end_kernel": "d", "initial_kernel": "d", "sgd": "x"}
    y = estimate(row)
    if name == "test_error" and isfinite(floor):
        point = Point(x=Estimate(x), y=y, tint=tint, marker=shape(int(row["s0"])),
                      small_pool=bool(row["small_pool"]))  # fmt: skip
        draw_point(axes, point, x_floor=x, y_floor=floor)
        return
    at = floor if y.value is None else y.value
    if y.beyond:
        axes.annotate("", xy=(x, at), xytext=(0, 12 * y.beyond), textcoords="offset points",
                      annotation_clip=False,
                      arrowprops={"arrowstyle": "<|-", "color": tint, "linewidth": 0.7,
                                  "mutation_scale": 5, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    if y.bar:
        axes.plot([x, x], y.bar, "-", color=tint, linewidth=0.6, zorder=2.4,
                  gid=f"interval {name}")  # fmt: skip
    axes.plot([x], [at], symbols[name], color=tint, markersize=4, markeredgewidth=0.9, zorder=2.8,
              markerfacecolor="white",
              gid=f"{name} {row['status']}" + (" (bound)" if y.beyond else ""))  # fmt: skip


def _against_prediction(axes: Axes, errors: pd.DataFrame, net: str, colours: Any) -> None:
    gaps = len(colours) - 1
    aside = {a: ASIDE ** ((k - gaps / 2) / max(1, gaps)) for k, a in enumerate(colours)}
    points = [
        Point(
            x=Estimate(float(row["prediction"]) * aside[row["alpha_tilde"]]),
            y=estimate(row),
            tint=colours[row["alpha_tilde"]],
            marker=shape(int(row["s0"])),
            small_pool=bool(row["small_pool"]),
        )
        for _, row in errors.sort_values("alpha_tilde").iterrows()
    ]
    scatter(axes, points)
    for tilde, part in errors[errors["status"] == "reached"].groupby("alpha_tilde"):
        ordered = part.sort_values("prediction")
        axes.plot(ordered["prediction"] * aside[tilde], ordered["P_star"], color=colours[tilde],
                  linewidth=0.9, zorder=2, gid=f"line {tilde:g}")  # fmt: skip
    equation, formula = EQUATIONS.get(net, ("Eq. 3 (LCN)", EQUATIONS["lcn"][1]))
    axes.set_xlabel(f"{equation}, ${formula}$")


def _legends(
    panels: Sequence[Axes], errors: pd.DataFrame, colours: Any, rule: IntervalRule
) -> list[tuple[str, list[Line2D]]]:
    """Titles and handles of s_0, alpha_tilde, and of what the panels hold."""
    places = sorted(set(errors["s0"].tolist()))
    handles = empty_handles(places)
    for one, s0 in zip(handles, places, strict=True):
        one.set(markeredgecolor=hue(s0), markerfacecolor=hue(s0))
    tildes = [line(f"${power(a)}$", color=c, marker="o", markersize=4) for a, c in colours.items()]
    level = f"{100 * rule.confidence:.3g} %"
    thin: Any = {"markersize": 7, "markeredgewidth": 0.3, "markerfacecolor": "0.3"}
    kinds: dict[str, Line2D] = {
        "ours reached": marker("o", "networks", markerfacecolor="0.3"),
        "ours small pool": marker("o", f"$P^*$ above {100 * rule.small_pool:.3g} % of all data"),
        "end_kernel": marker("d", "kernel at the end, frozen"),
        "initial_kernel": marker("d", "kernel at initialisation, frozen (at $\\Theta_0$)"),
        "sgd": Line2D([], [], linestyle="", marker="x", color="0.3", markersize=4, label="SGD"),
        "interval": marker("|", f"{level} interval (Student $t$ over seeds)", markersize=8),
        "(bound)": marker("$\\uparrow$", "censored: $P^*$ lies that way", **thin),
        "prediction": line("prediction, constant 1 (A to C)", color="0.3", linestyle=":"),
        "y = x": line("$y=x$", color=GUIDE, linestyle="--"),
    }
    return [
        ("Empty places", handles),
        ("$\\tilde\\alpha$ (D to F)", tildes),
        ("Points", shown(kinds, panels)),
    ]
