"""R_f before and after training, and D_f, G_f, R_f against P."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.relative_stability.analysis import at_largest, measured
from srhm.studies.relative_stability.figures.marks import (
    ROW,
    handles,
    logarithmic,
    plain_ticks,
    style,
    trained_counts,
)

SPREAD = 0.7  # of the width of a net in panel A that its seeds take
NAMES = {"R": "$R_f$", "D": "$D_f$", "G": "$G_f$"}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: R_f of each seed before and after training at the largest P; B to D: against P."""
    figure, page = laid_out_page(2 * ROW, preset=preset)
    boxes = page.subplots(2, 2).ravel()
    rows = measured({"cells": cells, "stability": stability})
    if rows.empty:
        for axes in boxes:
            empty_panel(axes, f"not in preset {preset}")
        return figure
    before_and_after(boxes[0], at_largest(rows))
    panel_title(boxes[0], "A", f"$P={rows['P'].max():.0f}$, {trained_counts(at_largest(rows))}")
    for axes, letter, (quantity, name) in zip(boxes[1:], "BCD", NAMES.items(), strict=True):
        against_size(axes, rows, quantity)
        panel_title(axes, letter, f"{name} after training")
    boxes[1].axhline(1, color=GUIDE, linewidth=0.8, linestyle=":", gid="one")
    ends = [Line2D([], [], color="0.3", marker="_", linestyle="", label="before"),
            Line2D([], [], color="0.3", marker="o", linestyle="", markersize=4, label="after"),
            line("$R_f=1$", color=GUIDE, linewidth=0.8, linestyle=":")]  # fmt: skip
    add_legends(page, [("Network", handles(rows)), ("Training", ends)])
    return figure


def against_size(axes: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """A quantity of trained networks against P, geometric means over seeds."""
    for net, own in rows[rows["when"] == "end"].groupby("net"):
        means = np.exp(np.log(own[quantity]).groupby(own["P"]).mean())
        axes.plot(means.index, means, **style(str(net)), linewidth=1.0, gid=f"{quantity} {net}")
    logarithmic(axes, "training images $P$", NAMES[quantity])


def before_and_after(axes: Axes, rows: pd.DataFrame) -> None:
    """R_f of each net and seed of one P, before and after training."""
    names = [str(handle.get_label()) for handle in handles(rows)]
    places = {str(name): k for k, name in enumerate(names)}
    for net, own in rows.groupby("net"):
        marks = style(str(net))
        label = next(str(one.get_label()) for one in handles(own))
        seeds = sorted(own["seed"].unique())
        for (when, seed), one in own.groupby(["when", "seed"]):
            shift = SPREAD * ((seeds.index(seed) + 0.5) / len(seeds) - 0.5)
            before = {"marker": "_", "markersize": 5} if when == "start" else {}
            axes.plot([places[label] + shift], one["R"], **{**marks, **before},
                      gid=f"{when} {net}")  # fmt: skip
    axes.axhline(1, color=GUIDE, linewidth=0.8, linestyle=":", gid="one")
    axes.set(yscale="log", ylabel="$R_f$", xlim=(-0.6, len(names) - 0.4))
    short = [name.replace(" hidden layers", "").replace(", batch norm", " bn") for name in names]
    axes.set_xticks(range(len(names)), short, rotation=90, fontsize=6)
    plain_ticks(axes.yaxis)
