"""Figures 6, 11, 14, 16: P* of the test error against P*_S and P*_D of the second layer.

Figure 16 has those of the output, too, of the FCN of the published figures (`networks.fcn2`).

Letters of the paper: P* sample complexity of the test error; P*_S, P*_D those at which S_2, D_2
(Eq. 6, 7: layer k = 2, level l = 1) fall to a threshold; L depth, s branching, s_0 empty places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.architecture_marks import look, protocol_lines, wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    GUIDE,
    Point,
    colour,
    counts,
    curve_groups,
    estimate,
    line,
    plural,
    point_handles,
    scatter,
    shape,
    shown,
)
from srhm.figures.selection import at_threshold, practice_curves, text_curves
from srhm.model import theory
from srhm.statistics.sample_complexity import (
    DEFAULT_RULE,
    OUTPUT_OF_FCN,
    OUTPUT_THRESHOLD,
    IntervalRule,
)
from srhm.studies.sparse_hierarchy.figures.transformations import (
    HEIGHT_IN_INCHES,
    draw_transformations,
)

ROW = 2.75  # inches
KINDS = ("S", "D")
# Criteria of the sensitivities to level 1, by kind: of layer 2; of the output, by the practice.
LAYER_TWO = {"S": "S_2", "D": "D_2"}
OUTPUT = OUTPUT_OF_FCN


@dataclass(frozen=True)
class _Row:
    """A row of panels: sample complexities of a net at one s, and which sensitivities."""

    net: str
    branching: int
    table: pd.DataFrame
    criteria: Mapping[str, str]


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
    most curves, as the FCN's differs between depths). Illustrated: panels A and B above show what
    the transformations do. `cells`, where given, say at the foot how the networks were trained and
    how many were capped or diverged. `rule` made the table; the legend names it. practice: the net
    of the published figure, where it is another one: a row more if there are curves of it, trained
    as that was, against P*_S and P*_D of the output.
    """
    rows = sample_complexity[sample_complexity["net"] == net]
    shown_rows = [
        _Row(net, s, text_curves(rows, width=width, branching=s), LAYER_TWO) for s in branchings
    ]
    if practice is not None:
        rows = sample_complexity[sample_complexity["net"] == practice]
        made = [_Row(practice, s, practice_curves(rows, branching=s), OUTPUT) for s in branchings]
        shown_rows += [one for one in made if len(one.table)]
    tables = [one.table for one in shown_rows]
    foot = []
    if cells is not None:
        drawn = pd.concat(tables)["curve"]
        foot = wrapped(protocol_lines(cells[cells["curve"].isin(drawn)]))
    drawing = HEIGHT_IN_INCHES if illustrated else 0.0
    height = ROW * len(shown_rows)
    figure, part = laid_out_page(drawing + height, preset=preset, foot=foot)
    below = part
    if illustrated:
        above, below = part.subfigures(2, 1, squeeze=False, height_ratios=(drawing, height)).flat
        draw_transformations(above)
    panels = below.subplots(
        len(shown_rows), len(KINDS), squeeze=False, subplot_kw={"box_aspect": 1}
    )
    letters = iter("CD" if illustrated else "ABCDEFGH")
    errors = [at_threshold(table, threshold) for table in tables]
    features = sorted({v for table in errors for v in table["v"]})
    for pair, row, own in zip(panels, shown_rows, errors, strict=True):
        for axes, kind in zip(pair, KINDS, strict=True):
            sensitivities = row.table[row.table["criterion"] == row.criteria[kind]]
            _compare(axes, own, sensitivities, kind, features=features, preset=preset)
            both = own[own["curve"].isin(sensitivities["curve"])]
            name = look(row.net).label
            panel_title(axes, next(letters), f"{name}, $s={row.branching}$" + counts(both))
            axes.set_xlabel(_abscissa(kind, row, own["L"]))
            axes.set_ylabel(f"$P^*$ of $\\varepsilon = {100 * threshold:.3g}$ % (points)")
    handles = {
        **point_handles(rule, narrow=True),
        "y = x": line("$y=x$", color=GUIDE, linestyle="--"),
    }
    add_legends(
        part, [*curve_groups(pd.concat(errors), features), ("Curves", shown(handles, panels.flat))]
    )
    return figure


def _compare(
    axes: Axes,
    errors: pd.DataFrame,
    sensitivities: pd.DataFrame,
    kind: str,
    *,
    features: Sequence[int],
    preset: str,
) -> None:
    """One panel; says how many curves with a P* have no sensitivity, s_0 = 0 aside for D."""
    joined = errors.merge(sensitivities, on="curve", suffixes=("", "_sensitivity"))
    if joined.empty:
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    points = []
    for _, row in joined.sort_values("P_star").iterrows():
        other = row.filter(like="_sensitivity").rename(lambda name: name[: -len("_sensitivity")])
        points.append(
            Point(
                x=estimate(other),
                y=estimate(row),
                tint=colour(row["L"], row["v"], features),
                marker=shape(row["s0"]),
                small_pool=row["small_pool"] or other["small_pool"],
            )
        )
    scatter(axes, points)
    possible = errors if kind == "S" else errors[errors["s0"] > 0]
    n_missing = len(set(possible["curve"]) - set(joined["curve"]))
    if n_missing:
        axes.text(0.98, 0.03, f"{n_missing} {plural('curve', n_missing)} without ${kind}_2$",
                  transform=axes.transAxes, ha="right", va="bottom", fontsize=7)  # fmt: skip


def _abscissa(kind: str, row: _Row, depths: pd.Series) -> str:
    """Label with the thresholds of the depths in the panel."""
    if row.criteria is OUTPUT:
        value = f"{100 * OUTPUT_THRESHOLD:.3g} %"
        return f"$P^*_{kind}$ of ${kind}$ of the output = {value} (points)"
    net, s = row.net, row.branching
    percent = {
        depth: 100 * theory.sensitivity_threshold(kind, net, depth=depth, branching=s)
        for depth in sorted(set(depths.tolist()) or {2})
    }
    if len(set(percent.values())) == 1:
        values = f"{next(iter(percent.values())):.3g} %"
    else:
        values = ",\n".join(f"{value:.3g} % ($L={depth}$)" for depth, value in percent.items())
    return f"$P^*_{kind}$ of ${kind}_2 =$ {values} (points)"
