"""Figure 4: a learning curve, and the sample complexities of LCN and CNN against Eq. 3 and Eq. 4.

Letters of the paper: P training points, P* sample complexity, L depth, s branching, s_0 (s0) empty
places for each informative one, v features, m synonyms, n_c classes, ε test error.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.architecture_marks import protocol_lines
from srhm.figures.complexity_marks import (
    complexity_marks,
    depths,
    empty_places,
    first_shape,
    papers_marks,
    unknown,
    with_ends,
)
from srhm.figures.drawing import styled
from srhm.figures.marks import EQUATIONS
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.published_runs import points_of
from srhm.figures.scales import Scale
from srhm.figures.selection import at_threshold, predicted, text_curves
from srhm.statistics.publications import Publication, read_publications
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule
from srhm.studies.sparse_hierarchy.claims.complexities import of_features, of_the_law

NETS = ("lcn", "cnn")
HEIGHT = 2.35  # inches of a row
DODGE = 0.025  # of v, between s_0
ROOM = 2.0  # factor above the marks that words take
ARCHIVE = "0.35"


@styled
def draw(
    cells: pd.DataFrame,
    sample_complexity: pd.DataFrame,
    published: pd.DataFrame,
    *,
    width: int,
    threshold: float,
    preset: str,
    runs: Sequence[Publication] = (),
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """Figure 4 from the tables of cells, of sample complexities and of published values.

    The panels hold the curves of the text's protocol with this width H, their P* at this threshold
    of the test error. `rule` is the one by which the table was made. A: ε of every seed and the
    average over the seeds that did not diverge, for `example_curve`. B, C: P* of each curve against
    its prediction, the authors' points of s = 2 over them, rings of archived `runs`; the slope is
    that of the scorecard. D, E: P* over its prediction against v.
    """
    curves = at_threshold(text_curves(sample_complexity, width=width, branching=2), threshold)
    curves = with_prediction(curves[curves["net"].isin(NETS)])
    points = with_prediction(published[published["s"] == 2])
    archive = [
        with_prediction(points_of(run, net=net, branching=2, threshold=threshold))
        for run in runs
        for net in NETS
    ]
    rings = pd.concat(archive, ignore_index=True) if archive else curves[:0]
    rings = rings[rings["net"].isin(curves["net"])]
    everything = pd.concat([curves, rings, points[points["net"].isin(curves["net"])]])
    by = [depths(everything), empty_places(everything["s0"])]
    tables = {"sample_complexity": sample_complexity, "cells": cells}
    panels = [_learning_curve(cells, example_curve(curves), threshold, rule)]
    for net in NETS:
        own, theirs, rung = (one[one["net"] == net] for one in (curves, points, rings))
        panels.append(
            against_prediction(own, theirs, net=net, by=by, rings=rung, rule=rule,
                               title=f"{net.upper()}, $s=2$", note=_slope(tables, net))
        )  # fmt: skip
    panels += [
        over_prediction(curves, points, net=net, by=by, rule=rule, note=_powers(tables, net))
        for net in NETS
    ]
    drawn = cells[cells["curve"].isin(curves["curve"])]
    hardware = "; ".join(f"archive {run.preset}: {run.devices}" for run in runs)
    notes = [
        *unknown(with_ends(curves)),
        *protocol_lines(drawn),
        *([f"{hardware}."] if len(rings) else []),
    ]
    return mosaic(panels, columns=3, preset=preset, height=HEIGHT, notes=notes)


def with_prediction(rows: pd.DataFrame) -> pd.DataFrame:
    """With the prediction of Eq. 3 or 4, P* over it, and v a little aside for each s_0."""
    prediction = pd.Series([predicted(row) for _, row in rows.iterrows()], index=rows.index,
                           dtype=float)  # fmt: skip
    aside = 1 + DODGE * (rows["s0"] - 1.5)
    return rows.assign(
        prediction=prediction, over=rows["P_star"] / prediction, at=rows["v"] * aside
    )


def _slope(tables: dict[str, pd.DataFrame], net: str) -> str:
    """The slope of log P* on its prediction, as the scorecard measures it."""
    found = of_the_law((net,), 2)(tables)
    if not isfinite(found.value):
        return ""
    ends = f" [{found.low:.2f}, {found.high:.2f}]" if isfinite(found.low) else ""
    return f"slope {found.value:.2f}{ends}"


def _powers(tables: dict[str, pd.DataFrame], net: str) -> str:
    """The exponent of v at each L, as the scorecard measures it, and that of the law."""
    lines = []
    for depth in (2, 3):
        found = of_features(net, depth)(tables)
        if isfinite(found.value):
            ends = f" [{found.low:.2f}, {found.high:.2f}]" if isfinite(found.low) else ""
            lines.append(f"$L={depth}$: $v^{{{found.value:.2f}}}${ends}, law $v^{depth + 1}$")
    return "\n".join(lines)


def example_curve(curves: pd.DataFrame) -> pd.Series | None:
    """The row whose learning curve panel A shows: of the LCN, with L = s_0 = 2 as in the paper.

    Where there is no such curve, the next best: one that reached the threshold, then L = 2, then
    s_0 = 2, then the largest v. None without any curve of the LCN.
    """
    lcn = curves[curves["net"] == "lcn"]
    if lcn.empty:
        return None
    wishes = pd.DataFrame(
        {
            "reached": lcn["status"] == "reached",
            "depth": lcn["L"] == 2,
            "empty": lcn["s0"] == 2,
            "v": lcn["v"],
            "s0": lcn["s0"],
        }
    )
    return lcn.loc[wishes.sort_values(list(wishes.columns), ascending=False).index[0]]


def _learning_curve(
    cells: pd.DataFrame, row: pd.Series | None, threshold: float, rule: IntervalRule
) -> Panel:
    """Panel A: test error of every seed, their average, the threshold and P* with its interval."""
    if row is None:
        return Panel(title="LCN")
    own = cells[cells["curve"] == row["curve"]]
    own = own.assign(error=100 * own["test_error"], lost=100.0)
    mean = own.groupby("P", as_index=False)["error"].mean()  # leaves out NaN, as P* does
    star: float = row["P_star"]
    ends = [float(row[name]) for name in ("P_star_low", "P_star_high")]
    note = {"not_reached": "threshold not reached", "below_range": "below all $P$"}.get(
        row["status"], _star(star, ends)
    )
    tint, at = looks.net("lcn").colour, 100 * threshold
    marks = [
        Marks(rows=own, x="P", y="error", each=["seed"], label="one seed", name="seed", colour=tint,
              alpha=0.4, size=2.0, width=0.7, line="-"),
        Marks(rows=mean, x="P", y="error", label="average over seeds", name="mean", colour="black",
              size=3.0, line="-", order=3.0),
        Marks(rows=own[own["status"] == "capped"], x="P", y="error", label="stopped at the cap",
              name="capped", colour=tint, marker="s", filled=False, size=5.0),
        Marks(rows=own[own["test_error"].isna()], x="P", y="lost", label="diverged",
              name="diverged", colour=tint, marker="x"),
        level(at, f"threshold {at:.3g} %", name="threshold", line="--"),
    ]  # fmt: skip
    if isfinite(star):
        point = pd.DataFrame({"P": [star], "error": [at], "low": ends[:1], "high": ends[1:]})
        marks.append(
            Marks(rows=point, x="P", y="error", x_low="low", x_high="high", label="$P^*$, interval",
                  name="P_star", colour="black", marker="D", filled=False, size=5.0, order=4.0)
        )  # fmt: skip
    return Panel(
        title=f"LCN, $L={row['L']}$, $v={row['v']}$, $s_0={row['s0']}$", marks=marks, note=note,
        x=Axis("training points $P$", log=True),
        y=Axis("test error $\\varepsilon$ (%)", limits=(-2, 102)),
    )  # fmt: skip


def _star(value: float, ends: Sequence[float]) -> str:
    """P* with its interval, three digits each."""
    value, low, high = (float(f"{one:.3g}") for one in (value, *ends))
    if not isfinite(value):
        return ""
    return f"$P^*$ = {value:,.0f}" + (f"\n[{low:,.0f}, {high:,.0f}]" if isfinite(low) else "")


def against_prediction(
    curves: pd.DataFrame,
    published: pd.DataFrame,
    *,
    net: str,
    by: Sequence[Scale],
    title: str,
    rings: pd.DataFrame | None = None,
    note: str = "",
    rule: IntervalRule = DEFAULT_RULE,
) -> Panel:
    """P* of all curves against their prediction, both axes alike, and y = x.

    The tables have the prediction. rings: curves of archived runs.
    """
    equation, formula = EQUATIONS[net]
    if curves.empty:
        return Panel(title=title)
    values = pd.concat([curves["prediction"], published["prediction"]])
    marks = complexity_marks(with_ends(curves), x="prediction", by=by, rule=rule)  # fmt: skip
    if rings is not None and len(rings):
        shapes = [replace(one, named=False) for one in by if one.column == "s0"]
        marks.append(
            Marks(rows=with_ends(rings), x="prediction", y="y", beyond="y_beyond", by=shapes,
                  colour=ARCHIVE, filled=False, marker=first_shape(rings), size=6.0, alpha=0.5,
                  order=1.5, name="run", label="our other presets, archived")
        )  # fmt: skip
    return Panel(
        title=title, note=note, square=True,
        marks=[*marks, papers_marks(published, x="prediction", y="P_star", by=by),
               law([values.min() / 3, values.max() * 3], lambda x: x, "$y=x$", name="y = x")],
        x=Axis(f"{equation}: ${formula}$", log=True), y=Axis("$P^*$ (points)", log=True),
    )  # fmt: skip


def over_prediction(
    curves: pd.DataFrame,
    published: pd.DataFrame,
    *,
    net: str,
    by: Sequence[Scale],
    rule: IntervalRule,
    note: str = "",
) -> Panel:
    """P* over its prediction against v: where the law falls short; note: above the marks."""
    own, theirs = (one[one["net"] == net] for one in (curves, published))
    drawn = with_ends(own, unit=own["prediction"])
    marks = complexity_marks(drawn, x="at", by=by, rule=rule)
    most = pd.concat([drawn["y"], theirs["over"]]).max()
    return Panel(
        title=f"{net.upper()}: over the prediction", note=note,
        marks=[*marks, papers_marks(theirs[:0] if own.empty else theirs, x="at", y="over", by=by),
               level(1, "$y=x$", name="1", line="--")],
        x=Axis("features $v$", ticks={int(v): str(v) for v in set(own["v"]) if v % 2 == 0}),
        y=Axis(f"$P^*$ over {EQUATIONS[net][0]}", log=True,
               limits=(None, ROOM * most) if note and isfinite(most) else (None, None)),
    )  # fmt: skip


@styled
def draw_from_files(
    cells: pd.DataFrame,
    sample_complexity: pd.DataFrame,
    published: pd.DataFrame,
    *,
    publications: Sequence[str],
    preset: str,
    **options: Any,
) -> Figure:
    """As `draw`; publications: files of published runs.

    A published run of the preset itself is left out.
    """
    own = preset.removesuffix("-published")
    others = [one for one in publications if Path(one).parts[-3] != own]
    return draw(
        cells,
        sample_complexity,
        published,
        preset=preset,
        runs=read_publications(others),
        **options,
    )
