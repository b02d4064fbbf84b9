"""Test error of digits against time and against N: final, early stopped, mean network (chapter 2).

Letters of the thesis: N number of weights, N* the smallest N that fits P points, h width.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import NAMES
from srhm.figures.marks import few_ticks, line, marker, shades
from srhm.studies.digits_jamming.analysis import CURVE, errors

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWX"
ROW = 2.1  # inches
ABSENT = "not in this preset"
# Widths whose error is drawn against time, at most.
N_WIDTHS = 5


@styled
def draw(
    cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame, *, preset: str
) -> Figure:
    """A row for each data and depth: error against time at the largest P, against N, and N/N*.

    cells, ensembles, histories: rows of FLOW_CELLS, ENSEMBLES and HISTORIES of the study. Early
    stopping takes the least test error of each history.
    """
    table = errors(cells, ensembles, histories) if len(cells) and len(histories) else cells[:0]
    kinds = table[CURVE[:2]].drop_duplicates().to_numpy().tolist() if len(table) else []
    figure, page = laid_out_page(ROW * max(len(kinds), 1), preset=preset, foot=_foot(table))
    if not kinds:
        empty_panel(page.subplots(), ABSENT)
        return figure
    sizes = sorted(set(table["P"]))
    tints = dict(zip(sizes, COLOURS * len(sizes), strict=False))
    letters = iter(LETTERS)
    widths: dict[float, tuple[float, float, float]] = {}
    for (data, depth), panels in zip(
        kinds, page.subplots(len(kinds), 3, squeeze=False), strict=True
    ):
        own = table[(table["data"] == data) & (table["hidden_layers"] == depth)]
        in_time, against_n, scaled = panels
        widths |= _in_time(in_time, own, cells, histories)
        for P, part in own.groupby("P"):
            _against(against_n, part, part["N"], tints[int(str(P))])
            if np.isfinite(part["N_star"].iloc[0]):
                _against(scaled, part, part["N"] / part["N_star"], tints[int(str(P))])
        panel_title(in_time, next(letters), f"{NAMES[data]}, $L={depth}$, $P={own['P'].max()}$")
        panel_title(against_n, next(letters), "against $N$")
        panel_title(scaled, next(letters), "against $N/N^*$")
        _finish(in_time, against_n, scaled)
    groups = [
        ("Width $h$ (left)", [line(f"${h:g}$", color=c) for h, c in sorted(widths.items())]),
        ("$P$ (middle, right)", [line(f"${P}$", color=tints[P]) for P in sizes]),
        ("Lines", _handles()),
    ]
    add_legends(page, groups)
    return figure


def _in_time(
    axes: Axes, own: pd.DataFrame, cells: pd.DataFrame, histories: pd.DataFrame
) -> dict[float, tuple[float, float, float]]:
    """Mean test error of the networks of some widths at the largest P, against evaluations."""
    at = own[own["P"] == own["P"].max()].sort_values("N")
    chosen = at.iloc[np.unique(np.linspace(0, len(at) - 1, N_WIDTHS).round().astype(int))]
    tints = shades([float(h) for h in own["width"]], "viridis")
    for _, row in chosen.iterrows():
        mine = cells[(cells["curve"] == row["curve"]) & (cells["P"] == row["P"])]
        rows = histories[histories["key"].isin(mine["key"])]
        # Networks that have ended stay where they are.
        wide = rows.pivot_table(index="evaluations", columns="key", values="test_error").ffill()
        axes.plot(wide.index, wide.mean(axis=1), color=tints[float(row["width"])], linewidth=1.0,
                  gid=f"h={row['width']}")  # fmt: skip
    return {float(h): tints[float(h)] for h in chosen["width"]}


def _against(axes: Axes, rows: pd.DataFrame, x: pd.Series, tint: str) -> None:
    order = np.argsort(x.to_numpy())
    at, rows = x.to_numpy()[order], rows.iloc[order]
    gid = f"P={rows['P'].iloc[0]}"
    axes.plot(at, rows["final"], "o-", color=tint, markersize=3.2, linewidth=1.0,
              gid=f"final {gid}")  # fmt: skip
    axes.fill_between(at, rows["low"], rows["high"], color=tint, alpha=0.15, linewidth=0)
    axes.plot(at, rows["early"], "--", color=tint, linewidth=1.0, gid=f"early {gid}")
    axes.plot(at, rows["ensemble"], ":", color=tint, marker="s", markersize=3, linewidth=1.0,
              markerfacecolor="white", gid=f"ensemble {gid}")  # fmt: skip


def _finish(in_time: Axes, against_n: Axes, scaled: Axes) -> None:
    in_time.set(xscale="log", xlabel="gradient evaluations", ylabel="test error $\\varepsilon$")
    against_n.set(xscale="log", xlabel="number of weights $N$")
    scaled.set(xscale="log", xlabel="$N/N^*$")
    scaled.axvline(1.0, color="0.6", linewidth=0.8, zorder=1, gid="N*")
    for axes in (against_n, scaled):
        low, high = axes.get_xlim()
        if high / low < 10:
            few_ticks(axes.xaxis, low, high)
    for axes in (in_time, against_n, scaled):
        axes.set_ylim(bottom=0)


def _foot(table: pd.DataFrame) -> list[str]:
    """Networks at each point, and N* of each curve."""
    found = []
    kinds = table[CURVE[:2]].drop_duplicates().to_numpy().tolist() if len(table) else []
    for data, depth in kinds:
        own = table[(table["data"] == data) & (table["hidden_layers"] == depth)]
        stars = own.drop_duplicates("P")[["P", "N_star"]].itertuples(index=False)
        listed = ", ".join(f"{N:.0f} (P = {P})" if np.isfinite(N) else f"unknown (P = {P})"
                           for P, N in stars)  # fmt: skip
        found.append(
            f"{NAMES[data]}, L = {depth}: {own['n'].max()} networks at each point; N* {listed}"
        )
    return wrapped(found)


def _handles() -> list[Line2D]:
    return [
        line("end of training; band: lowest to highest", color="0.3", marker="o", markersize=3.2),
        line("early stopped: least in its history", color="0.3", linestyle="--"),
        line("mean output of the networks", color="0.3", linestyle=":", marker="s",
             markersize=3, markerfacecolor="white"),
        marker("|", "$N=N^*$", markersize=8, color="0.6"),
    ]  # fmt: skip
