"""Figures 6, 11, 14, 16: P* of the test error against P*_S and P*_D of the second layer.

Figure 16 has those of the output, too, of the FCN of the published figures (`networks.fcn2`).

Letters of the paper: P* sample complexity of the test error; P*_S, P*_D those at which S_2, D_2
(Eq. 6, 7: layer k = 2, level l = 1) fall to a threshold; L depth, s branching, s_0 empty places.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.architecture_marks import protocol_lines
from srhm.figures.complexity_marks import (
    complexity_marks,
    depths,
    empty_places,
    with_ends,
)
from srhm.figures.drawing import styled
from srhm.figures.marks import curves_and_seeds
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, law
from srhm.figures.scales import Scale
from srhm.figures.selection import at_threshold, practice_curves, text_curves
from srhm.model import theory
from srhm.statistics.sample_complexity import (
    DEFAULT_RULE,
    OUTPUT_OF_FCN,
    OUTPUT_THRESHOLD,
    IntervalRule,
)
from srhm.studies.sparse_hierarchy.figures.transformations import draw_transformation

ROW = 3.1  # inches: squares fill their half of the page
KINDS = ("S", "D")
# Criteria of the sensitivities to level 1, by kind: of layer 2; of the output, by the practice.
LAYER_TWO = {"S": "S_2", "D": "D_2"}
OUTPUT = OUTPUT_OF_FCN
OTHER = "_sensitivity"  # ending of the columns of P*_S and P*_D


@styled
def draw(
    sample_complexity: pd.DataFrame,
    cells: pd.DataFrame | None = None,
    *,
    net: str,
    branchings: Sequence[int],
    illustrated: bool,
    width: int | None,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
    practice: str | None = None,
) -> Figure:
    """Figure 6 (LCN, s = 2, illustrated), 11 (LCN, s = 3), 14 (CNN, s = 2, 3) or 16 (FCN, s = 2).

    A row of two panels for each s: P* at this threshold of the test error against P*_S and P*_D at
    the paper's thresholds, of the net's main curves of this width (None: of each depth the width of
    most curves, as the FCN's differs between depths). Illustrated: panels A and B show what the
    transformations do. `cells`, where given, say in the caption how the networks were trained and
    how many were capped or diverged. `rule` made the table. practice: the net of the published
    figure, where it is another one: a row more if there are curves of it, trained as that was,
    against P*_S and P*_D of the output.
    """
    rows = sample_complexity[sample_complexity["net"] == net]
    kinds = [(net, s, text_curves(rows, width=width, branching=s), LAYER_TWO) for s in branchings]
    rows = sample_complexity[sample_complexity["net"] == practice]
    made = [(str(practice), s, practice_curves(rows, branching=s), OUTPUT) for s in branchings]
    kinds += [one for one in made if len(one[2])]
    tables = [table for _, _, table, _ in kinds]
    everything = at_threshold(pd.concat(tables), threshold)
    by = [depths(everything), empty_places(everything["s0"])]
    panels = [draw_transformation(kind) for kind in KINDS] if illustrated else []
    notes = []
    for own_net, s, table, criteria in kinds:
        errors = at_threshold(table, threshold)
        for kind in KINDS:
            own = table[table["criterion"] == criteria[kind]]
            both = errors.merge(own, on="curve", suffixes=("", OTHER))
            label = _abscissa(kind, own_net, s, both["L"], of_output=criteria is OUTPUT)
            panels.append(_panel(both, label, net=own_net, s=s, by=by, threshold=threshold,
                                 rule=rule))  # fmt: skip
            # At s_0 = 0 there is no D.
            possible = errors if kind == "S" else errors[errors["s0"] > 0]
            missing = len(set(possible["curve"]) - set(both["curve"]))
            without = f", {missing} without {criteria[kind]}" if missing else ""
            notes.append(f"{kind}, s = {s}: {curves_and_seeds(both)}{without}.")
    if cells is not None:
        notes += protocol_lines(cells[cells["curve"].isin(pd.concat(tables)["curve"])])
    return mosaic(panels, columns=2, preset=preset, height=ROW, notes=notes)


def _panel(
    rows: pd.DataFrame,
    label: str,
    *,
    net: str,
    s: int,
    by: Sequence[Scale],
    threshold: float,
    rule: IntervalRule,
) -> Panel:
    """P* against P*_S or P*_D, and y = x."""
    title = f"{looks.net(net).label}, $s={s}$"
    if rows.empty:
        return Panel(title=title)
    drawn = with_ends(with_ends(rows), of=OTHER)
    drawn = drawn.assign(faint=drawn["faint"] | drawn[f"faint{OTHER}"])
    ends: dict[str, Any] = {
        "x_low": f"y_low{OTHER}", "x_high": f"y_high{OTHER}", "x_beyond": f"y_beyond{OTHER}"
    }  # fmt: skip
    marks = complexity_marks(drawn, x=f"y{OTHER}", by=by, rule=rule, **ends)
    known = pd.concat([drawn["y"], drawn[f"y{OTHER}"]]).dropna()
    return Panel(
        title=title, square=True,
        marks=[*marks, law([known.min() / 2, known.max() * 2], lambda x: x, "$y=x$", name="y = x")],
        x=Axis(label, log=True),
        y=Axis(f"$P^*$ of $\\varepsilon = {100 * threshold:.3g}$ %", log=True),
    )  # fmt: skip


def _abscissa(
    kind: str, net: str, branching: int, found: pd.Series, *, of_output: bool = False
) -> str:
    """Label with the thresholds of the depths in the panel."""
    if of_output:
        return f"$P^*_{kind}$ of ${kind}$ of the output = {100 * OUTPUT_THRESHOLD:.3g} %"
    percent = {
        depth: 100 * theory.sensitivity_threshold(kind, net, depth=depth, branching=branching)
        for depth in sorted(set(found.tolist()))
    }
    if len(set(percent.values())) == 1:
        values = f"{next(iter(percent.values())):.3g} %"
    else:
        values = ", ".join(f"{value:.3g} % ($L={depth}$)" for depth, value in percent.items())
    return f"$P^*_{kind}$ of ${kind}_2 =$ {values}"
