"""Relative stability R_k = D_k/G_k of every layer against P, layer and alpha_tilde.

Letters of the paper: D_k sensitivity of layer k to diffeomorphisms of the input, P training points,
s_0 empty places for each informative one. G_k: the same for noise of equal norm; α̃ = √h α.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line, marker, plural, power, shades
from srhm.studies.complexity.figures.complexity import STUDY, main, protocol
from srhm.studies.complexity.figures.onset import example

NETS = ("lcn", "cnn", "fcn")
ROW = 2.1  # inches, with titles and labels
LETTERS = "ABCDEFGHI"
COLUMNS = ["net", "s0", "alpha_tilde", "P", "seed", "status"]


@styled
def draw(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """A row for each net of the study "complexity", at one s_0 above 0, with most P.

    Left, middle: R_k against P at the smallest and the largest alpha_tilde, a line for each layer;
    dotted: before training. Right: R_k at the largest P that all alpha_tilde have against the
    layer, a line for each alpha_tilde. Lines are averages over the seeds, bands go from the lowest
    to the highest seed. R is drawn where D and G are known; without empty places there is no D.
    """
    own = main(cells[cells["study"] == STUDY])
    values = stabilities(own, sensitivities)
    nets = [net for net in NETS if net in set(values["net"])]
    foot = wrapped(protocol(own[own["net"].isin(nets)]))
    figure, page = laid_out_page(ROW * max(len(nets), 1), preset=preset, foot=foot)
    if not nets:
        empty_panel(page.subplots(), f"no $R_k$ in preset {preset}")
        return figure
    tildes = shades(sorted(set(values["alpha_tilde"].tolist())), "plasma")
    layers = shades([float(k) for k in values["k"].unique()], "viridis")
    letters = iter(LETTERS)
    for net, boxes in zip(nets, page.subplots(len(nets), 3, squeeze=False), strict=True):
        mine = values[values["net"] == net]
        s0 = example(mine)
        mine = mine[mine["s0"] == s0]
        ends = (mine["alpha_tilde"].min(), mine["alpha_tilde"].max())
        for axes, tilde in zip(boxes[:2], ends, strict=True):
            title = f"{net.upper()}, $s_0={s0}$, $\\tilde\\alpha={power(tilde)}$"
            panel_title(axes, next(letters), title)
            _against_points(axes, mine[mine["alpha_tilde"] == tilde], layers)
        boxes[0].set_ylabel("$R_k = D_k/G_k$")
        _against_layers(boxes[2], mine, tildes, next(letters))
        _same_heights(boxes, mine)
    add_legends(page, _legends(values, layers, tildes))
    return figure


def stabilities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """R of every layer: net, s0, alpha_tilde, P, seed, status, when, layer, k, value, n_layers.

    Rows of level 1 with a positive finite value; members of a seed are rows of their own.
    """
    columns = [*COLUMNS, "when", "layer", "k", "value"]
    if sensitivities.empty or cells.empty:
        return pd.DataFrame(columns=columns)
    chosen = (
        (sensitivities["kind"] == "R")
        & (sensitivities["l"] == 1)
        & (sensitivities["n"] > 0)
        & (sensitivities["value"] > 0)
        & np.isfinite(sensitivities["value"])
    )
    return cells[["curve", "key", *COLUMNS]].merge(sensitivities[chosen], on=["curve", "key"])[
        columns
    ]


def _against_points(axes: Axes, values: pd.DataFrame, layers: Any) -> None:
    for k in sorted(set(values["k"].tolist())):
        own, tint = values[values["k"] == k], layers[float(k)]
        before = own[own["when"] == "initial"]
        if len(before):
            axes.axhline(float(np.exp(np.log(before["value"]).mean())), color=tint, linewidth=0.8,
                         linestyle=":", zorder=1, gid=f"initial {k}")  # fmt: skip
        _line(axes, own[own["when"] == "end"], "P", tint, gid=f"layer {k}")
    axes.set(xscale="log", yscale="log", xlabel="training points $P$")
    n = values["seed"].nunique()
    axes.text(0.03, 0.03, f"{n} {plural('seed', n)}", transform=axes.transAxes, ha="left",
              va="bottom", fontsize=7)  # fmt: skip
    low, high = axes.get_xlim()
    if high / low < 100:
        few_ticks(axes.xaxis, low, high)


def _against_layers(axes: Axes, values: pd.DataFrame, tildes: Any, letter: str) -> None:
    n_tildes = values["alpha_tilde"].nunique()
    shared = values.groupby("P")["alpha_tilde"].nunique()
    P = shared[shared == n_tildes].index.max()
    at = values[values["P"] == (values["P"].max() if np.isnan(P) else P)]
    _line(axes, at[at["when"] == "initial"], "k", "0.5", gid="initial", style=":")
    for tilde, own in at[at["when"] == "end"].groupby("alpha_tilde"):
        _line(axes, own, "k", tildes[tilde], gid=f"alpha_tilde {tilde:g}")
    names = at.drop_duplicates("k").sort_values("k")
    labels = ["out" if name == "output" else f"${name}$" for name in names["layer"]]
    axes.set(yscale="log", xlabel="layer $k$")
    axes.set_xticks(names["k"].tolist(), labels)
    panel_title(axes, letter, f"$P={int(at['P'].iloc[0])}$")


def _line(
    axes: Axes, values: pd.DataFrame, at: str, tint: Any, *, gid: str, style: str = "-"
) -> None:
    """Geometric means over the seeds, and from the lowest to the highest of them."""
    if values.empty:
        return
    logs = np.log(values["value"]).groupby([values[at], values["seed"]]).mean()
    found = np.exp(logs.groupby(level=0).agg(["mean", "min", "max"]))
    axes.fill_between(found.index, found["min"], found["max"], color=tint, alpha=0.2, linewidth=0)
    axes.plot(found.index, found["mean"], style, color=tint, linewidth=1.1, gid=gid)
    for x in found.index.tolist():
        open_ = bool((values.loc[values[at] == x, "status"] != "fitted").any())
        axes.plot([x], [found["mean"][x]], "o", color=tint, markersize=3.4, zorder=3,
                  markerfacecolor="white" if open_ else tint,
                  gid=f"{gid} {'capped' if open_ else 'fitted'}")  # fmt: skip


def _same_heights(panels: Sequence[Axes], values: pd.DataFrame) -> None:
    low, high = float(values["value"].min()) / 1.5, float(values["value"].max()) * 1.5
    for axes in panels:
        axes.axhline(1.0, color=GUIDE, linewidth=0.7, linestyle="--", zorder=1, gid="R = 1")
        axes.set_ylim(low, high)
        if high / low < 100:
            few_ticks(axes.yaxis, low, high)


def _legends(values: pd.DataFrame, layers: Any, tildes: Any) -> list[tuple[str, list[Line2D]]]:
    """Titles and handles of layers, alpha_tilde, lines and points."""
    names = values.drop_duplicates("k").set_index("k")["layer"]
    of_layers = [
        line("output" if names[int(k)] == "output" else f"$k={names[int(k)]}$", color=c,
             marker="o", markersize=3.4)
        for k, c in layers.items()
    ]  # fmt: skip
    of_tildes = [
        line(f"${power(a)}$", color=c, marker="o", markersize=3.4) for a, c in tildes.items()
    ]
    kinds = [
        line("before training", color="0.5", linestyle=":"),
        marker("o", "open: a run did not fit within its budget"),
        line("$R=1$", color=GUIDE, linestyle="--"),
    ]
    return [
        ("Layer (left, middle)", of_layers),
        ("$\\tilde\\alpha$ (right)", of_tildes),
        ("Lines and points", kinds),
    ]
