"""What figures of lazy and feature learning share: colours of h and alpha_tilde, points, foot.

A family (`srhm.statistics.output_scale.Family`) is a net with its activation at one P; each has
a row of panels, or a panel, of its own.
"""

from collections.abc import Iterable, Sequence
from math import isfinite, log10
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from srhm.figures.architecture_marks import look, wrapped
from srhm.figures.drawing import empty_panel, laid_out_page
from srhm.figures.marks import Colour, between, line, marker, plural, power, shades
from srhm.statistics.output_scale import Family

ABSENT = "not in this preset"
# Kinds of data, for people.
NAMES = {
    **{"digits": "digits", "digits_pca": "digits, 10 PCA", "stripe": "stripe"},
    **{"mnist": "MNIST", "mnist_pca": "MNIST, 10 PCA", "random": "random data", "srhm": "SRHM"},
}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHA_TILDE = "$\\tilde\\alpha = \\sqrt{h}\\,\\alpha$"


def width_colours(families: Sequence[Family]) -> dict[float, Colour]:
    """Of each width in a figure: the wider the lighter."""
    return shades([float(h) for one in families for h in one.widths], "viridis")


def tilde_colours(families: Sequence[Family]) -> dict[float, Colour]:
    """Of each alpha_tilde in a figure: dark is feature learning, light is lazy."""
    return tilde_colours_of([a for one in families for a in one.tildes])


def tilde_colours_of(tildes: Iterable[float]) -> dict[float, Colour]:
    """The same of some alpha_tilde."""
    return shades(sorted({float(a) for a in tildes}), "plasma")


def title(family: Family) -> str:
    """ "CNN, softplus, L = 2, P = 256"; on other data than the SRHM's these data in front."""
    name = f"{look(family.net).label}, {family.activation}"
    if family.data != "srhm":
        name = NAMES[family.data] if family.net == "fcn" else f"{NAMES[family.data]}, {name}"
    return f"{name}, $L={family.hidden_layers}$, $P={family.P}$"


def rows_of_panels(
    families: Sequence[Family], n_rows: int, n_columns: int, *, row: float, preset: str
) -> tuple[Figure, SubFigure, list[list[Axes]]]:
    """A page with rows of panels, the protocol of each family at its foot.

    row: height of a row with titles and labels, in inches. Without families there is one panel,
    which says so, and the list is empty. Returns the page, the part of it that takes legends, and
    the panels of each row.
    """
    foot = wrapped([protocol(one) for one in families])
    figure, part = laid_out_page(row * max(n_rows, 1), preset=preset, foot=foot)
    if not families:
        empty_panel(part.subplots(), ABSENT)
        return figure, part, []
    return figure, part, part.subplots(n_rows, n_columns, squeeze=False).tolist()


def protocol(family: Family) -> str:
    """How the members of a family were trained, and how that ended."""
    first, status = family.cells.iloc[0], family.cells["status"]
    per_point = family.cells.groupby(["width", "alpha_tilde"]).size()
    counts = status.value_counts()
    ends = [f"{counts[word]} {word}" for word in ("fitted", "capped", "diverged") if word in counts]
    loss = str(first["loss"]).replace("_", " ")
    way = {"flow": "gradient flow", "adam": "Adam", "sgd": "SGD"}[str(first["optimiser"])]
    return (
        f"{on(family)}{look(family.net).label}, {family.activation}, L = {family.hidden_layers},"
        f" P = {family.P}: {first['labels']}, {loss},"
        f" {way}, at most {first['budget']:,} gradient evaluations; {between(per_point)}"
        f" {plural('network', int(per_point.max()))} at each point, {len(status)} together:"
        f" {', '.join(ends)}"
    )


def on(family: Family) -> str:
    """The data of a family and a colon; nothing for the SRHM."""
    return "" if family.data == "srhm" else f"{NAMES[family.data]}: "


