"""Our own figure: what each choice of the practice does to the sample complexity.

The practice is how the published figures were made where it differs from the text: whitened input,
biases, balanced batches with a table of rates, the best test error over training (deviations.md).
Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places, v features.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    GUIDE,
    Estimate,
    Point,
    between,
    divided,
    draw_point,
    empty_handles,
    estimate,
    few_ticks,
    limits,
    line,
    patch,
    plural,
    point_handles,
    shaded,
    shape,
    shown,
)
from srhm.figures.selection import FAST_ENGINE, at_threshold, text_protocol
from srhm.results.coordinates import NET_AND_DATA
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule

NET, BRANCHING, DEPTHS = "cnn", 2, (2, 3)
# Column, its value in the practice, its name.
CHOICES = (
    ("whitening", True, "whitened input"),
    ("bias", True, "biases"),
    ("batch", "balanced", "balanced batches,\nrate table"),
)
TEXT, ALL = "the text", "all three"
# Whitening and biases need another engine; the reference without them is a check of the fast one.
REFERENCE = ",\nreference engine"
CRITERIA = {"test_error": ("error at the stop", "#3C3C3C"),
            "best_test_error": ("best error over training", "#E69F00")}  # fmt: skip
ROW, ROOM = 0.4, 0.8  # inches: of a choice; titles and labels of the axes
SPREAD = 0.7  # part of a row that its points take


@styled
def draw(
    sample_complexity: pd.DataFrame,
    *,
    width: int,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """P* of the CNN under each choice of the practice, divided by that of the text's protocol.

    Both P* at this threshold, the divisor that of the error at the stop; s = 2, n_c = v,
    m = v^(s-1), sparsity A, this width. A panel for each L, a row for each choice that the table
    holds, a point for each curve and criterion; bars are the interval of the numerator alone, that
    of the divisor is shown in the first row. `rule` made the table; the legend names it.
    """
    tables = {
        criterion: _rows(at_threshold(sample_complexity, threshold, criterion=criterion), width)
        for criterion in CRITERIA
    }
    rows = pd.concat(tables.values(), ignore_index=True)
    text = text_protocol(tables["test_error"], width=width)
    rows = rows[rows["curve"].isin(_compared(rows))]
    names = list(dict.fromkeys(rows.sort_values("rank")["choice"])) or [TEXT]
    figure, part = laid_out_page(ROW * max(len(names), 3) + ROOM, preset=preset)
    features = sorted(set(rows["v"].tolist()))
    ratios = [_ratio(row, text) for _, row in rows.iterrows()]
    ends = limits([Estimate(1.0), *(one for one in ratios if one)])
    panels = part.subplots(1, len(DEPTHS))
    for i, (axes, depth) in enumerate(zip(panels, DEPTHS, strict=True)):
        own = rows["L"] == depth
        chosen = [one for one, here in zip(ratios, own, strict=True) if here]
        _panel(axes, rows[own], chosen, names, features, ends, preset=preset)
        panel_title(axes, "AB"[i], f"CNN, $L={depth}$" + _parameters(rows[own]))
        axes.set_xlabel("$P^*$ in units of the text's $P^*$")
        if i and axes.get_lines():
            axes.set_yticklabels([])
    _legends(part, panels, rows, features, rule)
    return figure


def _rows(table: pd.DataFrame, width: int) -> pd.DataFrame:
    """Curves of the figure with the name and the rank of their choice."""
    rows = table[
        (table["net"] == NET)
        & (table["s"] == BRANCHING)
        & (table["sparsity"] == "A")
        & (table["width"] == width)
        & (table["n_c"] == table["v"])
        & (table["m"] == table["v"] ** (table["s"] - 1))
    ]
    named = [_choice(row) for _, row in rows.iterrows()]
    return rows.assign(rank=[rank for rank, _ in named], choice=[name for _, name in named])


def _choice(row: pd.Series) -> tuple[int, str]:
    """Rank from top to bottom and name: the text, each choice, their combinations, all."""
    made = [i for i, (column, value, _) in enumerate(CHOICES) if row[column] == value]
    name = " +\n".join(CHOICES[i][2] for i in made) or TEXT
    if len(made) == len(CHOICES):
        name = ALL
    other = row["engine"] != FAST_ENGINE and not {0, 1} & set(made)
    rank = 100 * len(made) + 10 * sum(made) + int(other)
    return rank, name + REFERENCE if other else name


def _compared(rows: pd.DataFrame) -> set[str]:
    """Names of the curves whose data model was learnt in another way than the text's too."""
    kinds = rows.groupby(list(NET_AND_DATA))["choice"].transform("nunique")
    return set(rows["curve"][kinds > 1])


