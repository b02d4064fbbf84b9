"""Gaps of points at jamming: their distributions on both sides of zero, and the exponents.

Overlaps, Delta > 0, are drawn over the root of the loss and over their median in a network.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.looks import Look
from srhm.figures.marks import patch
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, laws
from srhm.figures.scales import Scale, by_name
from srhm.scorecard.rows import chosen
from srhm.studies.gaps.analysis import (
    GAMMA,
    HIGH,
    LOW,
    NAMES,
    TAIL,
    THETA,
    budgets,
    gap_exponent,
    gaps_by_seed,
)
from srhm.studies.gaps.analysis import KINDS as CELLS_OF
from srhm.studies.gaps.figures.marks import KINDS

BINS = np.logspace(-4, 2, 25)
LEAST_SHOWN = -2.0  # of an exponent; intervals that go on below have an arrowhead
# Exponents of a kind, side by side.
SIDES = {
    "plus": Look(r"$\theta$ of $z$", marker="o"),
    "median": Look(r"$\theta$ of $\Delta$ over its median", marker="s"),
    "minus": Look(r"$\gamma$ of jammed networks", marker="^"),
    "fitted": Look(r"$\gamma$ of networks that fit", marker="v"),
}
# Side, title, label, slope of the thesis, end of the window that is fitted.
DENSITIES = (
    ("plus", "unsatisfied points", r"$z=\Delta/\sqrt{\mathcal{L}}$", 0.3, HIGH),
    ("median", "the same, over the median", r"$\Delta$ over its median", 0.3, TAIL),
    ("minus", "satisfied points", r"$|\Delta|$", -0.2, HIGH),
)
THESIS = "thesis: slopes 0.3, −0.2 (A to C), values (D)"
Samples = Mapping[tuple[str, str], list[NDArray[np.float64]]]


@styled
def draw(cells: pd.DataFrame, gaps: pd.DataFrame, *, preset: str) -> Figure:
    """A, B, C: densities of both overlaps, of |Delta| of satisfied points; D: theta and gamma."""
    samples = {(kind, side): gaps_by_seed(cells, gaps, kind=kind, side=side)
               for kind in NAMES for side in SIDES}  # fmt: skip
    counts = [
        f"{name}: {len(samples[kind, 'plus'])} jammed, {len(samples[kind, 'fitted'])} fit"
        for kind, name in NAMES.items()
    ]
    kinds = by_name("kind", KINDS, KINDS)
    panels = [
        Panel(title=title, x=Axis(label, log=True), y=Axis("density", log=True),
              extra=partial(_window, end=end), marks=[
            Marks(rows=_density(samples, side), x="gap", y="density", by=[kinds], line="-",
                  size=3, width=0.7),
            law([LOW, end], [0.25 * at**slope for at in (LOW, end)], THESIS, line="-"),
        ])
        for side, title, label, slope, end in DENSITIES
    ]  # fmt: skip
    found = _exponents(samples)
    return mosaic(
        [*panels, _compared(found, _shortest(cells, gaps), kinds)], columns=2, preset=preset,
        notes=[f"Numbers of seeds: {'; '.join(counts)}."],
    )  # fmt: skip


def _window(axes: Axes, end: float) -> list[Entry]:
    axes.axvspan(LOW, end, color="0.93", zorder=0)
    return [Entry("", "fitted", (patch("", (0.93, 0.93, 0.93)),))]


def _density(samples: Samples, side: str) -> pd.DataFrame:
    """Density in logarithmic bins of at least five gaps, of each kind."""
    found = []
    for kind in KINDS:
        parts = samples[kind, side]
        pooled = np.concatenate(parts) if parts else np.empty(0)
        counts = np.histogram(pooled, BINS)[0]
        rows = pd.DataFrame({"gap": np.sqrt(BINS[1:] * BINS[:-1]), "n": counts})
        rows["density"] = counts / np.diff(BINS) / max(len(pooled), 1)
        found.append(rows[rows["n"] >= 5].assign(kind=kind))
    return pd.concat(found)


def _exponents(samples: Samples) -> pd.DataFrame:
    """theta and gamma of each kind and side, at their places, with the thesis's."""
    rows = []
    for (kind, side), parts in samples.items():
        sign, known = (1, THETA) if side in ("plus", "median") else (-1, GAMMA)
        found = gap_exponent(parts, high=TAIL if side == "median" else HIGH)
        low, high = sorted((sign * found.low, sign * found.high))
        place = list(KINDS).index(kind) + 0.2 * (list(SIDES).index(side) - 1.5)
        rows.append({"kind": kind, "side": side, "at": place, "thesis": known[kind],
                     "value": sign * found.value, "low": low, "high": high})  # fmt: skip
    return pd.DataFrame(rows)


def _shortest(cells: pd.DataFrame, gaps: pd.DataFrame) -> pd.DataFrame:
    """Exponents of the networks of the smallest budget, of kinds that have two."""
    rows = []
    for place, (kind, of) in enumerate(CELLS_OF.items()):
        for sign, side, step in ((1, "plus", 0), (-1, "minus", 2)):
            if budgets(chosen(cells, of)) > 1:
                short = gaps_by_seed(cells, gaps, kind=kind, side=side, longest=False)
                rows.append({"kind": kind, "side": side, "at": place + 0.2 * (step - 1.5) + 0.07,
                             "value": sign * gap_exponent(short).value})  # fmt: skip
    return pd.DataFrame(rows, columns=["kind", "side", "at", "value"])


def _compared(found: pd.DataFrame, short: pd.DataFrame, kinds: Scale) -> Panel:
    """Exponents by kind, which the ticks name, and by side."""
    tints = Scale(column="kind", named=False,
                  looks={kind: Look(look.label, look.colour) for kind, look in KINDS.items()},
                  )  # fmt: skip
    known = found.dropna(subset="value")
    thesis = pd.concat([found.assign(at=found["at"] + end, place=found["kind"] + found["side"])
                        for end in (-0.1, 0.1)]).dropna(subset="thesis")  # fmt: skip
    lines = laws(thesis, "at", "thesis", THESIS, by=[_unnamed(thesis["place"])], line="-")
    return Panel(
        title="exponents", y=Axis(r"$\theta$, $\gamma$", limits=(LEAST_SHOWN, None)),
        x=Axis("$L$ (ReLU), others $L=3$",
               ticks=dict(enumerate(("2", "3", "5", "tanh", "digits")))),
        marks=[
            Marks(rows=known, x="at", y="value", low="low", high="high", name="exponent",
                  by=[tints, by_name("side", SIDES, SIDES, "D")]),
            Marks(rows=short.dropna(), x="at", y="value", name="short", by=[tints], each=["side"],
                  marker="x", size=3.5, label="D: the smallest budget"),
            Marks(rows=known[known["low"] < LEAST_SHOWN].assign(end=LEAST_SHOWN), x="at", y="end",
                  name="goes on", by=[tints], marker="v", size=3, label="D: goes on below"),
            lines,
        ] if len(known) or len(short) else [],
    )  # fmt: skip


def _unnamed(values: pd.Series) -> Scale:
    """Parts lines, all of one look."""
    return Scale(column=str(values.name), named=False,
                 looks={value: Look("") for value in sorted(set(values))})  # fmt: skip
