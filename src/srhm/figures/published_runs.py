"""Points of published runs beside those of another run: hollow rings, of which no fit knows.

Letters of the paper: L depth, s branching, s_0 empty places for each informative one, P* sample
complexity, H channels.
"""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from srhm.figures.marks import (
    ARROW,
    HUES,
    OTHER_HUE,
    Colour,
    Estimate,
    between,
    blended,
    draw_arrow,
    estimate,
    marker,
    plural,
    shape,
)
from srhm.figures.selection import at_threshold, predicted, text_curves
from srhm.results.publications import Publication

SIZE, WIDER = 7.0, 2.0  # points: of the rings of the first run, and what each further one adds
EDGE = 0.7  # points
FAINT = 0.4  # opacity of a ring in a small pool
DARKER = 0.35  # part of black in the hue of an L
SMALL_POOL = "published run, small pool"
CHARACTERS = 40  # of a line of the legend


def points_of(run: Publication, *, net: str, branching: int, threshold: float) -> pd.DataFrame:
    """Rows of a run for a panel: the text's protocol, this net, s and threshold, sparsity A.

    Of the width that most of its curves of a net and depth have, n_c = v and m = v^(s-1).
    """
    table = run.sample_complexity
    table = at_threshold(table[table["net"] == net], threshold)
    return text_curves(table, width=None, branching=branching)


def draw_rings(axes: Axes, curves: pd.DataFrame, *, place: int) -> list[float]:
    """Rings at the predictions of a run's curves, with bars, or arrows where P* is censored.

    place: number of the run among those drawn, 0 the first. Returns coordinates, which the limits
    of the axes should hold. A curve of whose P* no bound is known is not drawn.
    """
    values: list[float] = []
    for _, row in curves.sort_values("P_star").iterrows():
        x, y = predicted(row), estimate(row)
        if y.value is not None:
            values += [x, y.value]
            _ring(axes, x, y.value, row, y, place=place)
    return values


def _ring(axes: Axes, x: float, height: float, row: pd.Series, y: Estimate, *, place: int) -> None:
    small = bool(row["small_pool"]) and not y.beyond
    kind = SMALL_POOL if small else str(row["status"])
    style: Any = {"color": tint(int(row["L"])), "alpha": FAINT if small else 1.0, "zorder": 2.2}
    if y.bar:
        axes.plot([x, x], y.bar, "-", linewidth=0.6, gid=f"bar of run {place}", **style)
    if y.beyond:
        draw_arrow(axes, (x, height), (0, ARROW * y.beyond), tint=style["color"])
    axes.plot([x], [height], shape(row["s0"]), markersize=SIZE + WIDER * place,
              markerfacecolor="none", markeredgewidth=EDGE, gid=f"run {place} {kind}",
              **style)  # fmt: skip


def tint(depth: int) -> Colour:
    """The hue of an L, darker than any shade of it is faint."""
    return blended((HUES.get(depth, OTHER_HUE), "black"), DARKER)


def run_handles(runs: Sequence[Publication], curves: Sequence[pd.DataFrame]) -> dict[str, Line2D]:
    """Legend of the rings by a part of the name under which they are drawn: H, seeds, device.

    curves: what is drawn of each run.
    """
    handles = {}
    ring: Any = {"markerfacecolor": "none", "markeredgewidth": EDGE, "markeredgecolor": "0.15"}
    for place, (run, rows) in enumerate(zip(runs, curves, strict=True)):
        words = f"trained on {run.devices}"
        if len(rows):
            seeds = rows["n_seeds"]
            number = f"{between(seeds)} {plural('seed', int(seeds.max()))}"
            words = f"H = {between(rows['width'])}, {number}, {words}"
        label = fill(f"published run: {words}", CHARACTERS).replace("H = ", "$H$ = ")
        handles[f"run {place} "] = marker("o", label, markersize=SIZE + WIDER * place, **ring)
    handles[SMALL_POOL] = marker("o", SMALL_POOL, markersize=SIZE, alpha=FAINT, **ring)
    return handles
