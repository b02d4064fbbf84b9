"""What the figures of the study share: colours, axes, counts."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from srhm.figures.marks import Colour, line

# Okabe and Ito's colours.
STARTS = {
    "random": "#0072B2",
    "linear": "#E69F00",
    "columns": "#009E73",
    "ccp": "#D55E00",
    "cycles": "#E69F00",
    "necklace": "#D55E00",
}
NAMES = {"ccp": "columns of confidence + $10^{-4}$"}
MEMORIES = {"ram": "#0072B2", "memento": "#D55E00"}
MEMORY_NAMES = {"ram": "RAM", "memento": "Memento"}
LETTERS = {"ram": "M", "memento": "m"}
TINTS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
ABSENT = "not in this preset"
ROW = 2.5  # inches of a row of panels


def tints(values: Iterable[float]) -> dict[float, Colour]:
    """A colour for each value, by its rank."""
    return {value: to_rgb(TINTS[i % len(TINTS)]) for i, value in enumerate(sorted(set(values)))}


def groups(rows: pd.DataFrame, by: list[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Rows by the values of several columns, in their order."""
    return [(tuple(values), own) for values, own in rows.groupby(by)]


def in_time(axes: Axes, cells: pd.DataFrame, history: pd.DataFrame, tint: str, name: str) -> None:
    """q against t of each seed, thin, and their median, thick, up to where all of them came."""
    rows = history[history["key"].isin(cells["key"])]
    for _, one in rows.groupby("key"):
        axes.plot(one["t"], one["q"], color=tint, linewidth=0.5, alpha=0.4, gid=f"seed {name}")
    by_time = rows.groupby("t")["q"].agg(["median", "size"])
    whole = by_time[by_time["size"] == cells["key"].nunique()]
    axes.plot(whole.index, whole["median"], color=tint, linewidth=1.6, gid=f"median {name}")


def q_axis(axes: Axes, *, label: bool) -> None:
    """Logarithmic axes of q against t."""
    axes.set(xscale="log", yscale="log", xlabel="time $t$")
    if label:
        axes.set_ylabel("probability of the worse arm $q$")


def start_handle(start: str) -> Line2D:
    """The legend's line of a start."""
    return line(NAMES.get(start, start), color=STARTS[start], linewidth=1.6)


def seeds_text(cells: pd.DataFrame) -> str:
    """How many seeds each start has, and how many cells were capped."""
    counts = cells.groupby(["memory", "size", "start"])["seed"].nunique()
    most, capped = int(counts.max()), int((cells["status"] == "capped").sum())
    text = f"{most} seeds of each random start"
    return text + (f"; {capped} of {len(cells)} flows ended at their budget" if capped else "")
