"""Panels against the layer that several figures share.

Letters: l number of a weight matrix, 1 to L; s_i(W_l) its singular values.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from srhm.figures.drawing import empty_panel
from srhm.figures.marks import GUIDE
from srhm.studies.representation_cost.known import LARGE

# Okabe and Ito's colours, first to last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "p")


def singular_values(axes: Axes, rows: pd.DataFrame, *, most: int = 6) -> None:
    """The largest singular values of each layer, a line each: medians over seeds with the range.

    rows: k, number, value, seed; of one kind of network.
    """
    axes.set(xlabel="layer $l$", ylabel="singular values of $W_l$")
    if rows.empty:
        empty_panel(axes, "not in this preset")
        return
    for number in sorted(set(rows["number"]))[:most]:
        own = rows[rows["number"] == number].groupby("k")["value"].agg(["median", "min", "max"])
        colour = COLOURS[(number - 1) % len(COLOURS)]
        axes.fill_between(own.index, own["min"], own["max"], color=colour, alpha=0.2, linewidth=0)
        axes.plot(own.index, own["median"], "o-", color=colour, markersize=2.5, linewidth=0.8,
                  gid=f"value {number}")  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.axhline(LARGE, color=GUIDE, linewidth=0.7, linestyle=":", gid="large")
    axes.set_ylim(bottom=0)


def counts(
    axes: Axes, rows: pd.DataFrame, columns: Sequence[tuple[str, str, str]], *, label: str
) -> None:
    """Numbers of a layer, a line for each of (column, legend, colour): means with the range."""
    axes.set(xlabel="layer $l$", ylabel=label)
    if rows.empty:
        empty_panel(axes, "not in this preset")
        return
    for column, words, colour in columns:
        own = rows.groupby("k")[column].agg(["mean", "min", "max"])
        axes.fill_between(own.index, own["min"], own["max"], color=colour, alpha=0.2, linewidth=0)
        axes.plot(own.index, own["mean"], "o-", color=colour, markersize=3, label=words,
                  gid=f"count {column}")  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
