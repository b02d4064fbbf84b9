"""Double descent: test error, ensemble error and norm of F against the width h at fixed P.

Letters of the thesis (chapters 2a and 2b): h width, N number of weights, N_Delta unsatisfied
points, F the predictor. h* is where, from the widest network down, more than a tenth of N points
stay unsatisfied in most members.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import look, ordered, wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, between, few_ticks, line, marker, plural
from srhm.statistics.jamming import JAMMED, smallest_that_fit, with_jamming

STUDY = "double_descent"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D", "v")
ROW = 2.0  # inches, with titles and labels


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """A row of panels for each network: error, norm of F, unsatisfied points, against h.

    cells, ensembles: rows of FLOW_CELLS and ENSEMBLES, of any studies. Lines are means over the
    members of all seeds, bands go from the lowest to the highest; the vertical band is h*.
    """
    own = cells[cells["study"] == STUDY]
    nets = ordered(own["net"].tolist())
    lines = wrapped([_protocol(part) for _, part in own.groupby("net", sort=False)])
    keys = _curves(own)
    figure, page = laid_out_page(ROW * max(len(nets), 1), preset=preset, foot=lines)
    if not nets:
        empty_panel(page.subplots(), "not in this preset")
        return figure
    rows = page.subplots(len(nets), 3, squeeze=False)
    for row, (net, panels) in enumerate(zip(nets, rows, strict=True)):
        part = own[own["net"] == net]
        _row(panels, part, ensembles, keys)
        for i, (axes, what) in enumerate(zip(panels, _titles(net, part), strict=True)):
            panel_title(axes, "ABCDEFGHIJKLMNO"[3 * row + i], what)
    handles = _handles(keys)
    add_legends(page, [("", handles)])
    return figure


def _titles(net: str, cells: pd.DataFrame) -> list[str]:
    per_width = cells.groupby(["width", "P", "labels"]).size()
    members = f"{between(per_width)} {plural('network', int(per_width.max()))} each"
    return [f"{look(net).label}, {members}", "norm of $F$", "unsatisfied points"]


def _curves(cells: pd.DataFrame) -> list[tuple[int, str]]:
    """P and labels of all curves of the figure, in order."""
    found = cells[["P", "labels"]].drop_duplicates().sort_values(["P", "labels"])
    return [(int(P), str(labels)) for P, labels in found.to_numpy()]


def _row(
    panels: Sequence[Axes],
    cells: pd.DataFrame,
    ensembles: pd.DataFrame,
    keys: Sequence[tuple[int, str]],
) -> None:
    together = ensembles[ensembles["curve"].isin(cells["curve"])] if len(ensembles) else ensembles
    stars = smallest_that_fit(cells)
    for number, (P, labels) in enumerate(keys):
        own = cells[(cells["P"] == P) & (cells["labels"] == labels)]
        if own.empty:
            continue
        tint, shape = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        marked = with_jamming(own)
        for axes, column in zip(panels, ("test_error", "test_norm", "unsatisfied"), strict=True):
            _line(axes, marked, column, tint, shape, gid=f"{column} P={P} {labels}")
        if len(together):
            rows = together[(together["P"] == P) & together["curve"].isin(own["curve"])]
            mean = rows.groupby("width")["ensemble_error"].mean()
            panels[0].plot(mean.index, mean, shape, color=tint, linestyle="--", markersize=3,
                           markerfacecolor="white", gid=f"ensemble P={P} {labels}")  # fmt: skip
        if len(stars):
            found = stars[(stars["P"] == P) & (stars["labels"] == labels)]
            for _, star in found[found["status"] == "reached"].iterrows():
                for axes in panels:
                    axes.axvspan(star["h_low"], star["h_high"], color=tint, alpha=0.15,
                                 linewidth=0, gid=f"h* P={P} {labels}")  # fmt: skip
    _finish(panels, cells)


def _line(axes: Axes, cells: pd.DataFrame, column: str, tint: str, shape: str, *, gid: str) -> None:
    found = cells.groupby("width").agg(
        mean=(column, "mean"),
        low=(column, "min"),
        high=(column, "max"),
        jammed=("jammed", "mean"),
    )
    axes.plot(found.index, found["mean"], "-", color=tint, gid=f"{gid} line")
    axes.fill_between(found.index, found["low"], found["high"], color=tint, alpha=0.15,
                      linewidth=0)  # fmt: skip
    for jammed, face in ((False, tint), (True, "white")):
        some = found[(found["jammed"] > 0.5) == jammed]
        axes.plot(some.index, some["mean"], shape, color=tint, markerfacecolor=face, markersize=3.5,
                  gid=f"{gid} {'jammed' if jammed else 'fits'}")  # fmt: skip


def _finish(panels: Sequence[Axes], cells: pd.DataFrame) -> None:
    low, high = cells["width"].min() / 1.1, cells["width"].max() * 1.1
    error, norm, unsatisfied = panels
    for axes, label in zip(panels, ("test error $\\varepsilon$", "$\\|F\\|$, test points",
                                    "$N_\\Delta/N$"), strict=True):  # fmt: skip
        axes.set(xscale="log", xlim=(low, high))
        few_ticks(axes.xaxis, low, high)
        axes.set_xlabel("width $h$", labelpad=1)
        axes.set_ylabel(label, labelpad=2)
    error.set_ylim(bottom=0)
    norm.set_yscale("log")
    found = norm.get_ylim()
    if found[1] / found[0] < 100:
        few_ticks(norm.yaxis, *found)
    unsatisfied.axhline(JAMMED, color=GUIDE, linewidth=0.8, linestyle=":", gid="jammed above")
    unsatisfied.set_yscale("symlog", linthresh=JAMMED, linscale=0.5)
    unsatisfied.set_ylim(bottom=-0.01)
    ticks = [0, 0.1, 1] + ([10] if unsatisfied.get_ylim()[1] > 10 else [])
    unsatisfied.set_yticks(ticks, labels=[f"${tick:g}$" for tick in ticks])
    unsatisfied.set_yticks([], minor=True)


def _protocol(cells: pd.DataFrame) -> str:
    """How the networks of a row were trained, and how that ended."""
    first = cells.iloc[0]
    counts = cells["status"].value_counts()
    ends = ", ".join(f"{counts[name]} {name}" for name in ("fitted", "capped", "diverged")
                     if name in counts)  # fmt: skip
    stars = smallest_that_fit(cells)
    text = f"{look(first['net']).label}: {first['loss'].replace('_', ' ')}, {first['optimiser']}"
    text += f", at most {between(cells['budget'])} evaluations; {ends}"
    for _, star in stars.iterrows():
        text += f"; P = {star['P']} ({star['labels']}): {_star_text(star)}"
    return text


def _star_text(star: Any) -> str:
    if star["status"] == "reached":
        return (f"h* between {star['h_low']:g} and {star['h_high']:g}, N* between"
                f" {star['N_low']:.0f} and {star['N_high']:.0f}")  # fmt: skip
    if star["status"] == "below_range":
        return "no width is jammed"
    return "all widths are jammed"


def _handles(keys: Sequence[tuple[int, str]]) -> list[Line2D]:
    several = len({labels for _, labels in keys}) > 1
    sizes = [
        line(f"$P={P}$" + (f", {labels}" if several else ""), color=COLOURS[i % len(COLOURS)],
             marker=MARKERS[i % len(MARKERS)], markersize=3.5)
        for i, (P, labels) in enumerate(keys)
    ]  # fmt: skip
    kinds = [
        line("mean of single networks; band: lowest to highest", color="0.3"),
        line("mean output of the networks of a seed", color="0.3", linestyle="--", marker="o",
             markersize=3, markerfacecolor="white"),
        marker("o", "open on a line: most are jammed", markersize=3.5),
        line("$h^*$", color="0.3", linewidth=6, alpha=0.2),
        line(f"jammed above ${JAMMED:g}$", color=GUIDE, linestyle=":"),
    ]  # fmt: skip
    return [*sizes, *kinds]
