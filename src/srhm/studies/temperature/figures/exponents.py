"""Exponents of (s_0+1) and of m, and the constants of Eq. 3 and 4, against T.

Letters as in the other figures of the study; C_0 (LCN) and C_1 (CNN) are the constants.
"""

from collections.abc import Sequence
from math import isfinite

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line, marker, shown
from srhm.studies.temperature.analysis import TEXT

LOOKS = {
    ("cnn", 2): ("s", "#D55E00"),
    ("cnn", 3): ("s", "#0072B2"),
    ("lcn", 2): ("o", "#E69F00"),
    ("lcn", 3): ("o", "#56B4E9"),
}
TITLES = {
    "s0+1": ("exponent of $s_0+1$", "exponent of $s_0+1$"),
    "m": ("exponent of $m$", "exponent of $m$"),
    "constant": ("constants", "$C_0$ (LCN), $C_1$ (CNN)"),
}
ROW = 2.6  # inches
LIMIT, APART = 0.35, 1.08  # factors of T: where the limit stands, and between kinds of nets
WAYS = ("one rate", "table")


@styled
def draw(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """A: exponents of (s_0+1) against T; B: of m; C: constants; D: with the table's rates.

    exponents: rows of EXPONENTS. Left of the smallest T: the limit. D: the exponent at the T that
    the published table has for s_0 = 1, at all s_0, and at the T that it has for each s_0.
    """
    figure, part = laid_out_page(2 * ROW, preset=preset)
    panels = part.subplots(2, 2)
    for axes, letter, (of, (title, label)) in zip(panels.flat, "ABC", TITLES.items(), strict=False):
        own = exponents[(exponents["of"] == of) & exponents["at"].isin(["ratio", "limit"])]
        panel_title(axes, letter, title)
        if own.empty:
            empty_panel(axes, f"not in preset {preset}")
            continue
        _against_ratio(axes, own, label, logarithmic=of == "constant")
    _table(panels[1, 1], exponents, preset)
    add_legends(part, [("Nets", _nets(exponents)), ("", _kinds(list(panels.flat)))])
    return figure


def _against_ratio(axes: Axes, rows: pd.DataFrame, label: str, *, logarithmic: bool) -> None:
    fixed = rows[rows["at"] == "ratio"]
    smallest = float(fixed["ratio"].min()) if len(fixed) else TEXT
    for place, ((net, depth), (shape, tint)) in enumerate(LOOKS.items()):
        shift = APART ** (place - 1.5)
        own = rows[(rows["net"] == net) & (rows["L"] == depth)]
        for at in ("ratio", "limit"):
            kind = own[own["at"] == at].sort_values("ratio")
            x = kind["ratio"] * shift if at == "ratio" else [smallest * LIMIT * shift] * len(kind)
            for at_x, row in zip(x, kind.to_dict("records"), strict=True):
                if isfinite(row["low"]) and isfinite(row["high"]):
                    axes.plot([at_x, at_x], [row["low"], row["high"]], "-", color=tint,
                              linewidth=0.9, gid="interval")  # fmt: skip
            axes.plot(x, kind["value"], shape if at == "limit" else f"{shape}-", color=tint,
                      markersize=4, linewidth=0.7,
                      markerfacecolor="white" if at == "limit" else tint,
                      gid=f"{at} {net} {depth}")  # fmt: skip
        if len(own) and not logarithmic:
            axes.axhline(float(own["expected"].iloc[0]), color=GUIDE, linewidth=0.8,
                         linestyle="--", gid="expected")  # fmt: skip
    axes.axvline(smallest * LIMIT**0.5, color=GUIDE, linewidth=0.5, linestyle=":", gid="to zero")
    axes.axvline(TEXT, color=GUIDE, linewidth=0.6, linestyle="-.", gid="the text's T")
    axes.set(xscale="log", xlabel="$T=\\eta/[B\\,(1-\\mu)]$; left: limit", ylabel=label)
    if (ends := axes.get_xlim())[1] / ends[0] < 100:
        few_ticks(axes.xaxis, *ends)
    if logarithmic:
        axes.set_yscale("log")
        few_ticks(axes.yaxis, *axes.get_ylim())
    else:
        axes.ticklabel_format(axis="y", useOffset=False)


def _table(axes: Axes, exponents: pd.DataFrame, preset: str) -> None:
    """The exponent of (s_0+1) at one rate of the table and at all of its rates."""
    panel_title(axes, "D", "what the table of rates does")
    own = exponents[exponents["at"].isin(WAYS)]
    if own.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    for place, ((net, depth), (shape, tint)) in enumerate(LOOKS.items()):
        of_kind = own[(own["net"] == net) & (own["L"] == depth)].to_dict("records")
        rows = {str(row["at"]): row for row in of_kind}
        if set(rows) != set(WAYS):
            continue
        x = [at + 0.06 * (place - 1.5) for at in range(len(WAYS))]
        for at_x, way in zip(x, WAYS, strict=True):
            low, high = float(rows[way]["low"]), float(rows[way]["high"])
            if isfinite(low) and isfinite(high):
                axes.plot([at_x, at_x], [low, high], "-", color=tint, linewidth=0.9,
                          gid="interval")  # fmt: skip
        values = [float(rows[way]["value"]) for way in WAYS]
        axes.plot(x, values, f"{shape}-", color=tint, markersize=4, linewidth=0.7,
                  gid=f"table {net} {depth}")  # fmt: skip
        axes.axhline(float(rows["table"]["expected"]), color=GUIDE, linewidth=0.8,
                     linestyle="--", gid="expected")  # fmt: skip
    axes.set_xticks(range(len(WAYS)), ["rate of $s_0=1$", "published rates"])
    axes.set(xlim=(-0.4, 1.4), ylabel="exponent of $s_0+1$")


def _nets(exponents: pd.DataFrame) -> list[Line2D]:
    there = set(zip(exponents["net"], exponents["L"], strict=True))
    return [
        marker(shape, f"{net.upper()}, $L={depth}$", markerfacecolor=tint, markeredgecolor=tint)
        for (net, depth), (shape, tint) in LOOKS.items()
        if (net, depth) in there
    ]


def _kinds(panels: Sequence[Axes]) -> list[Line2D]:
    return shown(
        {
            "interval": marker("|", "95 % interval, paired seeds", markersize=8),
            "limit ": marker("s", "limit, both extrapolations"),
            "expected": line("Eq. 3, Eq. 4", color=GUIDE, linestyle="--"),
            "the text's T": line("the text's $T$", color=GUIDE, linestyle="-."),
        },
        panels,
    )
