"""Tolerance of the flow, the output at the start, biases (chapter 3a, Fig. 13, 15, 16).

Letters of the thesis: h width, alpha scale of F, alpha_tilde = sqrt(h) alpha, f0 output at t = 0.
"""

from math import log10
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import ABSENT, ALPHA_TILDE, decades, draw_averages
from srhm.figures.marks import GUIDE, Colour, few_ticks, line, marker, shades
from srhm.studies.early_dynamics.analysis import (
    FINE,
    OURS,
    THESIS,
    of_kind,
    over_data_sets,
    tolerance_pairs,
    variances,
)

STEPS = {(OURS, THESIS): to_rgb("#E69F00"), (THESIS, FINE): to_rgb("#0072B2")}
KINDS: dict[str, Any] = {"plain": "-", "whole": "--", "biased": ":"}
NAMES = {"plain": "$\\alpha\\,(f-f_0)$", "whole": "$\\alpha f$", "biased": "with biases"}


@styled
def draw(
    cells: pd.DataFrame, ensembles: pd.DataFrame, outputs: pd.DataFrame, *, preset: str
) -> Figure:
    """A, B: tolerance; C, D: F = alpha f; E, F: biases. Left: output, error; right: time, Var F."""
    plain = of_kind(cells, "plain")
    if plain.empty or ensembles.empty or outputs.empty:
        figure, page = laid_out_page(2.4, preset=preset)
        empty_panel(page.subplots(), ABSENT)
        return figure
    spread = variances(cells, ensembles)
    n, members = plain["seed"].nunique(), plain.groupby(["width", "alpha_tilde", "seed"]).size()
    foot = [f"digits, FCN, softplus, L = 3, P = {plain['P'].iloc[0]}: {n} data sets of"
            f" {members.max()} networks at each point; A, B: one network each"]  # fmt: skip
    figure, page = laid_out_page(6.6, preset=preset, foot=foot)
    panels = page.subplots(3, 2)
    _tolerances(panels[0], cells, outputs)
    tints = shades(sorted({float(h) for h in plain["width"]}), "viridis")
    for row, kind, by, letters in (
        (panels[1], "whole", "alpha", "CD"),
        (panels[2], "biased", "alpha_tilde", "EF"),
    ):
        both = [of_kind(cells, name) for name in (kind, "plain")]
        shared = set(both[0]["width"]) if len(both[0]) else set()
        for name in (kind, "plain"):
            for axes, rows, y in (
                (row[0], of_kind(cells, name), "test_error"),
                (row[1], spread[spread["kind"] == name], "scaled"),
            ):
                own = rows[rows["width"].isin(shared)] if len(rows) else rows
                own = own.assign(scaled=own["width"] * own["variance"]) if y == "scaled" else own
                _curves(axes, own, y, by, name, tints)
        label = "$\\alpha$" if by == "alpha" else ALPHA_TILDE
        ends = [float(end) for end in (plain[by].min(), plain[by].max())]
        for axes, letter, text in zip(row, letters, ("test error", "variance"), strict=True):
            panel_title(axes, letter, f"{text}: {NAMES[kind]}")
            axes.set(xscale="log", xlabel=label)
            decades(axes, "x", ends)
        row[0].set_ylabel("test error $\\varepsilon$")
        row[1].set(yscale="log", ylabel="$h$ Var $F$")
    add_legends(page, [
        ("Tolerance (A, B)", [line(f"$10^{{{log10(a):.0f}}}$ to $10^{{{log10(b):.0f}}}$", color=c,
                                   marker="o", markersize=3.6)
                              for (a, b), c in STEPS.items()]),
        ("Width $h$", [line(f"${h:g}$", color=c, marker="o", markersize=3.6)
                       for h, c in tints.items()]),
        ("Network", [line(NAMES[kind], color="0.3", linestyle=style)
                     for kind, style in KINDS.items()]),
        ("", [marker("|", "95 % interval (Student $t$\nover data sets)", markersize=8),
              marker("o", "open: a network or more\nwas capped", markersize=4),
              line("thesis: below $10^{-3}$ (A), 2 (B)", color=GUIDE, linestyle="--")]),
    ])  # fmt: skip
    return figure


def _tolerances(panels: Any, cells: pd.DataFrame, outputs: pd.DataFrame) -> None:
    """Relative change of F, and evaluations, of a hundredth of the tolerance."""
    titles = {"difference": "change of $F$", "evaluations": "evaluations, ratio"}
    for axes, column, letter, limit in zip(panels, titles, "AB", (1e-3, 2.0), strict=True):
        for pair, tint in STEPS.items():
            rows = tolerance_pairs(cells, outputs, coarse=pair[0], fine=pair[1])
            if rows.empty:
                continue
            points = over_data_sets(
                rows.assign(status="fitted"), column, by="alpha_tilde", logarithmic=True
            )
            draw_averages(axes, points, "alpha_tilde", tint, gid=f"{column} {pair[0]:g}")
        axes.axhline(limit, color=GUIDE, linestyle="--", linewidth=0.9, gid="thesis")
        panel_title(axes, letter, f"a hundredth of the tolerance: {titles[column]}")
        axes.set(xscale="log", yscale="log", xlabel=ALPHA_TILDE)
        low, high = axes.get_ylim()
        if high / low < 100:
            few_ticks(axes.yaxis, low, high)
    panels[0].set_ylabel("$\\|F-F'\\|/\\|F'\\|$")
    panels[1].set_ylabel("finer over coarser")


def _curves(
    axes: Axes, rows: pd.DataFrame, y: str, by: str, kind: str, tints: dict[float, Colour]
) -> None:
    """A curve for each width in the style of its kind."""
    for width, own in rows.groupby("width"):
        tint = tints[float(str(width))]
        before = len(axes.get_lines())
        points = over_data_sets(own, y, by=by, logarithmic=y == "scaled")
        draw_averages(axes, points[np.isfinite(points["value"])], by, tint, gid=f"{kind} h={width}")
        axes.get_lines()[before].set_linestyle(KINDS[kind])
