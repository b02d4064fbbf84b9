"""Double descent of random features, and what an ensemble makes of it."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line

# Okabe and Ito's colours.
SINGLE, LIMIT, RIDGE = "#D55E00", "#0072B2", "#009E73"
DATA = {"sphere": ("#0072B2", "o"), "digits": ("#D55E00", "s"), "srhm": ("#009E73", "^")}
NAMES = {"sphere": "linear teacher on a sphere", "digits": "digits, parity", "srhm": "SRHM"}
TICKS = (0.2, 0.5, 1, 2, 5, 10)
HEIGHT = 4.6


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A-C: squared error against N/P by data; D: variance between members; E, F: test error."""
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_counts(cells))
    boxes = page.subplots(2, 3).ravel()
    for axes, letter, data in zip(boxes[:3], "ABC", DATA, strict=True):
        panel_title(axes, letter, NAMES[data])
        _squared(axes, cells[cells["data"] == data])
    panel_title(boxes[3], "D", "variance between members")
    _variance(boxes[3], cells)
    for axes, letter, data in zip(boxes[4:], "EF", ("digits", "srhm"), strict=True):
        panel_title(axes, letter, f"{NAMES[data]}: test error")
        _errors(axes, cells[cells["data"] == data])
    for axes in boxes:
        axes.set_xlabel("features over points $N/P$")
        if axes.get_xscale() == "log":
            axes.set_xticks(TICKS, labels=[f"{tick:g}" for tick in TICKS])
            axes.xaxis.set_minor_locator(NullLocator())
    add_legends(page, [
        ("A-C, E, F", [line("one member", color=SINGLE, marker="o"),
                       line("infinite ensemble (E, F: all members)", color=LIMIT, marker="s")]),
        ("", [line("kernel without ridge", color=GUIDE, linestyle="--"),
              line("kernel with effective ridge (A-C)", color=RIDGE, linestyle=":")]),
        ("D", [line(NAMES[name], color=colour, marker=symbol)
               for name, (colour, symbol) in DATA.items()]),
        ("", [line("$1/N$ (D)", color=GUIDE, linestyle="-."),
              line("$1/(N-P)$ (D)", color=GUIDE, linestyle="-", linewidth=0.8)]),
    ])  # fmt: skip
    return figure


def _squared(axes: Axes, own: pd.DataFrame) -> None:
    axes.set_ylabel("mean squared error")
    if own.empty:
        empty_panel(axes, "not in this preset")
        return
    _points(axes, own, "mse", SINGLE, "o", "single")
    # Close to N = P the correction for the number of members is larger than what is left.
    known = own[own["variance"] / own["members"] < own["mse_limit"]]
    _points(axes, known, "mse_limit", LIMIT, "s", "limit")
    _guides(axes, own, "mse_kernel")
    below = own[own["N"] < own["P"]].groupby("N_over_P")["mse_ridge"].mean()
    axes.plot(below.index, below, ":", color=RIDGE, linewidth=1.4, gid="ridge", zorder=4)
    axes.set(xscale="log", yscale="log")
    # The error at N = P has no bound: the rest would be flat.
    lowest = float(min(own["mse_kernel"].min(), known["mse_limit"].min()))
    axes.set_ylim(0.6 * lowest, 30)


def _variance(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set_ylabel("variance")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    for data, (colour, symbol) in DATA.items():
        own = cells[(cells["data"] == data) & (cells["N"] != cells["P"])]
        _points(axes, own, "variance", colour, symbol, f"variance {data}")
        above = own[own["N_over_P"] > 1].groupby("N_over_P")["variance"].mean()
        for offset, style in ((0, "-."), (1, "-")):
            if len(above) > 1:
                x = np.asarray(above.index, dtype=float) - offset
                axes.plot(above.index, above.iloc[-1] * x[-1] / x, style, color=GUIDE,
                          linewidth=0.8, zorder=4, gid=f"law {data} {offset}")  # fmt: skip
    axes.set(xscale="log", yscale="log")


def _errors(axes: Axes, own: pd.DataFrame) -> None:
    axes.set_ylabel("test error")
    if own.empty:
        empty_panel(axes, "not in this preset")
        return
    _points(axes, own, "error", SINGLE, "o", "error single")
    _points(axes, own, "error_ensemble", LIMIT, "s", "error ensemble")
    _guides(axes, own, "error_kernel")
    axes.set(xscale="log", ylim=(0, 0.55))


def _points(
    axes: Axes, own: pd.DataFrame, column: str, colour: str, symbol: str, name: str
) -> None:
    """Mean over seeds against N/P, and the range of the seeds as a band."""
    if own.empty:
        return
    seeds = own.groupby("N_over_P")[column]
    middle, low, high = seeds.mean(), seeds.min(), seeds.max()
    if column == "mse":  # of heavy tails
        middle = seeds.median()
    x = np.asarray(middle.index, dtype=float)
    axes.plot(x, middle, f"{symbol}-", color=colour, markersize=3, linewidth=0.9, gid=name)
    axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)


def _guides(axes: Axes, own: pd.DataFrame, column: str) -> None:
    axes.axhline(float(own[column].mean()), color=GUIDE, linestyle="--", linewidth=0.9, gid=column)


def _counts(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    sizes, members = (", ".join(map(str, sorted(set(cells[one])))) for one in ("P", "members"))
    seeds = int(cells.groupby("data")["seed"].nunique().max())
    return [f"P = {sizes}, {members} members, {seeds} seeds; bands: range of the seeds"]
