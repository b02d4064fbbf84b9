"""Gaps of points at jamming: their distributions on both sides of zero, and the exponents."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker
from srhm.scorecard.curves import where
from srhm.studies.gaps.analysis import HIGH, KINDS, LOW, budgets, gap_exponent, gaps_by_seed
from srhm.studies.gaps.claims import GAMMA, NAMES, THETA

COLOURS = dict(zip(KINDS, ("#56B4E9", "#0072B2", "#CC79A7", "#D55E00", "#009E73"), strict=True))
MARKERS = dict(zip(KINDS, "vosD^", strict=True))
BINS = np.logspace(-4, 2, 25)
LABELS = {"plus": r"$z=\Delta/\sqrt{\mathcal{L}}$", "minus": r"$|\Delta|$, satisfied points"}


@styled
def draw(cells: pd.DataFrame, gaps: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: densities of z > 0 and of |Delta| of satisfied points; C: theta and gamma."""
    samples = {
        (kind, side): gaps_by_seed(cells, gaps, kind=kind, side=side)
        for kind in KINDS
        for side in ("plus", "minus", "fitted")
    }
    counts = [
        f"{NAMES[kind]}: {len(samples[kind, 'plus'])} jammed, {len(samples[kind, 'fitted'])} fit"
        for kind in KINDS
    ]
    figure, page = laid_out_page(
        2.4, preset=preset, foot=wrapped(["numbers of seeds: " + "; ".join(counts)])
    )
    boxes = page.subplots(1, 3)
    titles = ("unsatisfied points", "satisfied points", "exponents")
    for axes, letter, title in zip(boxes, "ABC", titles, strict=True):
        panel_title(axes, letter, title)
    for axes, side, slope in ((boxes[0], "plus", 0.3), (boxes[1], "minus", -0.2)):
        _density(axes, {kind: samples[kind, side] for kind in KINDS}, slope)
        axes.set(xscale="log", yscale="log", xlabel=LABELS[side], ylabel="density")
    fit = False
    timed = {kind for kind, of in KINDS.items() if budgets(where(cells, of)) > 1}
    for place, kind in enumerate(KINDS):
        for side, shift in (("plus", -0.2), ("minus", 0.0), ("fitted", 0.2)):
            sign, known = (1, THETA) if side == "plus" else (-1, GAMMA)
            found, x = gap_exponent(samples[kind, side]), place + shift
            boxes[2].plot([x - 0.1, x + 0.1], [known[kind]] * 2, color=GUIDE, linewidth=1.2)
            if np.isnan(found.value):
                continue
            fit |= side == "fitted"
            style = {"plus": COLOURS[kind], "minus": "white", "fitted": "0.75"}[side]
            ends = sorted((sign * found.low, sign * found.high))
            boxes[2].plot([x, x], ends, color=COLOURS[kind], linewidth=1)
            boxes[2].plot(x, sign * found.value, MARKERS[kind], color=COLOURS[kind], markersize=4,
                          markerfacecolor=style, gid=f"{side} {kind}")  # fmt: skip
            if kind in timed and side != "fitted":
                short = gaps_by_seed(cells, gaps, kind=kind, side=side, longest=False)
                boxes[2].plot(x + 0.13, sign * gap_exponent(short).value, "x", color=COLOURS[kind],
                              markersize=4, gid=f"{side} {kind} short")  # fmt: skip
    boxes[2].set_xticks(range(len(KINDS)), labels=["2", "3", "5", "tanh", "digits"])
    boxes[2].set(xlabel="$L$ (ReLU), others $L=3$", ylabel=r"$\theta$, $\gamma$")
    add_legends(page, [
        ("", [line(NAMES[k], color=COLOURS[k], marker=MARKERS[k]) for k in KINDS]),
        ("", [marker("o", r"$\theta$ (C)", markerfacecolor="0.2"),
              marker("o", r"$\gamma$ of jammed networks (C)", markerfacecolor="white"),
              *[marker("o", r"$\gamma$ of networks that fit (C)", markerfacecolor="0.75")] * fit,
              *[marker("x", "C: the smallest budget")] * bool(timed),
              line("thesis: slopes 0.3, −0.2 (A, B), values (C)", color=GUIDE)]),
    ], most_rows=5)  # fmt: skip
    return figure


def _density(axes: Axes, samples: dict[str, list[np.ndarray]], slope: float) -> None:
    """Log bins of at least five gaps; the thesis's slope over the window that is fitted."""
    axes.axvspan(LOW, HIGH, color="0.93", zorder=0)
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
    x = np.array([LOW, HIGH])
    axes.plot(x, 0.25 * x**slope, color=GUIDE, linewidth=1)
