"""R_f against P in the stripe model, R_k and test error on the SRHM."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, between, line, plural, shades
from srhm.studies.relative_stability.analysis import by_network, measured
from srhm.studies.relative_stability.figures.marks import ROW, logarithmic

FEATURE, LAZY = 0.1, 1000.0
SCALES = {FEATURE: ("#D55E00", "o"), LAZY: ("#0072B2", "s")}
NETS = {"cnn": ("#D55E00", "o"), "lcn": ("#009E73", "s"), "fcn": ("#0072B2", "^")}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: stripe model; B: R_k of a CNN on the SRHM; C: test error against R_f there."""
    figure, page = laid_out_page(ROW, preset=preset)
    boxes = page.subplots(1, 3)
    tables = {"cells": cells, "stability": stability}
    stripe = measured(tables, data="stripe")
    srhm = measured(tables, data="srhm")
    layers = measured(tables, data="srhm", part="layers")
    if stripe.empty:
        empty_panel(boxes[0], f"not in preset {preset}")
    else:
        _stripe(boxes[0], stripe)
        panel_title(boxes[0], "A", f"stripe, {_seeds(stripe)}")
    if srhm.empty:
        for axes in boxes[1:]:
            empty_panel(axes, f"not in preset {preset}")
        return figure
    tints = _layers(boxes[1], pd.concat([layers, srhm]))
    panel_title(boxes[1], "B", f"SRHM, CNN, {_seeds(srhm)}")
    _errors(boxes[2], srhm)
    panel_title(boxes[2], "C", "SRHM")
    scales = [_handle(f"$\\tilde\\alpha={scale:g}$", *look) for scale, look in SCALES.items()]
    others = [line("slope $-1$", color=GUIDE, linestyle="--", linewidth=0.8),
              line("before training", color="0.3", linestyle=":")]  # fmt: skip
    last = max(tints)
    ranks = [_handle("output" if k == last else f"layer {k:g}", tint, "o")
             for k, tint in tints.items()]  # fmt: skip
    nets = [_handle(net.upper(), *look) for net, look in NETS.items() if net in set(srhm["net"])]
    add_legends(page, [("Stripe (A)", scales), ("(A, B)", others), ("R of (B)", ranks),
                       ("Net (C)", nets)])  # fmt: skip
    return figure


def _stripe(axes: Axes, rows: pd.DataFrame) -> None:
    for scale, (tint, symbol) in SCALES.items():
        own = rows[rows["alpha_tilde"] == scale]
        looks: Any = (("end", {"marker": symbol}), ("start", {"linestyle": ":"}))
        for when, look in looks:
            means = _means(own[own["when"] == when])
            axes.plot(means.index, means, color=tint, markersize=3.5, linewidth=0.9, **look,
                      gid=f"stripe {scale:g} {when}")  # fmt: skip
    means = _means(rows[(rows["alpha_tilde"] == FEATURE) & (rows["when"] == "end")])
    if len(means):
        ends = np.array([means.index.min(), means.index.max()], dtype=float)
        axes.plot(ends, means.iloc[0] * ends[0] / ends, "--", color=GUIDE, linewidth=0.8,
                  gid="slope -1")  # fmt: skip
    logarithmic(axes, "training points $P$", "$R_f$")


def _layers(axes: Axes, rows: pd.DataFrame) -> dict[float, tuple[float, float, float]]:
    own = rows[(rows["net"] == "cnn") & (rows["alpha_tilde"] == FEATURE)]
    tints = shades([float(k) for k in own["layer"].unique()], "viridis")
    for (k, when), one in own.groupby(["layer", "when"]):
        means = _means(one)
        look: Any = {"marker": "o"} if when == "end" else {"linestyle": ":"}
        tint = tints[float(str(k))]
        axes.plot(means.index, means, color=tint, markersize=3.5, linewidth=0.9, **look,
                  gid=f"layer {k} {when}")  # fmt: skip
    logarithmic(axes, "training points $P$", "$R_k$")
    return tints


def _errors(axes: Axes, rows: pd.DataFrame) -> None:
    for (net, scale), own in rows.groupby(["net", "alpha_tilde"]):
        tint, symbol = NETS[str(net)]
        points = pd.concat([by_network(part) for _, part in own.groupby("P")])
        face = tint if scale == FEATURE else "white"
        axes.plot(points["R"], points["test_error"], color=tint, marker=symbol, markersize=3.5,
                  linewidth=0.6, markerfacecolor=face, gid=f"errors {net} {scale:g}")  # fmt: skip
    logarithmic(axes, "$R_f$", "test error $\\epsilon$")


def _means(rows: pd.DataFrame) -> pd.Series:
    return np.exp(np.log(rows["R"]).groupby(rows["P"]).mean())


def _seeds(rows: pd.DataFrame) -> str:
    counts = rows.groupby(["net", "alpha_tilde", "P"])["seed"].nunique()
    return f"{between(counts)} {plural('seed', int(counts.max()))}"


def _handle(label: str, tint: Any, symbol: str) -> Line2D:
    return Line2D([], [], color=tint, marker=symbol, markersize=3.5, label=label)