def draw_averages(axes: Axes, points: pd.DataFrame, at: str, tint: Colour, *, gid: str) -> None:
    """Means over members with their intervals, joined by a line.

    Open markers where a member was capped; a cross at the lower edge where one diverged. `points`
    are those of `srhm.statistics.output_scale.averages` in increasing order of the column `at`.
    """
    own = points[np.isfinite(points["value"])]
    axes.plot(own[at], own["value"], color=tint, linewidth=1.0, zorder=2, gid=f"{gid} line")
    barred = own[np.isfinite(own["low"])]
    axes.vlines(
        barred[at], barred["low"], barred["high"], color=tint, linewidth=0.8, alpha=0.6, zorder=1.9
    )
    for capped in (False, True):
        some = own[(own["n_capped"] > 0) == capped]
        if len(some):
            axes.plot(some[at], some["value"], "o", color=tint, markersize=3.6, linestyle="",
                      markerfacecolor="white" if capped else tint, markeredgewidth=0.9,
                      zorder=3, gid=f"{gid}{' capped' if capped else ''}")  # fmt: skip
    lost = points[points["n_diverged"] > 0]
    if len(lost):
        axes.plot(lost[at], np.full(len(lost), 0.03), "x", color=tint, markersize=4,
                  transform=axes.get_xaxis_transform(), clip_on=False, gid=f"{gid} diverged",
                  linestyle="")  # fmt: skip


def width_handles(colours: dict[float, Colour]) -> list[Line2D]:
    """A line with a marker for each width."""
    return [line(f"${h:g}$", color=c, marker="o", markersize=3.6) for h, c in colours.items()]


def tilde_handles(colours: dict[float, Colour]) -> list[Line2D]:
    """A line with a marker for each alpha_tilde."""
    return [line(f"${power(a)}$", color=c, marker="o", markersize=3.6) for a, c in colours.items()]


def kind_handles(families: Sequence[Family]) -> list[Line2D]:
    """What bars and open markers are, of those kinds that the families have."""
    status = {word for one in families for word in one.cells["status"]}
    several = any(one.cells.duplicated(["width", "alpha_tilde"]).any() for one in families)
    handles = []
    if several:
        handles.append(marker("|", "95 % interval (Student $t$ over networks)", markersize=8))
    if "capped" in status:
        handles.append(marker("o", "open: a network or more was capped", markersize=4))
    if "diverged" in status:
        handles.append(marker("x", "a network diverged", markersize=4))
    return handles


def interval_text(value: float, low: float, high: float) -> str:
    """ "−1.02 [−1.05, −0.99]", without brackets where the interval is not known."""
    text = f"{value:.2f}"
    if isfinite(low) and isfinite(high):
        text += f" [{low:.2f}, {high:.2f}]"
    return text.replace("-", "\u2212")


def decades(axes: Axes, which: Any, values: Sequence[float]) -> None:
    """A logarithmic axis with a label at every second power of ten where there are many."""
    low, high = min(values), max(values)
    axis = axes.xaxis if which == "x" else axes.yaxis
    exponents = list(range(int(np.ceil(log10(low) - 1e-9)), int(np.floor(log10(high) + 1e-9)) + 1))
    step = 1 if len(exponents) <= 4 else 2
    kept = [k for k in exponents if k % step == exponents[0] % step]
    if len(kept) >= 2:
        axis.set_ticks([10.0**k for k in kept], labels=[f"$10^{{{k}}}$" for k in kept])
        axis.set_ticks([10.0**k for k in exponents], labels=[], minor=True)


def edges(values: Sequence[float]) -> NDArray[np.float64]:
    """Ends of the fields around positive values: their geometric means, and as far beyond."""
    x = np.log(np.asarray(sorted(values), dtype=float))
    if len(x) == 1:
        return np.exp(np.array([x[0] - 0.5, x[0] + 0.5]))
    middle = (x[1:] + x[:-1]) / 2
    return np.exp(np.concatenate([[2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]]))