def _ratio(row: pd.Series, text: pd.DataFrame) -> Estimate | None:
    """The P* of a row over that of the text; None where the text's is censored or not there."""
    same = text[(text[list(NET_AND_DATA)] == row[list(NET_AND_DATA)]).all(axis=1)]
    if same.empty or same["status"].iloc[0] != "reached":
        return None
    return divided(estimate(row), float(same["P_star"].iloc[0]))


def _panel(
    axes: Axes,
    rows: pd.DataFrame,
    ratios: Sequence[Estimate | None],
    names: Sequence[str],
    features: Sequence[int],
    ends: tuple[float, float],
    *,
    preset: str,
) -> None:
    """One L: points in the row of their choice, side by side in the order of criterion, v, s_0."""
    if rows.empty:
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    axes.axvline(1.0, color=GUIDE, linewidth=0.8, linestyle="--", zorder=1, gid="text")
    order = rows.assign(place=range(len(rows)), late=rows["criterion"] != "test_error")
    for y, name in enumerate(names):
        group = order[order["choice"] == name].sort_values(["late", "v", "s0"])
        for i, (_, row) in enumerate(group.iterrows()):
            ratio = ratios[row["place"]]
            if ratio is not None:
                place = y + SPREAD * ((i + 0.5) / len(group) - 0.5)
                tint = shaded(CRITERIA[row["criterion"]][1], row["v"], features)
                point = Point(x=ratio, y=Estimate(place), tint=tint,
                              marker=shape(row["s0"]), small_pool=row["small_pool"])  # fmt: skip
                draw_point(axes, point, x_floor=ends[0], y_floor=0.0)
        if group.empty:
            axes.text(1.0, y, " not in this preset", fontsize=7, va="center", color=GUIDE)
        elif all(ratios[place] is None for place in group["place"]):
            axes.text(1.0, y, " text's $P^*$ is censored", fontsize=7, va="center", color=GUIDE)
    axes.set(xscale="log", xlim=ends, ylim=(len(names) - 0.5, -0.5), yticks=range(len(names)))
    axes.set_yticklabels(names)
    axes.tick_params(axis="y", length=0)
    few_ticks(axes.xaxis, *ends)


def _parameters(rows: pd.DataFrame) -> str:
    """v and seeds of a panel, for its title."""
    if rows.empty:
        return ""
    v = ", ".join(str(one) for one in sorted(set(rows["v"])))
    seeds = between(rows["n_seeds"])
    return f", $v={v}$: {seeds} {plural('seed', int(rows['n_seeds'].max()))}"


def _legends(
    part: SubFigure,
    panels: Sequence[Axes],
    rows: pd.DataFrame,
    features: Sequence[int],
    rule: IntervalRule,
) -> None:
    """Below the panels: criteria, s_0, v, points."""
    if rows.empty:
        return
    criteria = [
        patch(name, to_rgb(tint))
        for criterion, (name, tint) in CRITERIA.items()
        if criterion in set(rows["criterion"])
    ]
    handles = shown(
        {**point_handles(rule, narrow=True), "text": line("$P^*$ of the text", color=GUIDE,
                                                         linestyle="--")},
        panels,
    )  # fmt: skip
    shades = [
        tuple(patch(f"${v}$", shaded(tint, v, features)) for _, tint in CRITERIA.values())
        for v in features
    ]
    add_legends(
        part,
        [
            ("$P^*$ from the", criteria),
            ("Empty places", empty_handles(sorted(set(rows["s0"].tolist())))),
            ("Features $v$", shades if len(features) > 1 else []),
            ("Curves", handles),
        ],
    )
