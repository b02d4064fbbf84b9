"""Figures 10, 13: sample complexities at s = 3, and how that of the LCN depends on s and L.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 (s0) empty places for each
informative one, v features, m synonyms, n_c classes, C_0(s, L) the constant of Eq. 3.
"""

from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import (
    complexity_marks,
    depths,
    empty_places,
    with_ends,
)
from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.marks import curves_and_seeds
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, law
from srhm.figures.scales import Scale
from srhm.figures.selection import at_threshold, text_curves, text_protocol
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule
from srhm.studies.sparse_hierarchy.figures.sample_complexity import (
    against_prediction,
    over_prediction,
    with_prediction,
)

BRANCHING = 3
# Right panel of Figure 10: the same v = n_c = m and s_0 for all four (s, L).
N_FEATURES, N_EMPTY = 4, 1
CONSTANT_CURVES = tuple(product((2, 3), (2, 3)))  # (s, L)
ENDS = (1.4, 6.8)  # of s^(L/2)
TICKS = {2.0: "2", 3.0: "3", 4.0: "4", 6.0: "6"}


@styled
def draw(
    sample_complexity: pd.DataFrame,
    published: pd.DataFrame,
    *,
    net: str,
    width: int,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """Figure 10 (LCN) or 13 (CNN): P* against its prediction; B: the constant, or their ratio.

    Of the main curves with s = 3 and this width, at this threshold of the test error; grey, the
    authors' points. `rule` made the table.
    """
    table = at_threshold(sample_complexity, threshold)
    table = table[table["net"] == net]
    curves = with_prediction(text_curves(table, width=width, branching=BRANCHING))
    beside = with_prediction(published[(published["net"] == net) & (published["s"] == BRANCHING)])
    constant = with_prediction(constant_curves(table, width=width))
    if net != "lcn":
        constant = constant[:0]
    everything = pd.concat([curves, constant, beside if len(curves) else beside[:0]])
    by = [depths(everything), empty_places(everything["s0"])]
    panels = [against_prediction(curves, beside, net=net, by=by, rule=rule,
                                 title=f"{net.upper()}, $s={BRANCHING}$")]  # fmt: skip
    if net == "lcn":
        panels.append(_constant(constant, by[0], rule))
    else:
        panels.append(over_prediction(curves, beside, net=net, by=by, rule=rule))
    drawn = list(zip(constant["s"], constant["L"], strict=True))
    absent = ", ".join(str(pair) for pair in CONSTANT_CURVES if pair not in drawn)
    notes = [f"{net.upper()}, s = {BRANCHING}: {curves_and_seeds(curves)}."]
    if net == "lcn" and absent:
        notes.append(f"B lacks (s, L) = {absent}.")
    return mosaic(panels, columns=2, preset=preset, height=3.1, notes=notes)


def constant_curves(table: pd.DataFrame, *, width: int) -> pd.DataFrame:
    """Rows of the right panel of Figure 10: v = n_c = m = 4, s_0 = 1, s and L either 2 or 3."""
    rows = text_protocol(table, width=width)
    return rows[
        (rows["sparsity"] == "A")
        & (rows["s0"] == N_EMPTY)
        & (rows[["v", "m", "n_c"]] == N_FEATURES).all(axis=1)
        & rows["s"].isin([2, 3])
        & rows["L"].isin([2, 3])
    ]


def _constant(curves: pd.DataFrame, depth: Scale, rule: IntervalRule) -> Panel:
    """Panel B: P* over Eq. 3 without its constant, against s^(L/2), and two guides.

    The guides, a constant and s^(L/2) itself, start at the first P* that is not censored; nothing
    is fitted.
    """
    root = curves["s"] ** (curves["L"] / 2)
    rows = with_ends(curves.assign(root=root), unit=curves["prediction"] / root).sort_values("root")
    branching = Scale(column="s", title="B: $s$", looks={
        s: Look(f"${s}$", marker=marker)
        for s, marker in ((2, "<"), (3, ">")) if s in set(rows["s"])
    })  # fmt: skip
    marks = complexity_marks(rows, x="root", by=[depth, branching], rule=rule)  # fmt: skip
    known = rows[(rows["y_beyond"] == 0) & rows["y"].notna()]
    if len(known):
        x, y = known[["root", "y"]].iloc[0]
        marks += [law(ENDS, [y, y], "B: a constant", line=":", name="flat"),
                  law(ENDS, [y * end / x for end in ENDS], "B: $\\propto s^{L/2}$", line="-.",
                      name="rising")]  # fmt: skip
    return Panel(
        title=f"$v=n_c=m={N_FEATURES}$, $s_0={N_EMPTY}$", marks=marks,
        x=Axis("$s^{L/2}$", log=True, limits=ENDS, ticks=TICKS),
        y=Axis("$P^*\\;/\\;(s_0+1)^L\\,n_c\\,m^L$", log=True),
    )  # fmt: skip
