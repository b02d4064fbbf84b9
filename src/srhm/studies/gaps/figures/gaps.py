"""Gaps of points at jamming: their distributions on both sides of zero, and the exponents.

Overlaps, Delta > 0, are drawn over the root of the loss and over their median in a network.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker
from srhm.scorecard.rows import chosen as where
from srhm.studies.gaps.analysis import (
    GAMMA,
    HIGH,
    KINDS,
    LOW,
    NAMES,
    TAIL,
    THETA,
    budgets,
    gap_exponent,
    gaps_by_seed,
)

COLOURS = dict(zip(KINDS, ("#56B4E9", "#0072B2", "#CC79A7", "#D55E00", "#009E73"), strict=True))
MARKERS = dict(zip(KINDS, "vosD^", strict=True))
BINS = np.logspace(-4, 2, 25)
LEAST_SHOWN = -2.0  # of an exponent; intervals that go on below have an arrowhead
LABELS = {
    "plus": r"$z=\Delta/\sqrt{\mathcal{L}}$",
    "median": r"$\Delta$ over its median",
    "minus": r"$|\Delta|$",
}
# Exponents of a kind, side by side: sign of the exponent, how its marker is filled.
SIDES = {"plus": (1, "full"), "median": (1, "left"), "minus": (-1, "none"), "fitted": (-1, "top")}
NAMED = {
    "plus": r"$\theta$ of $z$",
    "median": r"$\theta$ of $\Delta$ over its median",
    "minus": r"$\gamma$ of jammed networks",
    "fitted": r"$\gamma$ of networks that fit",
}


@styled
def draw(cells: pd.DataFrame, gaps: pd.DataFrame, *, preset: str) -> Figure:
    """A, B, C: densities of both overlaps, of |Delta| of satisfied points; D: theta and gamma."""
    samples = {
        (kind, side): gaps_by_seed(cells, gaps, kind=kind, side=side)
        for kind in KINDS
        for side in SIDES
    }
    counts = [
        f"{NAMES[kind]}: {len(samples[kind, 'plus'])} jammed, {len(samples[kind, 'fitted'])} fit"
        for kind in KINDS
    ]
    figure, page = laid_out_page(
        4.4, preset=preset, foot=wrapped(["numbers of seeds: " + "; ".join(counts)])
    )
    boxes = page.subplots(2, 2).ravel()
    titles = ("unsatisfied points", "the same, over the median", "satisfied points", "exponents")
    for axes, letter, title in zip(boxes, "ABCD", titles, strict=True):
        panel_title(axes, letter, title)
    windows = (("plus", 0.3, HIGH), ("median", 0.3, TAIL), ("minus", -0.2, HIGH))
    for axes, (side, slope, end) in zip(boxes, windows, strict=False):
        _density(axes, {kind: samples[kind, side] for kind in KINDS}, slope, end)
        axes.set(xscale="log", yscale="log", xlabel=LABELS[side], ylabel="density")
    timed = {kind for kind, of in KINDS.items() if budgets(where(cells, of)) > 1}
    for place, kind in enumerate(KINDS):
        for step, (side, (sign, fill)) in enumerate(SIDES.items()):
            known = THETA if side in ("plus", "median") else GAMMA
            end, x = TAIL if side == "median" else HIGH, place + 0.2 * (step - 1.5)
            found = gap_exponent(samples[kind, side], high=end)
            boxes[3].plot([x - 0.1, x + 0.1], [known[kind]] * 2, color=GUIDE, linewidth=1.2)
            if kind in timed and side in ("plus", "minus"):
                short = gaps_by_seed(cells, gaps, kind=kind, side=side, longest=False)
                boxes[3].plot(x + 0.07, sign * gap_exponent(short).value, "x", markersize=3.5,
                              color=COLOURS[kind], gid=f"{side} {kind} short")  # fmt: skip
            if np.isnan(found.value):
                continue
            ends = sorted((sign * found.low, sign * found.high))
            boxes[3].plot([x, x], ends, color=COLOURS[kind], linewidth=1)
            if ends[0] < LEAST_SHOWN:
                boxes[3].plot(x, LEAST_SHOWN, "v", color=COLOURS[kind], markersize=3, clip_on=False)
            boxes[3].plot(x, sign * found.value, MARKERS[kind], color=COLOURS[kind], markersize=4,
                          fillstyle=fill, gid=f"{side} {kind}")  # fmt: skip
    boxes[3].set_ylim(bottom=LEAST_SHOWN)
    boxes[3].set_xticks(range(len(KINDS)), labels=["2", "3", "5", "tanh", "digits"])
    boxes[3].set(xlabel="$L$ (ReLU), others $L=3$", ylabel=r"$\theta$, $\gamma$")
    add_legends(page, [
        ("", [line(NAMES[k], color=COLOURS[k], marker=MARKERS[k]) for k in KINDS]),
        ("D", [marker("o", text, markerfacecolor="0.2", fillstyle=SIDES[side][1])
               for side, text in NAMED.items()]),
        ("", [line("thesis: slopes 0.3, −0.2 (A to C), values (D)", color=GUIDE),
              *[marker("x", "D: the smallest budget")] * bool(timed)]),
    ])  # fmt: skip
    return figure


def _density(axes: Axes, samples: dict[str, list[np.ndarray]], slope: float, end: float) -> None:
    """Log bins of at least five gaps; the thesis's slope over the window that is fitted."""
    axes.axvspan(LOW, end, color="0.93", zorder=0)
    if not any(samples.values()):
        empty_panel(axes, "no jammed network")
        return
    for kind, parts in samples.items():
        pooled = np.concatenate(parts) if parts else np.empty(0)
        counts = np.histogram(pooled, BINS)[0]
        density, middle = (
            counts / np.diff(BINS) / max(len(pooled), 1),
            np.sqrt(BINS[1:] * BINS[:-1]),
        )
        kept = counts >= 5
        axes.plot(middle[kept], density[kept], f"-{MARKERS[kind]}", color=COLOURS[kind],
                  markersize=3, linewidth=0.7, gid=f"density {kind}")  # fmt: skip
    x = np.array([LOW, end])
    axes.plot(x, 0.25 * x**slope, color=GUIDE, linewidth=1)
