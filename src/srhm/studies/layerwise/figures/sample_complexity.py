"""Layerwise against end-to-end training: learning curves, and P* against m and L.

Letters of the paper: P training points, P* sample complexity, L depth, m synonyms, n_c classes, s_0
empty places for each informative one, ε test error.
"""

from math import isfinite, nan
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    GUIDE,
    Estimate,
    Point,
    draw_point,
    empty_handles,
    estimate,
    few_ticks,
    limits,
    line,
    marker,
    patch,
    plural,
    shape,
)
from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.rows import chosen, counted
from srhm.studies.layerwise.analysis import GROWTH, SERIES, STUDY, compared, series_of

NAMES = {"end_to_end": "end to end", "layerwise": "layer by layer", "shallow": "one hidden layer"}
COLOURS = {"end_to_end": "#3C3C3C", "layerwise": "#009E73", "shallow": "#CC79A7"}
STYLES = {1: ":", 2: "-", 3: "--", 4: "-."}
OTHER_STYLE = (0, (1, 1))
ROW = 2.2  # inches, with titles and labels


@styled
def draw(cells: pd.DataFrame, complexity: pd.DataFrame, *, threshold: float, preset: str) -> Figure:
    """P* of the layerwise study from the tables of cells and of sample complexities.

    A: test error against P for the grammar with most points that both trainings share. B: P*
    against m, a line for each grammar at other m; the foot has the fitted slopes. C: P* against L,
    a line for each grammar at other L, beside n_c m^L.
    """
    rows = compared(complexity, threshold=threshold)
    own = cells[cells["study"] == STUDY]
    own = own.assign(series=series_of(own))
    figure, page = laid_out_page(ROW, preset=preset, foot=wrapped(_foot(own, rows)))
    boxes = page.subplots(1, 3)
    _learning_curves(boxes[0], own, threshold, preset=preset)
    _against(boxes[1], rows, "m", "synonyms $m$", preset=preset)
    _against(boxes[2], rows, "L", "depth $L$", preset=preset)
    panel_title(boxes[1], "B", "against $m$")
    panel_title(boxes[2], "C", "against $L$")
    if len(rows):
        add_legends(page, _legends(rows))
    return figure


def _learning_curves(axes: Axes, cells: pd.DataFrame, threshold: float, *, preset: str) -> None:
    """A: mean over seeds with the range, a line for each series."""
    axes.set(xlabel="training points $P$", ylabel="test error $\\varepsilon$ (%)")
    example = _example(cells)
    if example.empty:
        panel_title(axes, "A", "learning curves")
        empty_panel(axes, f"not in preset {preset}")
        return
    first = example.iloc[0]
    panel_title(axes, "A", f"$L={first['L']:g}$, $m={first['m']:g}$, $s_0={first['s0']:g}$")
    for name in SERIES:
        part = example[example["series"] == name]
        if part.empty:
            continue
        found = part.groupby("P")["test_error"].agg(["mean", "min", "max"])
        tint = COLOURS[name]
        axes.fill_between(found.index, found["min"], found["max"], color=tint, alpha=0.15,
                          linewidth=0)  # fmt: skip
        axes.plot(found.index, found["mean"], color=tint, linewidth=1.0, gid=f"mean {name}")
        for P in sorted(set(part["P"].tolist())):
            group = part[part["P"] == P]
            open_ = bool((group["status"] != "fitted").any())
            axes.plot([P], [group["test_error"].mean()], "o", color=tint, markersize=3.5,
                      markerfacecolor="white" if open_ else tint, zorder=3,
                      gid=f"{name} {'unfitted' if open_ else 'fitted'}")  # fmt: skip
    axes.axhline(threshold, color=GUIDE, linewidth=0.8, linestyle="--", gid="threshold")
    axes.set(xscale="log", ylim=(-0.02, 1.0))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    low, high = axes.get_xlim()
    if high / low < 100:
        few_ticks(axes.xaxis, low, high)


