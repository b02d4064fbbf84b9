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
    FOOT_LINE,
    grammar_text,
    look,
    n_seeds,
    ordered,
    protocol_lines,
    wrapped,
    write_foot,
)
from srhm.figures.drawing import add_panel, empty_panel, page, styled
from srhm.figures.marks import few_ticks, legend, line, marker
from srhm.studies.sparse_hierarchy.error_and_sensitivity import DEPTHS, one_grammar, side_by_side

# The paper's blue, orange and green, in colours that the common kinds of colour blindness tell
# apart; markers differ too.
LINES = {
    "error": ("#0072B2", "o", "test error $\\varepsilon$"),
    "S": ("#E69F00", "s", "$S$ (synonyms)"),
    "D": ("#009E73", "^", "$D$ (diffeomorphisms)"),
}
COLUMNS = 5  # of a block; further networks come below
LEFT, PITCH, PANEL = 0.5, 1.245, (1.08, 0.98)  # inches
TOP, ROW, GAP = 0.42, 1.12, 0.4
FOOT = 0.45


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
    lines = wrapped(protocol_lines(cells))
    block = ROW * len(DEPTHS) + GAP
    height = TOP + block * len(blocks) + FOOT + FOOT_LINE * len(lines)
    figure = page(height, preset=preset)
    if not nets:
        axes = add_panel(figure, left=LEFT, top=TOP, width=5.5, height=ROW * len(DEPTHS))
        empty_panel(axes, f"no named network in preset {preset}")
        return figure
    points = {depth: side_by_side(cells, sensitivities, depth) for depth in DEPTHS}
    panels = []
    for b, of_block in enumerate(blocks):
        for i, depth in enumerate(DEPTHS):
            row = []
            for j, net in enumerate(of_block):
                axes = add_panel(figure, left=LEFT + j * PITCH, top=TOP + b * block + i * ROW,
                                 width=PANEL[0], height=PANEL[1])  # fmt: skip
                _panel(axes, cells[cells["net"] == net], points[depth], net)
                if i == 0:
                    seeds = cells[cells["net"] == net].groupby("P")["seed"].nunique()
                    axes.set_title(f"{look(net).label}, {n_seeds(seeds)}", loc="left")
                row.append(axes)
            row[0].set_ylabel(f"{100 * depth:.0f} % depth", labelpad=2)
            panels.append(row)
    _same_ranges(panels, cells)
    for row in panels:
        for j, axes in enumerate(row):
            axes.tick_params(labelleft=j == 0, labelbottom=row in panels[len(DEPTHS) - 1 :: 3])
    for row in panels[len(DEPTHS) - 1 :: len(DEPTHS)]:
        for axes in row:
            axes.set_xlabel("$P$ (points)", labelpad=1)
    figure.text(LEFT / 6.75, 1 - 0.07 / height, f"{grammar_text(cells)}; transformations of"
                " the input's level, $l=1$", va="top", fontsize=7.5)  # fmt: skip
    y = (FOOT + FOOT_LINE * len(lines) - 0.05) / height
    handles = _handles(panels)
    names = [str(one.get_label()) for one in handles]
    legend(figure, handles, names, LEFT / 6.75, y, "", n_columns=3)
    write_foot(figure, lines)
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
            if high / low < 300:
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
