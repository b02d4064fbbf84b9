"""What the figures of the study share: a curve of means over runs, guides with a slope, titles."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from srhm.figures.marks import GUIDE, Colour, between, line, plural, shades

ROW = 2.3  # inches, with titles and labels
SYMBOLS = ("o", "s", "^", "D", "v", "p", "X")
NAMES = {"laplace": "Laplace", "gauss": "Gauss"}
TINTS: dict[str, Colour] = {"laplace": (0.835, 0.369, 0.0), "gauss": (0.0, 0.447, 0.698)}
GUIDES = line("slope of the law", color=GUIDE, linestyle="--", linewidth=0.8)


def draw_curve(
    axes: Axes,
    rows: pd.DataFrame,
    quantity: str,
    *,
    tint: Colour,
    name: str,
    symbol: str = "o",
    filled: bool = True,
    scale: float = 1.0,
) -> pd.Series:
    """Mean over runs against P times the scale, its standard error as a band; returns the means.

    Means that are not positive cannot stand on logarithmic axes and are left out.
    """
    groups = rows.dropna(subset=[quantity]).groupby("P")[quantity]
    table = groups.agg(["mean", "sem"]).fillna({"sem": 0.0}) * scale
    table = table[table["mean"] > 0]
    low = np.maximum(table["mean"] - table["sem"], table["mean"] / 10)
    axes.fill_between(table.index, low, table["mean"] + table["sem"], color=tint, alpha=0.25,
                      linewidth=0)  # fmt: skip
    axes.plot(table.index, table["mean"], marker=symbol, color=tint, markersize=3.5,
              markerfacecolor=tint if filled else "white", gid=f"curve {name}")  # fmt: skip
    return table["mean"]


def draw_guide(axes: Axes, means: pd.Series, exponent: float, *, name: str) -> None:
    """A dashed line of slope -exponent through the last point, over the last decade of P."""
    if means.empty:
        return
    last = float(means.index[-1])
    ends = np.array([max(last / 10, float(means.index[0])), last])
    axes.plot(ends, means.iloc[-1] * (ends / last) ** -exponent, "--", color=GUIDE, linewidth=0.8,
              zorder=4, gid=f"guide {name} {exponent:.4g}")  # fmt: skip


def logarithmic(axes: Axes, ylabel: str, xlabel: str = "training points $P$") -> None:
    """Labels and logarithmic axes."""
    axes.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    axes.yaxis.labelpad = 1


def runs(rows: pd.DataFrame) -> str:
    """How many runs the curves of a panel are means of, for its title."""
    if rows.empty:
        return ""
    counts = rows.groupby(["curve", "P"], dropna=False)["seed"].nunique()
    return f", {between(counts)} {plural('run', int(counts.max()))}"


def dimension_marks(dimensions: Sequence[int]) -> dict[int, tuple[Colour, str]]:
    """Colour and marker of each dimension, by its rank."""
    tints = shades([float(d) for d in dimensions], "viridis")
    ordered = sorted(set(dimensions))
    return {d: (tints[float(d)], SYMBOLS[i % len(SYMBOLS)]) for i, d in enumerate(ordered)}


def curve_handle(label: str, tint: Colour, symbol: str = "o", *, filled: bool = True) -> Line2D:
    """A handle of a curve."""
    return Line2D([], [], color=tint, marker=symbol, markersize=3.5, label=label,
                  markerfacecolor=tint if filled else "white")  # fmt: skip
