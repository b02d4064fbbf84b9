"""Figures 10, 13: sample complexities at s = 3, and how that of the LCN depends on s and L.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 (s0) empty places for each
informative one, v features, m synonyms, n_c classes, C_0(s, L) the constant of Eq. 3.
"""

from itertools import product

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    GUIDE,
    Estimate,
    Point,
    between,
    colour,
    counts,
    curve_groups,
    divided,
    empty_handles,
    estimate,
    few_ticks,
    line,
    plural,
    point_handles,
    scatter,
    shape,
    shown,
)
from srhm.figures.selection import at_threshold, predicted, text_curves, text_protocol
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule
from srhm.studies.sparse_hierarchy.figures.sample_complexity import (
    against_prediction,
    published_handle,
)

BRANCHING = 3
# Right panel of Figure 10: the same v = n_c = m and s_0 for all four (s, L).
N_FEATURES, N_EMPTY = 4, 1
CONSTANT_CURVES = tuple(product((2, 3), (2, 3)))  # (s, L)
HEIGHT = 2.7  # inches, without the legend
ENDS = (1.4, 6.8)  # of s^(L/2)


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
    """Figure 10 (LCN, with the panel of the constant) or 13 (CNN): P* against its prediction.

    Of the main curves with s = 3 and this width, at this threshold of the test error; grey, the
    paper's own points. `rule` made the table; the legend names it.
    """
    table = at_threshold(sample_complexity, threshold)
    table = table[table["net"] == net]
    curves = text_curves(table, width=width, branching=BRANCHING)
    constant = constant_curves(table, width=width) if net == "lcn" else table[:0]
    features = sorted({*curves["v"].tolist(), *constant["v"].tolist()})
    figure, part = laid_out_page(HEIGHT, preset=preset)
    n_panels = 2 if net == "lcn" else 1
    panels = part.subplots(1, n_panels, squeeze=False, subplot_kw={"box_aspect": 1})[0]
    beside = published[(published["net"] == net) & (published["s"] == BRANCHING)]
    against_prediction(panels[0], curves, beside, net=net, features=features, preset=preset)
    letter = "A" if net == "lcn" else ""
    panel_title(panels[0], letter, f"{net.upper()}, $s={BRANCHING}$" + counts(curves))
    if net == "lcn":
        _constant(panels[1], constant, features, preset=preset)
    handles = {
        **point_handles(rule, narrow=True),
        "published": published_handle(),
        "y = x": line("$y=x$", color=GUIDE, linestyle="--"),
        "flat": line("B: a constant and", color=GUIDE, linestyle=":"),
        "rising": line("$\\propto s^{L/2}$, both through\nthe first point", color=GUIDE,
                       linestyle="-."),
    }  # fmt: skip
    *groups, _ = curve_groups(pd.concat([curves, constant]), features)
    drawn = [curves, constant, *([beside] if len(curves) else [])]
    places = sorted({place for table in drawn for place in table["s0"].tolist()})
    groups.append(("Empty places", empty_handles(places)))
    add_legends(part, [*groups, ("Curves", shown(handles, panels))])
    return figure


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


def _constant(axes: Axes, curves: pd.DataFrame, features: list[int], *, preset: str) -> None:
    """Panel B: P* over Eq. 3 without its constant, against s^(L/2), and two guides.

    The guides, a constant and s^(L/2) itself, start at the first P* that is not censored; nothing
    is fitted.
    """
    seeds = between(curves["n_seeds"]) if len(curves) else ""
    title = f": {len(curves)} {plural('curve', len(curves))}, {seeds} seeds" if seeds else ""
    panel_title(axes, "B", f"$v=n_c=m={N_FEATURES}$, $s_0={N_EMPTY}$" + title)
    axes.set_xlabel("$s^{L/2}$")
    axes.set_ylabel("$P^*\\;/\\;(s_0+1)^L\\,n_c\\,m^L$")
    if curves.empty:
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    rows = curves.assign(constant=curves["s"] ** (curves["L"] / 2)).sort_values("constant")
    points = []
    for _, row in rows.iterrows():
        x = float(row["constant"])
        scale = predicted(row) / x
        points.append(
            Point(
                x=Estimate(x),
                y=divided(estimate(row), scale),
                tint=colour(row["L"], row["v"], features),
                marker=shape(row["s0"]),
                small_pool=row["small_pool"],
            )
        )
    scatter(axes, points, both_axes=False)
    known = [one for one in points if one.y.value is not None and not one.y.beyond]
    axes.set_xlim(*ENDS)
    if known:
        first = known[0]
        assert first.x.value is not None
        assert first.y.value is not None
        axes.plot(ENDS, [first.y.value] * 2, color=GUIDE, linewidth=0.8, linestyle=":", zorder=1,
                  gid="flat")  # fmt: skip
        axes.plot(ENDS, [first.y.value * end / first.x.value for end in ENDS], color=GUIDE,
                  linewidth=0.8, linestyle="-.", zorder=1, gid="rising")  # fmt: skip
    for (_, row), one in zip(rows.iterrows(), points, strict=True):
        if one.x.value is not None and one.y.value is not None:
            side = -1 if row["s"] == 2 else 1  # s = 2, L = 3 and s = 3, L = 2 are neighbours
            axes.annotate(f"$s={row['s']}$", (one.x.value, one.y.value), fontsize=7,
                          xytext=(5 * side, -4 * side), textcoords="offset points",
                          ha="left" if side > 0 else "right",
                          va="top" if side > 0 else "bottom",
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip
    axes.set_xticks([2, 3, 4, 6], ["2", "3", "4", "6"])
    axes.set_xticks([], minor=True)
    few_ticks(axes.yaxis, *axes.get_ylim())
    drawn = list(zip(rows["s"], rows["L"], strict=True))
    missing = [pair for pair in CONSTANT_CURVES if pair not in drawn]
    if missing:
        names = ", ".join(f"({s}, {L})" for s, L in missing)
        axes.text(0.02, 0.98, f"not in this preset:\n$(s, L)$ = {names}", va="top",
                  transform=axes.transAxes, fontsize=7)  # fmt: skip
