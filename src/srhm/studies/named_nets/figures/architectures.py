"""Figure 9: test error and sensitivities at three relative depths of named networks, against P.

Letters of the paper: ε test error, S and D sensitivities of a layer to synonyms and diffeomorphisms
of the input's level (Eq. 13, 14 with l = 1), P training points.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import (
    CAPPED,
    grammar_text,
    look,
    n_seeds,
    ordered,
    protocol_lines,
    wrapped,
)
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, styled
from srhm.figures.marks import few_ticks, line, marker
from srhm.studies.named_nets.error_and_sensitivity import DEPTHS, one_grammar, side_by_side

# The paper's blue, orange and green, in colours that the common kinds of colour blindness tell
# apart; markers differ too.
LINES = {
    "error": ("#0072B2", "o", "test error $\\varepsilon$"),
    "S": ("#E69F00", "s", "$S$ (synonyms)"),
    "D": ("#009E73", "^", "$D$ (diffeomorphisms)"),
}
COLUMNS = 5  # of a block; further networks come below
ROW, LABELS = 1.1, 0.5  # inches: of a depth; titles and labels of a block


@styled
def draw(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """Figure 9 from the cells and the sensitivities of the named networks.

    A column for each network, a row for each relative depth; lines are averages over the seeds,
    bars go from the lowest to the highest seed. P at which a network was capped have open markers,
    P at which a cell diverged a cross at the upper edge.
    """
    cells = one_grammar(cells)
    nets = ordered(list(cells["net"]))
    blocks = [nets[i : i + COLUMNS] for i in range(0, len(nets), COLUMNS)] or [[]]
    block = ROW * len(DEPTHS) + LABELS
    heading = f"{grammar_text(cells)}; transformations of the input's level, $l=1$" if nets else ""
    figure, part = laid_out_page(
        block * len(blocks), preset=preset, heading=heading, foot=wrapped(protocol_lines(cells))
    )
    if not nets:
        empty_panel(part.subplots(), f"no named network in preset {preset}")
        return figure
    points = {depth: side_by_side(cells, sensitivities, depth) for depth in DEPTHS}
    panels = []
    for below, of_block in zip(
        part.subfigures(len(blocks), 1, squeeze=False).flat, blocks, strict=True
    ):
        grid = below.subplots(len(DEPTHS), COLUMNS, sharex=True, sharey=True, squeeze=False)
        for axes in grid[:, len(of_block) :].flat:
            axes.remove()
        for row, depth in zip(grid[:, : len(of_block)], DEPTHS, strict=True):
            for axes, net in zip(row, of_block, strict=True):
                _panel(axes, cells[cells["net"] == net], points[depth], net)
            row[0].set_ylabel(f"{100 * depth:.0f} % depth", labelpad=2)
            panels.append(list(row))
        for axes, net in zip(grid[0], of_block, strict=False):
            seeds = cells[cells["net"] == net].groupby("P")["seed"].nunique()
            axes.set_title(f"{look(net).label}, {n_seeds(seeds)}", loc="left", fontsize=7)
            grid[-1, of_block.index(net)].set_xlabel("$P$ (points)", labelpad=1)
    _same_ranges(panels, cells)
    add_legends(part, [("", _handles(panels))])
    return figure


def _panel(axes: Axes, cells: pd.DataFrame, points: pd.DataFrame, net: str) -> None:
    """ε, S and D of one network at one depth."""
    own = points[points["net"] == net].sort_values("P")
    errors = cells.groupby("P").agg(
        mean=("test_error", "mean"),
        min=("test_error", "min"),
        max=("test_error", "max"),
        capped=("status", lambda words: bool((words == "capped").any())),
        diverged=("status", lambda words: bool((words == "diverged").any())),
    )
    _line(axes, "error", errors.dropna())
    for kind in "SD":
        rows = own[own["kind"] == kind].set_index("P")
        columns = {"value": "mean", "value_low": "min", "value_high": "max", "n_capped": "capped"}
        _line(axes, kind, rows.rename(columns=columns)[list(columns.values())])
    lost = errors.index[errors["diverged"]].to_numpy(dtype=float)
    if lost.size:
        axes.plot(lost, np.ones(lost.size), "x", color="0.2", markersize=4, zorder=4,
                  transform=axes.get_xaxis_transform(), clip_on=False, gid="diverged")  # fmt: skip
    axes.set_xscale("log")


def _line(axes: Axes, name: str, values: pd.DataFrame) -> None:
    """A line with its bars; open markers where a seed was capped."""
    if values.empty:
        return
    colour, symbol, _ = LINES[name]
    P = values.index.to_numpy(dtype=float)
    axes.vlines(P, values["min"], values["max"], color=colour, linewidth=0.6, zorder=2)
    axes.plot(P, values["mean"], color=colour, linewidth=0.9, zorder=2, gid=name)
    capped = values["capped"].to_numpy(dtype=bool)
    for chosen, face, gid in ((~capped, colour, "fitted"), (capped, "white", "capped")):
        if chosen.any():
            axes.plot(P[chosen], values["mean"][chosen], symbol, color=colour, markersize=3.2,
                      markerfacecolor=face, markeredgewidth=0.8, zorder=3,
                      gid=f"{name} {gid}")  # fmt: skip


def _same_ranges(panels: list[list[Axes]], cells: pd.DataFrame) -> None:
    low, high = cells["P"].min() / 1.25, cells["P"].max() * 1.25
    top = max(axes.get_ylim()[1] for row in panels for axes in row)
    for row in panels:
        for axes in row:
            axes.set(xlim=(low, high), ylim=(-0.03 * top, max(top, 1.0)))
            if high / low < 100:
                few_ticks(axes.xaxis, low, high)


def _handles(panels: list[list[Axes]]) -> list[Line2D]:
    drawn = {str(one.get_gid()) for row in panels for axes in row for one in axes.get_lines()}
    handles = [
        line(label, color=colour, marker=symbol, markersize=3.2)
        for colour, symbol, label in LINES.values()
    ]
    handles.append(line("bar: from lowest to highest seed", color="0.3", linewidth=0.6))
    if any("capped" in name for name in drawn):
        handles.append(marker("o", CAPPED, markersize=3.2))
    if "diverged" in drawn:
        handles.append(marker("x", "a seed diverged", markersize=4))
    return handles
