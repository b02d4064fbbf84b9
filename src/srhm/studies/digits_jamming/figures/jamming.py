"""Unsatisfied points, misclassified points and N*(P) of digits beside random data (chapter 1).

Letters of the thesis: N number of weights, N_Delta unsatisfied points, N* the smallest N that fits
P points.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import NAMES
from srhm.figures.marks import GUIDE, few_ticks, line, marker, plural
from srhm.statistics.jamming import LEAST_LOSS, smallest_that_fit, with_jamming

COLOURS = {
    **{"digits_pca": "#0072B2", "digits": "#009E73", "random": "#D55E00"},
    **{"mnist_pca": "#56B4E9", "mnist": "#CC79A7"},
}
MARKERS = {2: "v", 3: "o", 5: "s"}
# Chapter 1: N_Delta/N at the transition of random data, and P/N there.
AT_TRANSITION, LOAD = 0.75, 2.9
LEAST = 0.25  # chapter 2a: of any jammed network
ABSENT = "not in this preset"


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """N_Delta/N against P/N and the loss; misclassified part against the loss; N*(P).

    cells: rows of FLOW_CELLS of the study, a marker for each network that did not diverge. Losses
    below LEAST_LOSS, and of networks that fit, are drawn at it.
    """
    marked = with_jamming(cells) if len(cells) else cells
    figure, page = laid_out_page(4.4, preset=preset, foot=wrapped(_protocol(marked)))
    if marked.empty:
        empty_panel(page.subplots(), ABSENT)
        return figure
    load, loss, wrong, stars = page.subplots(2, 2).ravel()
    at_loss = np.maximum(np.where(marked["fits"], LEAST_LOSS, marked["mean_loss"]), LEAST_LOSS)
    marked = marked.assign(at_loss=at_loss, wrong=marked["train_error"])
    kinds = marked[["data", "hidden_layers"]].drop_duplicates().to_numpy().tolist()
    for data, depth in kinds:
        own = marked[(marked["data"] == data) & (marked["hidden_layers"] == depth)]
        style: Any = {
            **{"linestyle": "", "marker": MARKERS.get(depth, "D"), "color": COLOURS[data]},
            **{"markersize": 3.2, "markerfacecolor": "none", "alpha": 0.8},
        }
        for axes, x, y in (
            (load, "load", "unsatisfied"),
            (loss, "at_loss", "unsatisfied"),
            (wrong, "at_loss", "wrong"),
        ):
            axes.plot(own[x], own[y], **style, gid=f"{data} L={depth}")
    _thresholds(stars, smallest_that_fit(cells), marked)
    titles = ("against $P/N$", "against the loss", "misclassified", "$N^*(P)$")
    for letter, axes, title in zip("ABCD", (load, loss, wrong, stars), titles, strict=True):
        panel_title(axes, letter, title)
    for axes in (load, loss):
        axes.axhline(AT_TRANSITION, color=GUIDE, linewidth=0.8, linestyle="--", zorder=1)
        axes.axhline(LEAST, color=GUIDE, linewidth=0.8, linestyle=":", zorder=1)
        axes.set_yscale("symlog", linthresh=1.0, linscale=2.0)
        axes.set_yticks([0, 0.5, 1, 10], labels=["0", "0.5", "1", "10"])
        axes.set_yticks([], minor=True)
        axes.set(ylim=(-0.05, None), ylabel="$N_\\Delta/N$")
    load.set(xscale="log", xlabel="$P/N$")
    for axes in (loss, wrong):
        axes.set(xscale="log", xlabel="training loss")
    wrong.set_ylabel("misclassified part of $P$")
    add_legends(page, [("Data", _handles(marked)), ("Lines", _guides())])
    return figure


def _thresholds(axes: Axes, table: pd.DataFrame, marked: pd.DataFrame) -> None:
    """A bar from the widest jammed network to the next wider one; an arrow for a bound."""
    for _, row in table.iterrows() if len(table) else ():
        tint, shape = COLOURS[row["data"]], MARKERS.get(row["hidden_layers"], "D")
        gid = f"{row['data']} L={row['hidden_layers']} {row['status']}"
        if row["status"] == "reached":
            axes.plot([row["P"]] * 2, [row["N_low"], row["N_high"]], color=tint, linewidth=1.0)
            axes.plot(row["P"], row["N_star"], shape, color=tint, markersize=4, gid=gid)
        else:
            above = row["status"] == "above_range"
            end = row["N_low"] if above else row["N_high"]
            axes.plot(row["P"], end, "^" if above else "v", color=tint, markersize=4,
                      markerfacecolor="white", gid=gid)  # fmt: skip
    P = np.array([marked["P"].min(), marked["P"].max()], dtype=float)
    axes.plot(P, P / LOAD, color=GUIDE, linewidth=0.8, linestyle="--", zorder=1, gid="random")
    axes.set(xscale="log", yscale="log", xlabel="training points $P$", ylabel="$N^*$")
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high / low < 100:
            few_ticks(axis, low, high)


def _protocol(marked: pd.DataFrame) -> list[str]:
    """How the networks were trained and how that ended, a line for each kind of data."""
    found = []
    for data, own in marked.groupby("data") if len(marked) else ():
        counts = own["status"].value_counts()
        ends = ", ".join(
            f"{counts[word]} {word}" for word in ("fitted", "capped") if word in counts
        )
        sets = own["seed"].nunique()
        found.append(
            f"{NAMES[str(data)]}: FCN, quadratic hinge, {own['optimiser'].iloc[0]}, at most"
            f" {own['budget'].max():,} evaluations; {len(own)} networks of"
            f" {sets} {plural('data set', sets)}: {ends}, {int(own['jammed'].sum())} jammed"
        )
    return found


def _handles(marked: pd.DataFrame) -> list[Line2D]:
    kinds = marked[["data", "hidden_layers"]].drop_duplicates().sort_values("data")
    return [
        marker(MARKERS.get(depth, "D"), f"{NAMES[data]}, $L={depth}$", color=COLOURS[data],
               markeredgecolor=COLOURS[data])
        for data, depth in kinds.itertuples(index=False)
    ]  # fmt: skip


def _guides() -> list[Line2D]:
    return [
        line(f"{AT_TRANSITION:g} (A, B), $N=P/{LOAD:g}$ (D): random data", color=GUIDE,
             linestyle="--"),
        line(f"{LEAST:g}: least of a jammed network", color=GUIDE, linestyle=":"),
        line("bar: widest jammed network to the next wider", color="0.3"),
        marker("^", "open triangle: $N^*$ lies that way"),
    ]  # fmt: skip
