"""Panels of jamming: unsatisfied points over weights, N_Delta/N, and N*(P).

Letters of the thesis (chapters 1 and 2a): N weights, N_Delta unsatisfied points, P training points,
N* the smallest N that fits P points.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import Scale
from srhm.statistics.jamming import JAMMED, LEAST_LOSS

# Chapter 1: N_Delta/N and P/N at the transition, random data; chapter 2a: the least when jammed.
AT_TRANSITION, LOAD, LEAST = 0.75, 2.9, 0.25
TICKS = (0.0, 0.1, 0.5, 1.0, 10.0)


def at_loss(marked: pd.DataFrame, *, floor: float = LEAST_LOSS) -> pd.DataFrame:
    """The networks with `at_loss`, their loss, or a floor where it is below that or they fit."""
    losses = np.where(marked["fits"], floor, marked["mean_loss"])
    return marked.assign(at_loss=np.maximum(losses, floor))


def unsatisfied_points(
    title: str, marked: pd.DataFrame, x: str, axis: Axis, by: Sequence[Scale], *,
    linear: float = JAMMED, scale: float = 0.5,
) -> Panel:  # fmt: skip
    """N_Delta/N of networks; linear: up to which number the axis is linear; scale: its part."""
    ticks = [tick for tick in TICKS if tick in (0.0, 1.0, 10.0) or tick >= linear / 2]
    highest = float(marked["unsatisfied"].max()) if len(marked) else 1.0
    kept = {tick: f"{tick:g}" for tick in ticks if tick <= max(1.0, highest)}
    return Panel(
        title=title, x=axis, y=Axis("$N_\\Delta/N$", ticks=kept, linear=linear, stretch=scale,
                                    limits=(-0.15 * linear, max(1.5, 1.5 * highest))),
        marks=[
            Marks(rows=marked, x=x, y="unsatisfied", by=by, name=x, size=3.2, filled=False),
            level(AT_TRANSITION, "0.75: random data", name="at the transition", line="--"),
            level(LEAST, "0.25: least when jammed", name="least when jammed"),
        ],
    )  # fmt: skip


def thresholds(
    title: str, stars: pd.DataFrame, sizes: pd.Series, by: Sequence[Scale]
) -> Panel:  # fmt: skip
    """N* of each P, the widths it lies between as bars, bounds hollow with an arrow.

    stars: rows of `smallest_that_fit`; sizes: P between which the law of random data is drawn.
    """
    if stars.empty:
        return Panel(title=title)
    side = stars["status"].map({"reached": 0, "above_range": 1, "below_range": -1})
    bound = stars["N_low"].where(side > 0, stars["N_high"])
    rows = stars.assign(side=side, N=stars["N_star"].where(side == 0, bound), bound=side != 0)
    rows[["N_low", "N_high"]] = rows[["N_low", "N_high"]].where(side == 0, np.nan)
    P = np.array([min(sizes), max(sizes)], dtype=float)
    return Panel(
        title=title, x=Axis("training points $P$", log=True), y=Axis("$N^*$", log=True), marks=[
            Marks(rows=rows, x="P", y="N", low="N_low", high="N_high", by=by, open="bound",
                  beyond="side", name="star", bar_label="widest jammed to the next wider",
                  arrow_label="$N^*$ lies"),
            law(P, P / LOAD, f"$N=P/{LOAD:g}$: random data", name="random"),
        ],
    )  # fmt: skip
