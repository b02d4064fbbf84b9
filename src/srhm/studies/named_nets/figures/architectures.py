"""Figure 9: test error and sensitivities at three relative depths of named networks, against P.

Letters of the paper: ε test error, S and D sensitivities of a layer to synonyms and diffeomorphisms
of the input's level (Eq. 13, 14 with l = 1), P training points.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.architecture_marks import CAPPED, grammar_text, ordered, protocol_lines
from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, BLUE, GREEN, ORANGE, Look, net
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import Scale
from srhm.studies.named_nets.error_and_sensitivity import DEPTHS, one_grammar, side_by_side

# The paper's blue, orange and green, in colours that the common kinds of colour blindness tell
# apart; markers differ too.
QUANTITIES = Scale(column="quantity", title="Averages", looks={
    "error": Look("test error $\\varepsilon$", BLUE, "o", "-"),
    "S": Look("$S$ (synonyms)", ORANGE, "s", "-"),
    "D": Look("$D$ (diffeomorphisms)", GREEN, "^", "-"),
})  # fmt: skip
COLUMNS = {"value": "mean", "value_low": "low", "value_high": "high", "n_capped": "capped"}
ROW = 1.15  # inches


@styled
def draw(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """Figure 9 from the cells and the sensitivities of the named networks.

    A row for each network, a column for each relative depth; lines are averages over the seeds,
    bars go from the lowest to the highest seed. P at which a network was capped have open markers,
    P at which a cell diverged a cross at the upper edge.
    """
    cells = one_grammar(cells)
    nets = ordered(list(cells["net"]))
    if not nets:
        return mosaic([], columns=1, preset=preset)
    errors = _errors(cells)
    measured = {
        depth: side_by_side(cells, sensitivities, depth)
        .rename(columns={"kind": "quantity", **COLUMNS})
        for depth in DEPTHS
    }  # fmt: skip
    top = max(1.0, *(table["high"].max() for table in (errors, *measured.values()) if len(table)))
    panels = [
        _panel(name, depth, errors[errors["net"] == name], rows[rows["net"] == name],
               title=f"{100 * depth:.0f} % depth" if name == nets[0] else "",
               label="$P$ (points)" if name == nets[-1] else "", top=1.05 * top)
        for name in nets
        for depth, rows in measured.items()
    ]  # fmt: skip
    heading = f"{grammar_text(cells)}; transformations of the input's level, $l=1$."
    return mosaic(panels, columns=len(DEPTHS), preset=preset, height=ROW, share="xy",
                  notes=[heading, *protocol_lines(cells)],
                  letters=["" for _ in panels])  # fmt: skip


def _errors(cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each network and P: ε over the seeds, whether one was capped or diverged."""
    words = cells["status"]
    cells = cells.assign(was_capped=words == "capped", was_lost=words == "diverged")
    found = cells.groupby(["net", "P"], sort=False).agg(
        mean=("test_error", "mean"),
        low=("test_error", "min"),
        high=("test_error", "max"),
        capped=("was_capped", "any"),
        diverged=("was_lost", "any"),
    )
    return found.assign(quantity="error").reset_index()


def _panel(
    name: str,
    depth: float,
    errors: pd.DataFrame,
    measured: pd.DataFrame,
    *,
    title: str,
    label: str,
    top: float,
) -> Panel:
    """ε, S and D of one network at one depth, and where a seed diverged."""
    lost = errors[errors["diverged"]].assign(top=top)
    rows = pd.concat([errors.dropna(), measured])
    return Panel(
        title=title, x=Axis(label, log=True), y=Axis(net(name).label, limits=(-0.03 * top, top)),
        marks=[
            Marks(rows=rows, x="P", y="mean", low="low", high="high", open="capped", line="-",
                  by=[QUANTITIES], name=f"{name} at {depth:g}", size=3.2, width=0.9,
                  bar_label="lowest to highest seed", open_label=CAPPED),
            Marks(rows=lost, x="P", y="top", marker="x", colour=BLACK, name="diverged",
                  label="a seed diverged"),
        ],
    )  # fmt: skip
