"""The picture of README.md: the paper's two statements in the archived results of `grid`.

What it shows was written down here before it was drawn. A reviewer's draft had been seen: it chose
curves of its own, had the output in place of layer 2, and left out v below 5 and all networks that
stopped at the step limit.

Left: P* against Eq. 3 (LCN) or Eq. 4 (CNN). The points are those of the claim
`slope-against-prediction`, all of them and no others, because its slope stands in the picture: s =
2, sparsity A, both L, every v and s_0. A mark is a curve, the geometric mean of P* over its
grammars. Crosses are the authors' points in the same claim. The dashed line is P* = prediction.

Right: the curves of the left panel, every v and s_0. Test error, S_2 and D_2, which are the
sensitivities of layer 2 to level 1 whose P the paper compares with P*. P is divided by P* of the
curve. A thin line has the medians over grammars of a curve. A thick line is the median of the
curves, where at least half of them have points on both sides. Dead networks are left out, as of P*;
networks that stopped at the step limit count. No line is a fit. The error is near 10 % at P = P* by
definition.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.paper.sparse_hierarchy.analysis import of_the_law, published_values
from srhm.scorecard.complexity_rows import as_sample_complexities, of_living
from srhm.scorecard.numbers import value_text
from srhm.statistics.exponents_of_grammars import complexities
from srhm.statistics.sample_complexity import is_dead, learning_curve_values, sensitivity_values
from srhm.store.published_provenance import PROVENANCE_FILE

LIGHT, DARK = "docs/images/headline.png", "docs/images/headline-dark.png"
CLAIM = "slope-against-prediction"
ROWS = "published/grid/sparse_hierarchy"
THRESHOLD = 0.1
# P over P* of the thick lines.
COMMON = np.geomspace(0.25, 4, 97)


@dataclass(frozen=True)
class Shades:
    """Colours of a picture: its paper, its ink, and what is drawn."""

    paper: str
    ink: str
    guide: str
    lcn: str
    cnn: str
    cnn_words: str
    synonyms: str
    shifts: str


SHADES = {
    LIGHT: Shades("#FFFFFF", "#1A1A1A", "#8A8A8A", "#0072B2", "#E69F00", "#B87800", "#AA3377",
                  "#009E73"),
    DARK: Shades("#0D1117", "#E6EDF3", "#8B949E", "#4EA3E0", "#E69F00", "#E69F00", "#E07BB0",
                 "#2FC79A"),
}  # fmt: skip


@dataclass(frozen=True)
class HeadlineData:
    """What the picture shows.

    origin: of `origin_of`. slope: of CLAIM, as text. ours: a row for each curve: curve, net,
    prediction, P_star. theirs: the authors' points, with prediction and P_star. falls: medians over
    grammars: criterion, curve, ratio (P over P*), value.
    """

    origin: str
    slope: str
    ours: pd.DataFrame
    theirs: pd.DataFrame
    falls: pd.DataFrame


def origin_of(root: Path, slope: str) -> str:
    """What the picture says of its origin, for a test: digests of the tables, and the slope."""
    provenance = json.loads((root / ROWS / PROVENANCE_FILE).read_text("utf-8"))
    return json.dumps({**provenance["sha256"], "slope": slope}, sort_keys=True)


def slope_text(claims: pd.DataFrame) -> str:
    """Slope of CLAIM and its error, of the study's scorecard."""
    (row,) = claims[claims["claim"] == CLAIM].to_dict("records")
    return value_text(row)


def shown(root: Path, claims: pd.DataFrame) -> HeadlineData:
    """What the picture shows of the archived results and their scorecard."""
    law = of_the_law(("lcn", "cnn"), 2)
    points = published_values(reference=[str(root / "reference/published_sample_complexity.csv")])
    theirs = law.entering({"sample_complexity": as_sample_complexities(points)})
    cells = pd.read_parquet(root / ROWS / "cells.parquet")
    table = complexities(cells, thresholds=[THRESHOLD])
    grammars = law.entering({"sample_complexity": table, "cells": cells})
    stars = np.exp(np.log(grammars["P_star"]).groupby(grammars["curve"]).mean())
    ours = grammars.drop_duplicates("curve")[["curve", "net", "prediction"]]
    ours = ours.assign(P_star=ours["curve"].map(stars))
    cells = cells[cells["curve"].isin(ours["curve"])]
    felt = pd.read_parquet(root / ROWS / "sensitivities.parquet")
    felt = of_living({"sensitivities": felt[felt["curve"].isin(ours["curve"])], "cells": cells})
    errors = learning_curve_values(cells[~is_dead(cells)], "test_error")
    long = pd.concat([errors, sensitivity_values(felt)]).merge(
        grammars[["curve", "seed"]], on=["curve", "seed"]
    )
    falls = long.groupby(["criterion", "curve", "P"], as_index=False)["value"].median()
    falls = falls.assign(ratio=falls["P"] / falls["curve"].map(stars))
    slope = slope_text(claims)
    return HeadlineData(origin_of(root, slope), slope, ours, theirs, falls)


