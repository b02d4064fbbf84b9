"""What the figures of this study share: looks of nets and depths, means over grammars."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from srhm.figures.marks import (
    HUES,
    OTHER_HUE,
    Colour,
    Estimate,
    Point,
    draw_point,
    estimate,
    few_ticks,
    limits,
    marker,
)

NETS = {"shared": "o", "separate": "s"}
LEVEL_HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
REFERENCE = "0.55"


def hue(depth: int) -> Colour:
    """Colour of an L."""
    red, green, blue = to_rgb(HUES.get(depth, OTHER_HUE))
    return red, green, blue


def net_handles(nets: Sequence[str]) -> list[Line2D]:
    """A marker for each net."""
    return [marker(NETS[net], net, markerfacecolor="0.3") for net in NETS if net in nets]


def draw_complexities(
    axes: Axes, rows: pd.DataFrame, x: NDArray[np.float64], *, values: Sequence[float] = ()
) -> None:
    """A marker for each P*, colour L, shape net; logarithmic axes that hold the values too."""
    points = [
        Point(
            x=Estimate(float(place)),
            y=estimate(row),
            tint=hue(int(row["L"])),
            marker=NETS[row["net"]],
        )
        for place, (_, row) in zip(x, rows.iterrows(), strict=True)
    ]
    y_limits = limits([one.y for one in points] + [Estimate(v) for v in values])
    x_limits = limits([one.x for one in points])
    for one in points:
        draw_point(axes, one, x_floor=x_limits[0], y_floor=y_limits[0])
    axes.set(xscale="log", yscale="log", xlim=x_limits, ylim=y_limits)
    label_logarithmic(axes)


def label_logarithmic(axes: Axes) -> None:
    """Plain labels on logarithmic axes that span hardly two decades."""
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and low > 0 and high / low < 100:
            few_ticks(axis, low, high)


def band(
    axes: Axes, rows: pd.DataFrame, x: str, y: str, *, tint: Colour | str, style: str = "-",
    symbol: str = "o", face: str | None = None, name: str = "mean", geometric: bool = False,
) -> None:  # fmt: skip
    """Mean over grammars with the band of its standard error, one point for each x."""
    own = rows[[x, y]].dropna()
    if own.empty:
        return
    values = np.log(own[y]) if geometric else own[y]
    found = values.groupby(own[x]).agg(["mean", "sem"]).fillna(0.0)
    ends = [found["mean"], found["mean"] - found["sem"], found["mean"] + found["sem"]]
    middle, low, high = (np.exp(one) if geometric else one for one in ends)
    axes.fill_between(found.index, low, high, color=tint, alpha=0.2, linewidth=0)
    axes.plot(found.index, middle, style, color=tint, marker=symbol, markersize=3.5,
              markerfacecolor=tint if face is None else face, linewidth=1.0, gid=name)  # fmt: skip


def guide(axes: Axes, x: Sequence[float], y: Sequence[float], text: str) -> None:
    """A dashed grey line, with its law at its upper end."""
    axes.plot(x, y, color="0.35", linewidth=0.8, linestyle="--", zorder=1, gid=f"guide {text}")
    axes.annotate(text, (x[-1], y[-1]), xytext=(-2, 2), textcoords="offset points", ha="right",
                  va="bottom", fontsize=7, color="0.35")  # fmt: skip
