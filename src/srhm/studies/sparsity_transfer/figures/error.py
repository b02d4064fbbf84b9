"""Test error against P on the kind of sparsity that was learnt, and on the other one.

Letters of the paper: P training points, ε test error, L depth, s branching, s_0 empty places for
each informative one, v features, m synonyms.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, between, few_ticks, line, plural, shown
from srhm.model.grammar import n_nodes, n_placements
from srhm.results.coordinates import GRAMMAR

# Okabe and Ito's blue and vermilion, by the kind that was learnt.
COLOURS = {"A": "#0072B2", "B": "#D55E00"}
NETS = ("cnn", "lcn", "fcn")
ROW = 2.6  # inches of a row of panels
OWN: dict[str, Any] = {"linestyle": "-", "marker": "o"}
OTHER: dict[str, Any] = {"linestyle": "--", "marker": "s", "markerfacecolor": "white"}


@styled
def draw(transfer: pd.DataFrame, *, threshold: float, preset: str) -> Figure:
    """A row of panels for each grammar, a column for each net: ε against P, averages over seeds.

    Colour: the kind learnt; full: tested on it, dashed: on the other. Bands: from the lowest to the
    highest seed. Averages leave out diverged cells.
    """
    rows = transfer[transfer["tested_on"].isin(list(COLOURS))]
    grammars = list(rows.groupby(list(GRAMMAR), sort=False)) or [((), rows)]
    nets = [net for net in NETS if net in set(rows["net"])] or [NETS[0]]
    figure, part = laid_out_page(ROW * len(grammars), preset=preset, foot=_counted(rows))
    panels = part.subplots(
        len(grammars), len(nets), squeeze=False, sharey=True, subplot_kw={"box_aspect": 1}
    )
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ" * len(panels))
    for row_of_panels, (_, grammar) in zip(panels, grammars, strict=True):
        row_of_panels[0].set_ylabel("test error $\\varepsilon$ (%)")
        for axes, net in zip(row_of_panels, nets, strict=True):
            cells = grammar[grammar["net"] == net]
            if cells.empty:
                empty_panel(axes, f"no curve of this kind\nin preset {preset}")
                continue
            panel_title(axes, next(letters), f"{net.upper()}{_what(cells)}")
            _panel(axes, cells, threshold)
    add_legends(part, [("", _handles(list(panels.flat), threshold))])
    return figure


def _panel(axes: Axes, cells: pd.DataFrame, threshold: float) -> None:
    for (learnt, tested), curve in cells.groupby(["trained_on", "tested_on"]):
        errors = curve.groupby("P")["error"].agg(["mean", "min", "max"])  # leaves out NaN
        look = OWN if learnt == tested else OTHER
        tint = COLOURS[str(learnt)]
        axes.fill_between(errors.index, errors["min"], errors["max"], color=tint, alpha=0.15,
                          linewidth=0)  # fmt: skip
        axes.plot(errors.index, errors["mean"], color=tint, markersize=4, linewidth=1.0,
                  gid=f"{learnt} on {tested}", **look)  # fmt: skip
    axes.axhline(threshold, color=GUIDE, linewidth=0.8, linestyle=":", gid="threshold")
    axes.axhline(_right_on_a_alone(cells.iloc[0]), color=GUIDE, linewidth=0.8, linestyle="-.",
                 gid="A alone")  # fmt: skip
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="training points $P$")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    few_ticks(axes.xaxis, *axes.get_xlim())


def _right_on_a_alone(row: pd.Series) -> float:
    """Error on B of a network that is right on the data of A and guesses on all others."""
    depth, branching, n_empty = int(row["L"]), int(row["s"]), int(row["s0"])
    placements = [
        n_placements(branching=branching, n_empty=n_empty, sparsity=kind) for kind in "AB"
    ]
    share = (placements[0] / placements[1]) ** n_nodes(depth=depth, branching=branching)
    return (1 - share) * (1 - 1 / int(row["n_c"]))


def _what(cells: pd.DataFrame) -> str:
    """What the networks of a panel learn, and how many seeds they have."""
    one, seeds = cells.iloc[0], cells.groupby("curve")["seed"].nunique()
    return (
        f", $L={one['L']}$, $s_0={one['s0']}$, $v={one['v']}$:"
        f" {between(seeds)} {plural('seed', int(seeds.max()))}"
    )


def _counted(rows: pd.DataFrame) -> list[str]:
    """How many test points a network has of each kind."""
    n = rows["n"][rows["n"] > 0]
    if n.empty:
        return []
    points = f"{n.min()} to {n.max()}" if n.nunique() > 1 else f"{n.max()}"
    return [f"Tested on {points} points of each kind that are new to the network."]


def _handles(panels: list[Axes], threshold: float) -> list:
    handles = {
        f"{learnt} on {tested}": line(
            f"trained on {learnt}, tested on {tested}",
            color=COLOURS[learnt],
            markersize=4,
            **(OWN if learnt == tested else OTHER),
        )
        for learnt in COLOURS
        for tested in (learnt, "B" if learnt == "A" else "A")
    }
    handles["threshold"] = line(f"$\\varepsilon={100 * threshold:.3g}$ %", color=GUIDE,
                                linestyle=":")  # fmt: skip
    handles["A alone"] = line("B: right on A, else a guess", color=GUIDE, linestyle="-.")
    kinds: list = shown(handles, panels)
    if kinds:
        kinds.insert(4, Patch(color="0.8", linewidth=0, label="from lowest to highest seed"))
    return kinds