def draw(what: HeadlineData, shades: Shades) -> Figure:
    """The picture in these colours."""
    ink = dict.fromkeys(
        ("axes.edgecolor", "text.color", "axes.labelcolor", "xtick.color", "ytick.color"),
        shades.ink,
    )
    style = {
        "font.size": 17, "axes.spines.top": False, "axes.spines.right": False,
        "axes.linewidth": 1.2, "axes.facecolor": shades.paper, "figure.facecolor": shades.paper,
        "xtick.major.size": 6, "ytick.major.size": 6, "xtick.minor.size": 0, "ytick.minor.size": 0,
        **ink,
    }  # fmt: skip
    with matplotlib.style.context(style, after_reset=True):
        figure = Figure(figsize=(10, 4.7))
        left, right = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.105, right=0.985, bottom=0.172, top=0.875, wspace=0.21)
        _law(left, what, shades)
        _falls(right, what.falls, shades)
        return figure


def _law(axes: Axes, what: HeadlineData, shades: Shades) -> None:
    span = np.array([40, 1.6e6])
    axes.loglog(span, span, color=shades.guide, lw=1.6, ls=(0, (5, 3)), zorder=1)
    axes.minorticks_off()
    colours = {"lcn": shades.lcn, "cnn": shades.cnn}
    mixed = what.ours.sample(frac=1, random_state=1)  # neither network is always on top
    for row in mixed.to_dict("records"):
        marker = "o" if row["net"] == "lcn" else "s"
        axes.plot(row["prediction"], row["P_star"], marker, ms=7.6, color=colours[row["net"]],
                  mec=shades.paper, mew=0.8, zorder=3)  # fmt: skip
    axes.scatter(what.theirs["prediction"], what.theirs["P_star"], s=36, marker="x", lw=1.4,
                 color=shades.ink, zorder=4)  # fmt: skip
    axes.set(xlim=(40, 1.6e6), ylim=(60, 2.4e6), xticks=[1e2, 1e3, 1e4, 1e5, 1e6],
             xlabel="predicted: Eq. 3 or 4", ylabel="training points $P^*$")  # fmt: skip
    _words(axes, 0.035, [("locally connected", shades.lcn, "bold"),
                         ("convolutional", shades.cnn_words, "bold"),
                         ("× the authors'", shades.ink, "normal")])  # fmt: skip
    axes.text(0.985, 0.055, f"slope {what.slope}", transform=axes.transAxes, ha="right")
    _title(axes, "a", "Data that a network needs")


def _falls(axes: Axes, falls: pd.DataFrame, shades: Shades) -> None:
    colours = {"D_2": shades.shifts, "S_2": shades.synonyms, "test_error": shades.ink}
    for order, (criterion, colour) in enumerate(colours.items()):
        # Of each curve its values at COMMON, NaN beyond its sizes.
        curves = falls[falls["criterion"] == criterion].sort_values("ratio").groupby("curve")
        lines = [
            np.interp(np.log(COMMON), np.log(curve["ratio"]), curve["value"], np.nan, np.nan)
            for _, curve in curves
        ]
        for line in lines:
            axes.plot(COMMON, line, color=colour, lw=0.8, alpha=0.15, zorder=2 + order)
        stack = np.array(lines)
        enough = 2 * np.isfinite(stack).sum(axis=0) >= len(stack)
        middle = np.nanmedian(stack[:, enough], axis=0)
        for width, shade in ((7.5, shades.paper), (4, colour)):
            axes.plot(COMMON[enough], middle, color=shade, lw=width, zorder=6 + order,
                      solid_capstyle="round")  # fmt: skip
    axes.axvline(1, color=shades.guide, lw=1.6, ls=(0, (5, 3)), zorder=1)
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.set(xlim=(0.24, 4.2), ylim=(-0.01, 1.05), xlabel="training points / $P^*$")
    axes.set_xticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.spines["left"].set_bounds(0, 1)
    _words(axes, 0.55, [("test error", shades.ink, "bold"),
                        ("layer 2 reacts", shades.ink, "normal"),
                        ("to synonyms", shades.synonyms, "bold"),
                        ("to shifts", shades.shifts, "bold")])  # fmt: skip
    _title(axes, "b", "Error and sensitivities")


def _words(axes: Axes, x: float, lines: list[tuple[str, str, str]]) -> None:
    for number, (words, colour, weight) in enumerate(lines):
        axes.text(x, 0.955 - 0.095 * number, words, color=colour, weight=weight, va="top",
                  transform=axes.transAxes)  # fmt: skip


def _title(axes: Axes, letter: str, words: str) -> None:
    axes.set_title(rf"$\bf{{{letter}}}$  {words}", loc="left", fontsize=18.5, pad=13, x=-0.02)