def _example(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of the grammar with most series, then most P, then the largest L and m."""
    if cells.empty:
        return cells
    keys = [*GRAMMAR, "alpha_tilde"]
    counts = cells.groupby(keys).agg(series=("series", "nunique"), P=("P", "nunique"))
    order = counts.reset_index().sort_values(["series", "P", "L", "m"], ascending=False)
    return cells.merge(order.head(1)[keys])


def _against(axes: Axes, rows: pd.DataFrame, column: str, label: str, *, preset: str) -> None:
    """B, C: P* against one parameter of the grammar, lines through those that differ in it."""
    axes.set(xlabel=label, ylabel="sample complexity $P^*$ (points)")
    by = ["series", *(name for name in GRAMMAR if name != column)]
    if len(rows):
        rows = rows[rows.groupby(by)[column].transform("nunique") > 1]
    if rows.empty:
        empty_panel(axes, f"no grammars that differ\nin this alone in preset {preset}")
        return
    laws = rows["n_c"] * rows["m"] ** rows["L"]
    ends = limits([estimate(row) for _, row in rows.iterrows()] + [Estimate(float(laws.min()))])
    for _, group in rows.groupby(by, sort=True):
        ordered = group.sort_values(column)
        tint, first = COLOURS[str(ordered["series"].iloc[0])], ordered.iloc[0]
        style: Any = STYLES.get(int(first["L"]), OTHER_STYLE) if column == "m" else "-"
        values = [estimate(row).value for _, row in ordered.iterrows()]
        heights = [nan if value is None else value for value in values]
        places = [_beside(float(x), str(first["series"]), column) for x in ordered[column]]
        axes.plot(places, heights, linestyle=style, color=tint, linewidth=1.0,
                  gid=f"line {first['series']}")  # fmt: skip
        for place, value, (_, row) in zip(places, values, ordered.iterrows(), strict=True):
            point = Point(
                x=Estimate(place), y=estimate(row), tint=to_rgb(tint),
                marker=shape(int(row["s0"])), small_pool=bool(row["small_pool"]),
            )  # fmt: skip
            draw_point(axes, point, x_floor=1.0, y_floor=ends[0] if value is None else value)
    for _, group in rows.groupby(by[1:], sort=True):
        law = group.drop_duplicates(column).sort_values(column)
        axes.plot(law[column], law["n_c"] * law["m"] ** law["L"], color=GUIDE, linewidth=0.8,
                  linestyle=":", zorder=1, gid="law")  # fmt: skip
    steps: list[int] = sorted(set(rows[column].tolist()))
    axes.set(xscale="log" if column == "m" else "linear", yscale="log", ylim=ends)
    if ends[1] / ends[0] < 100:
        few_ticks(axes.yaxis, *ends)
    axes.set_xticks(steps, labels=[str(step) for step in steps])
    axes.set_xticks([], minor=True)
    low, high = steps[0], steps[-1]
    if column == "m":
        axes.set_xlim(low / 1.15, high * 1.15)
    else:
        axes.set_xlim(low - 0.3, high + 0.3)
    axes.yaxis.labelpad = 1


def _beside(x: float, series: str, column: str) -> float:
    """Abscissa of a point, moved a little so that those of two series do not hide each other."""
    step = SERIES.index(series) - 1
    return x * 1.025**step if column == "m" else x + 0.05 * step


def _slopes(rows: pd.DataFrame, series: str) -> str:
    """Fitted slopes of log P* on log m at each L, for the foot."""
    parts = []
    for depth in sorted(set(rows["L"].tolist())):
        own = chosen(rows, {"series": series, "L": depth})
        fit = GROWTH(against="m").fit(counted(own)[0])
        if fit.n:
            half = f" ± {fit.high - fit.slope:.1f}" if isfinite(fit.high) else ""
            parts.append(f"{fit.slope:.1f}{half} (L = {depth})")
    return f"; slope of log P* on log m {', '.join(parts)}" if parts else ""


def _foot(cells: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Widths, alpha_tilde, seeds, unfitted cells and slopes in B, for each series."""
    lines = []
    for name in SERIES:
        part = cells[cells["series"] == name]
        if part.empty:
            continue
        n_seeds = part["seed"].nunique()
        counts = part["status"].value_counts().to_dict()
        unfitted = ", ".join(f"{counts[s]} {s}" for s in ("capped", "diverged") if s in counts)
        lines.append(
            f"{NAMES[name]}: {', '.join(sorted(set(part['net']))).upper()},"
            f" h = {_listed(part['width'])}, α̃ = {_listed(part['alpha_tilde'])},"
            f" {', '.join(sorted(set(part['optimiser'])))}, {n_seeds} {plural('seed', n_seeds)},"
            f" {len(part)} cells" + (f" ({unfitted})" if unfitted else "") + _slopes(rows, name)
        )
    return lines


def _listed(values: pd.Series) -> str:
    return ", ".join(f"{value:g}" for value in sorted(set(values.tolist())))


def _legends(rows: pd.DataFrame) -> list[tuple[str, list[Line2D]]]:
    """Titles and handles of trainings, L, s_0, and points."""
    series = [patch(NAMES[s], to_rgb(COLOURS[s])) for s in SERIES if s in set(rows["series"])]
    depths = [
        line(f"$L={L}$", color="0.3", linestyle=STYLES.get(L, OTHER_STYLE))
        for L in sorted(set(rows["L"].tolist()))
    ]
    kinds = [
        marker("o", "B, C: $P^*$; A: all fitted", markerfacecolor="0.3"),
        marker(
            "o", "B, C: bound (arrow) or above a tenth\nof the distinct data; A: not all fitted"
        ),
        line("$n_c m^L$", color=GUIDE, linestyle=":"),
    ]
    places = empty_handles(sorted(set(rows["s0"].tolist())))
    return [
        ("Training", series),
        ("Depth (B)", depths),
        ("Empty places", places),
        ("Points", kinds),
    ]
