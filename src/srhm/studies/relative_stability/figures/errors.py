"""Test error against R_f, D_f and 1/G_f, over networks."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.relative_stability.analysis import (
    at_largest,
    by_network,
    log_correlations,
    measured,
)
from srhm.studies.relative_stability.figures.marks import (
    ROW,
    handles,
    logarithmic,
    style,
    trained_counts,
)

AXES = {"R": "$R_f$", "D": "$D_f$", "G": "$1/G_f$"}
COEFFICIENT = 0.24  # of the fit in the thesis' Figure 5


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: test error against R_f; B: D_f; C: 1/G_f, at all P; the largest P filled."""
    figure, page = laid_out_page(ROW, preset=preset)
    boxes = page.subplots(1, 3)
    rows = measured({"cells": cells, "stability": stability})
    if rows.empty:
        for axes in boxes:
            empty_panel(axes, f"not in preset {preset}")
        return figure
    for axes, letter, (quantity, name) in zip(boxes, "ABC", AXES.items(), strict=True):
        against_error(axes, rows, quantity)
        logarithmic(axes, name, "test error $\\epsilon$" if letter == "A" else "")
        networks = by_network(at_largest(rows))
        title = trained_counts(at_largest(rows))
        if len(networks) >= 4:
            chosen = networks.assign(G=1 / networks["G"])
            (value,), _ = log_correlations(chosen, [quantity], generator=np.random.default_rng(0))
            title = f"correlation {value:.2f}, {title}" if letter == "A" else f"{value:.2f}"
        panel_title(axes, letter, title)
    limits = np.array(boxes[0].get_xlim())
    boxes[0].plot(limits, COEFFICIENT * np.sqrt(limits), "--", color=GUIDE, linewidth=0.8,
                  gid="thesis", zorder=1)  # fmt: skip
    boxes[0].set_xlim(limits)
    guides = [line("$0.24\\,R_f^{1/2}$ (CIFAR-10)", color=GUIDE, linestyle="--", linewidth=0.8)]
    add_legends(page, [("Network", handles(rows)), ("Thesis", guides)])
    return figure


def against_error(axes: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Each net at each P: mean error and geometric mean over seeds, joined by a thin line."""
    largest = rows["P"].max()
    for net, own in rows.groupby("net"):
        points = pd.concat({P: by_network(part) for P, part in own.groupby("P")})
        if points.empty:
            continue
        x = 1 / points[quantity] if quantity == "G" else points[quantity]
        marks = style(str(net))
        axes.plot(x, points["test_error"], color=marks["color"], linewidth=0.6, alpha=0.6,
                  gid=f"path {net}")  # fmt: skip
        for P, at, error in zip(points.index.get_level_values(0), x, points["test_error"],
                                strict=True):  # fmt: skip
            face = marks["color"] if largest == P else "white"
            axes.plot([at], [error], **marks, markerfacecolor=face, gid=f"point {net} {P}")
