"""What the figures of the study share: colour and symbol of each network, counts of networks."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D

from srhm.figures.marks import between, few_ticks, plural

ROW = 2.3  # inches, with titles and labels
# Families by colour (Okabe and Ito), members by symbol.
STYLES: dict[str, tuple[str, str, str]] = {
    "fc2": ("FC, 2 hidden layers", "#0072B2", "o"),
    "fc4": ("FC, 4", "#0072B2", "s"),
    "fc6": ("FC, 6", "#0072B2", "^"),
    "lenet": ("LeNet", "#56B4E9", "D"),
    "vgg11": ("VGG11", "#D55E00", "o"),
    "vgg11_bn": ("VGG11, batch norm", "#D55E00", "s"),
    "vgg16": ("VGG16", "#D55E00", "v"),
    "vgg16_bn": ("VGG16, batch norm", "#D55E00", "^"),
    "resnet18": ("ResNet18", "#009E73", "o"),
    "resnet34": ("ResNet34", "#009E73", "s"),
    "efficientnetb0": ("EfficientNetB0", "#CC79A7", "o"),
    "efficientnetb1": ("EfficientNetB1", "#CC79A7", "s"),
    "efficientnetb2": ("EfficientNetB2", "#CC79A7", "^"),
}


def style(net: str) -> dict[str, Any]:
    """Colour and symbol of a net, for matplotlib."""
    _, colour, symbol = STYLES[net]
    return {"color": colour, "marker": symbol, "markersize": 4.0, "markeredgewidth": 0.9}


def handles(rows: pd.DataFrame) -> list[Line2D]:
    """A handle of each net in the table, in the order of STYLES."""
    present = set(rows["net"])
    return [Line2D([], [], label=STYLES[net][0], linewidth=1.0, **style(net))
            for net in STYLES if net in present]  # fmt: skip


def trained_counts(rows: pd.DataFrame) -> str:
    """How many nets and seeds a panel shows."""
    if rows.empty:
        return ""
    seeds = rows.groupby("net")["seed"].nunique()
    n = len(seeds)
    return f"{n} {plural('net', n)}, {between(seeds)} {plural('seed', int(seeds.max()))}"


def logarithmic(axes: Axes, xlabel: str, ylabel: str) -> None:
    """Logarithmic axes with labels, plain ticks where there are few decades."""
    axes.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)


def plain_ticks(axis: Axis) -> None:
    """Ticks with plain labels on a logarithmic axis of less than two decades."""
    low, high = axis.get_view_interval()
    if high / low < 100:
        few_ticks(axis, low, high)
