"""P* against the ratio of learning rate to batch size, and what else may count.

Letters of the paper: P* sample complexity, L depth, s_0 empty places for each informative one, v
features; T: learning rate over batch size times (1 - momentum).
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    ARROW,
    EQUATIONS,
    GUIDE,
    draw_arrow,
    estimate,
    few_ticks,
    line,
    marker,
    shown,
)
from srhm.results.coordinates import NET_AND_DATA
from srhm.studies.temperature.analysis import MAIN, TEXT, line_of, of_errors

# Okabe and Ito's colours of s_0, as in other figures; markers of v.
HUES = {0: "#009E73", 1: "#D55E00", 2: "#0072B2", 4: "#AA4499"}
OTHER_HUE = "#666666"
MARKERS = {4: "o", 6: "s", 8: "^", 10: "D"}
OTHER_MARKER = "X"
BATCHES = {1: "v", 4: "s", 16: "p", 64: "h", 256: "8"}
BATCH_HUES = {1: "#56B4E9", 4: "#3C3C3C", 16: "#009E73", 64: "#E69F00", 256: "#CC79A7"}
KINDS = (("cnn", 2), ("cnn", 3), ("lcn", 2), ("lcn", 3))
ROW = 2.7  # inches
# Where the limit stands left of the smallest T, and how far v are drawn apart: factors of T.
LIMIT, APART = 0.35, 1.06
# What is compared with the line at equal T: columns in which a curve differs, and how it is drawn.
OTHERS: Mapping[str, tuple[Mapping[str, Any], str, str]] = {
    "width 128": ({"width": 128}, "o", "#0072B2"),
    "width 512": ({"width": 512}, "D", "#0072B2"),
    "stop at $10^{-2}$": ({"loss_threshold": 1e-2}, "^", "#009E73"),
    "stop at $10^{-4}$": ({"loss_threshold": 1e-4}, "v", "#009E73"),
    "dense reference": ({"engine": "reference"}, "P", "#3C3C3C"),
}
CRITERIA = {"S_2": ("$P^*_S$", "X", "#D55E00"), "D_2": ("$P^*_D$", "d", "#AA4499")}


@styled
def draw(complexities: pd.DataFrame, limits: pd.DataFrame, *, preset: str) -> Figure:
    """P* over Eq. 3 or 4 against T, a panel for each net and L, and two of the single choices.

    complexities, limits: rows of COMPLEXITIES and LIMITS. Left of the smallest T: the limit with
    the interval of both extrapolations, gradient descent, gradient flow. C: P* of one family at
    batch sizes and momenta. F: P* of other widths, stops, of the reference, and P*_S and P*_D, over
    P* of the line at equal T.
    """
    figure, part = laid_out_page(2 * ROW, preset=preset)
    panels = part.subplots(2, 3)
    rows = line_of(complexities)
    places = {KINDS[0]: (0, 0), KINDS[1]: (0, 1), KINDS[2]: (1, 0), KINDS[3]: (1, 1)}
    for (net, depth), place in places.items():
        axes, letter = panels[place], "ABCDEF"[place[1] + 3 * place[0]]
        own = rows[(rows["net"] == net) & (rows["L"] == depth)] if len(rows) else rows
        # Exponents of m have families of their own: their constants are those of the other figure.
        own = own[own["m"] == own["v"] ** (own["s"] - 1)] if len(own) else own
        panel_title(axes, letter, f"{net.upper()}, $L={depth}$: {own['curve'].nunique()} curves"
                    if len(own) else f"{net.upper()}, $L={depth}$")  # fmt: skip
        if own.empty:
            empty_panel(axes, f"not in preset {preset}")
            continue
        _kind(axes, own, limits, EQUATIONS[net][0])
    _batches(panels[0, 2], complexities, preset)
    _others(panels[1, 2], complexities, preset)
    add_legends(part, _legends(list(panels.flat), rows))
    return figure


def _kind(axes: Axes, rows: pd.DataFrame, limits: pd.DataFrame, equation: str) -> None:
    features = sorted(set(rows["v"]))
    smallest = float(rows["ratio"].min())
    for _, own in rows.groupby(["s0", "v"]):
        s0, v = (int(own[name].iloc[0]) for name in ("s0", "v"))
        shift = APART ** (features.index(v) - (len(features) - 1) / 2)
        tint, shape = HUES.get(s0, OTHER_HUE), MARKERS.get(v, OTHER_MARKER)
        reached = own[own["status"] == "reached"]
        axes.plot(reached["ratio"] * shift, reached["P_star"] / reached["prediction"], "-",
                  color=tint, linewidth=0.7, alpha=0.6, gid=f"line s0={s0} v={v}")  # fmt: skip
        for _, row in own.iterrows():
            _point(axes, row["ratio"] * shift, row, row["prediction"], tint, shape)
        for _, limit in _of(limits, own.iloc[0]).iterrows():
            x = smallest * LIMIT * shift
            _limit(axes, x, limit, tint, shape)
    axes.axvline(smallest * LIMIT**0.5, color=GUIDE, linewidth=0.5, linestyle=":", gid="to zero")
    axes.axvline(TEXT, color=GUIDE, linewidth=0.8, linestyle="--", gid="the text's T")
    axes.set(xscale="log", yscale="log", xlabel="$T=\\eta/[B\\,(1-\\mu)]$; left: limit",
             ylabel=f"$P^*$ over {equation}")  # fmt: skip
    _ticks(axes)


def _ticks(axes: Axes) -> None:
    """Plain labels where an axis has hardly two decades."""
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high / low < 100:
            few_ticks(axis, low, high)


def _of(table: pd.DataFrame, row: pd.Series) -> pd.DataFrame:
    own = table
    for name in NET_AND_DATA:
        if len(own):
            own = own[own[name] == row[name]]
    return own


def _point(
    axes: Axes, x: float, row: pd.Series, scale: float, tint: str, shape: str, *, face: str = ""
) -> None:
    one = estimate(row)
    if one.value is None:
        return
    kind = {1: "not_reached (bound)", -1: "below_range (bound)"}.get(one.beyond, "reached")
    if one.bar:
        axes.plot([x, x], [end / scale for end in one.bar], "-", color=tint, linewidth=0.8,
                  gid="interval")  # fmt: skip
    if one.beyond:
        draw_arrow(axes, (x, one.value / scale), (0, ARROW * one.beyond), tint=tint)  # type: ignore[arg-type]
    fill = "white" if one.beyond or row["small_pool"] else face or tint
    gid = "small pool" if row["small_pool"] and not one.beyond else kind
    axes.plot([x], [one.value / scale], shape, color=tint, markersize=3.8, markerfacecolor=fill,
              markeredgewidth=0.8, gid=gid)  # fmt: skip


def _limit(axes: Axes, x: float, row: pd.Series, tint: str, shape: str) -> None:
    scale = row["prediction"]
    if isfinite(row["P_limit_high"]):
        axes.plot([x, x], [row["P_limit_low"] / scale, row["P_limit_high"] / scale], "-",
                  color=tint, linewidth=1.6, alpha=0.6, gid="interval of a limit")  # fmt: skip
    axes.plot([x], [row["P_limit"] / scale], shape, color=tint, markersize=3.8,
              markerfacecolor="white", gid="limit")  # fmt: skip
    for name, symbol in (("P_full", "_"), ("P_flow", "x")):
        if isfinite(row[name]):
            axes.plot([x], [row[name] / scale], symbol, color="black", markersize=6,
                      markeredgewidth=1.1, gid=name)  # fmt: skip


def _batches(axes: Axes, complexities: pd.DataFrame, preset: str) -> None:
    """P* of the family of most batch sizes and momenta."""
    rows = of_errors(complexities)
    if len(rows):
        kind = {name: MAIN[name] for name in ("engine", "batch", "loss_threshold", "width")}
        for name, value in kind.items():
            rows = rows[rows[name] == value]
        rows = rows[rows["ratio"] > 0]
    if len(rows):
        n = rows.groupby(list(NET_AND_DATA))["batch_size"].transform("nunique")
        rows = rows[n == n.max()]
        rows = _of(rows, rows.iloc[0])
    if rows.empty or rows["batch_size"].nunique() < 2:
        panel_title(axes, "C", "rate and batch apart")
        empty_panel(axes, f"not in preset {preset}")
        return
    one = rows.iloc[0]
    panel_title(axes, "C", f"{one['net'].upper()}, $L={one['L']}$, $v={one['v']}$, "
                f"$s_0={one['s0']}$")  # fmt: skip
    sizes = sorted(set(rows["batch_size"]))
    for _, own in rows.groupby(["batch_size", "momentum"]):
        size, momentum = int(own["batch_size"].iloc[0]), float(own["momentum"].iloc[0])
        shift = APART ** (sizes.index(size) - (len(sizes) - 1) / 2 + 0.5 * (momentum == 0))
        tint, shape = BATCH_HUES.get(size, OTHER_HUE), BATCHES.get(size, OTHER_MARKER)
        face = "white" if momentum == 0 else ""
        for _, row in own.sort_values("ratio").iterrows():
            _point(axes, row["ratio"] * shift, row, 1.0, tint, shape, face=face)
            axes.get_lines()[-1].set_gid(
                f"batch {size} momentum {momentum:g} {axes.get_lines()[-1].get_gid()}"
            )
    axes.set(xscale="log", yscale="log", xlabel="$T=\\eta/[B\\,(1-\\mu)]$", ylabel="$P^*$ (points)")
    _ticks(axes)


def _others(axes: Axes, complexities: pd.DataFrame, preset: str) -> None:
    """P* of curves that differ from the line in one choice, over P* of the line at equal T."""
    panel_title(axes, "F", "other choices over the line")
    base = line_of(complexities)
    if len(base):
        base = base[base["status"] == "reached"]
    drawn = 0
    for name, (change, shape, tint) in OTHERS.items():
        rows = line_of(complexities, **change)
        drawn += _quotients(axes, rows, base, name, shape, tint)
    for criterion, (name, shape, tint) in CRITERIA.items():
        if len(complexities):
            felt = complexities[complexities["criterion"] == criterion]
            drawn += _quotients(
                axes, felt[felt["curve"].isin(base["curve"])], base, name, shape, tint
            )
    if not drawn:
        empty_panel(axes, f"not in preset {preset}")
        return
    axes.axhline(1, color=GUIDE, linewidth=0.8, linestyle="--", gid="equal")
    axes.set(xscale="log", yscale="log", xlabel="$T=\\eta/[B\\,(1-\\mu)]$",
             ylabel="over $P^*$ of the line")  # fmt: skip
    _ticks(axes)


def _quotients(
    axes: Axes, rows: pd.DataFrame, base: pd.DataFrame, name: str, shape: str, tint: str
) -> int:
    if rows.empty or base.empty:
        return 0
    rows = rows[rows["status"] == "reached"].assign(rounded=rows["ratio"].round(9))
    other = base.assign(rounded=base["ratio"].round(9))
    both = rows.merge(other, on=[*NET_AND_DATA, "rounded"], suffixes=("", "_line"))
    if both.empty:
        return 0
    axes.plot(both["ratio"], both["P_star"] / both["P_star_line"], shape, color=tint,
              markersize=3.6, alpha=0.75, markeredgewidth=0.6, gid=f"other {name}")  # fmt: skip
    return len(both)


def _legends(panels: list[Axes], rows: pd.DataFrame) -> list[tuple[str, Sequence[Line2D]]]:
    empties = sorted(set(rows["s0"])) if len(rows) else []
    features = sorted(set(rows["v"])) if len(rows) else []
    points = {
        "reached": marker("s", "$P^*$", markerfacecolor="0.3"),
        "small pool": marker("s", "$P^*$ above a tenth of all data"),
        "interval": marker("|", "95 % interval (Student $t$ over seeds)", markersize=8),
        "(bound)": marker("$\\uparrow$", "censored: a bound", markersize=7),
        "limit": line("limit, both extrapolations", color="0.5", linewidth=1.6),
        "P_full": marker("_", "gradient descent", markeredgecolor="black", markersize=7),
        "P_flow": marker("x", "gradient flow", markeredgecolor="black"),
        "the text's T": line("the text's $T$", color=GUIDE, linestyle="--"),
    }
    batches = {
        f"batch {size} momentum 0.9": marker(shape, f"$B={size}$", markerfacecolor=BATCH_HUES[size],
                                             markeredgecolor=BATCH_HUES[size])
        for size, shape in BATCHES.items()
    } | {"momentum 0 ": marker("s", "$\\mu=0$")}  # fmt: skip
    others = {
        f"other {name}": marker(shape, name, markerfacecolor=tint, markeredgecolor=tint)
        for name, shape, tint in [
            *((name, shape, tint) for name, (_, shape, tint) in OTHERS.items()),
            *CRITERIA.values(),
        ]
    }
    return [
        ("Empty places", [line(f"$s_0={s0}$", color=HUES.get(s0, OTHER_HUE), linewidth=3)
                          for s0 in empties]),
        ("Features", [marker(MARKERS.get(v, OTHER_MARKER), f"$v={v}$", markerfacecolor="0.3")
                      for v in features]),
        ("Points", shown(points, panels)),
        ("C", shown(batches, panels)),
        ("F", shown(others, panels)),
    ]  # fmt: skip
