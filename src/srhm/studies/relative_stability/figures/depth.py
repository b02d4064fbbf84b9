"""R by depth, before and after training."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.relative_stability.analysis import is_deep, measured
from srhm.studies.relative_stability.figures.marks import (
    ROW,
    handles,
    plain_ticks,
    style,
    trained_counts,
)


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: fully connected networks and LeNet; B: VGG, ResNet, EfficientNet."""
    figure, page = laid_out_page(1.1 * ROW, preset=preset)
    boxes = page.subplots(1, 2, sharey=True)
    rows = measured({"cells": cells, "stability": stability}, part="layers")
    for axes, letter, deep in zip(boxes, "AB", (False, True), strict=True):
        own = rows[is_deep(rows["net"]) == deep] if len(rows) else rows
        if own.empty:
            empty_panel(axes, f"not in preset {preset}")
            continue
        for (net, when), one in own.groupby(["net", "when"]):
            means = np.exp(np.log(one["R"]).groupby(one["depth"]).mean())
            look = {"linestyle": "-"} if when == "end" else {"linestyle": "--", "alpha": 0.6}
            axes.plot(means.index, means, **{**style(str(net)), "markersize": 2.5, **look},
                      linewidth=0.9, gid=f"{when} {net}")  # fmt: skip
        axes.set(yscale="log", xlim=(-0.03, 1.03), xlabel="relative depth",
                 ylabel="$R$ of the layer" if letter == "A" else "")  # fmt: skip
        axes.axhline(1, color=GUIDE, linewidth=0.8, linestyle=":", gid="one")
        name = "VGG, ResNet, EfficientNet" if deep else "fully connected, LeNet"
        panel_title(axes, letter, f"{name}: {trained_counts(own)}")
        plain_ticks(axes.yaxis)
    if rows.empty:
        return figure
    states = [line("before training", color="0.3", linestyle="--"),
              line("after training", color="0.3"),
              line("$R=1$", color=GUIDE, linestyle=":", linewidth=0.8)]  # fmt: skip
    add_legends(page, [("Network", handles(rows)), ("Training", states)])
    return figure
