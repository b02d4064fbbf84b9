"""R_f against the displacement by two interpolations, and G_f against the noise."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.relative_stability.analysis import measured
from srhm.studies.relative_stability.figures.marks import (
    ROW,
    handles,
    logarithmic,
    style,
    trained_counts,
)

WHEN = {"start": "before training", "end": "after training"}


@styled
def draw(
    cells: pd.DataFrame, stability: pd.DataFrame, noise: pd.DataFrame, *, preset: str
) -> Figure:
    """A, B: R_f against δ before and after training; C: G_f against the norm of the noise."""
    figure, page = laid_out_page(ROW, preset=preset)
    boxes = page.subplots(1, 3)
    tables = {"cells": cells, "stability": stability, "noise": noise}
    rows = measured(tables, part="displacements")
    noises = measured(tables, table="noise")
    if rows.empty or noises.empty:
        for axes in boxes:
            empty_panel(axes, f"not in preset {preset}")
        return figure
    for axes, letter, (when, name) in zip(boxes, "AB", WHEN.items(), strict=False):
        for (net, kind), own in rows[rows["when"] == when].groupby(["net", "interpolation"]):
            means = _means(own, "displacement", "R")
            look = {"linestyle": "-"} if kind == "bilinear" else {"linestyle": ":"}
            axes.plot(means.index, means, **{**style(str(net)), "markersize": 2.5, **look},
                      linewidth=0.9, gid=f"{when} {net} {kind}")  # fmt: skip
        logarithmic(axes, "displacement $\\delta$ (pixels)", "$R_f$" if letter == "A" else "")
        panel_title(axes, letter, name)
    _noise(boxes[2], noises)
    panel_title(boxes[2], "C", f"after training, {trained_counts(rows)}")
    kinds = [line("bilinear", color="0.3"), line("Gaussian", color="0.3", linestyle=":"),
             line("slope 2 (C)", color=GUIDE, linestyle="--", linewidth=0.8)]  # fmt: skip
    add_legends(page, [("Network", handles(rows)), ("Interpolation (A, B)", kinds)])
    return figure


def _noise(axes: Axes, rows: pd.DataFrame) -> None:
    ended = rows[rows["when"] == "end"]
    for net, own in ended.groupby("net"):
        means = _means(own, "times", "G")
        at = own.groupby("times")["noise_norm"].mean()
        axes.plot(at, means, **{**style(str(net)), "markersize": 2.5}, linewidth=0.9,
                  gid=f"noise {net}")  # fmt: skip
    norms = np.array([ended["noise_norm"].min(), 1.0])
    first = float(np.exp(np.log(ended.groupby("times")["G"].mean().iloc[0])))
    axes.plot(norms, 3 * first * (norms / norms[0]) ** 2, "--", color=GUIDE, linewidth=0.8,
              gid="slope 2")  # fmt: skip
    logarithmic(axes, "norm of the noise $\\|\\eta\\|$", "$G_f$")


def _means(rows: pd.DataFrame, by: str, quantity: str) -> pd.Series:
    """Geometric means over seeds."""
    return np.exp(np.log(rows[quantity]).groupby(rows[by]).mean())
