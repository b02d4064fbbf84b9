"""Deformed digits, the allowed region of temperatures, and the formulas of the deformations."""

from collections.abc import Sequence
from math import log, pi

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.looks import GREEN
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import graded, shaped
from srhm.images.deformations import (
    coefficients,
    deform,
    displacements,
    largest_temperature,
    temperature_of,
)
from srhm.model.seeding import generator
from srhm.studies.relative_stability.data import SIDES, digits

DIGIT, SEED = 0, 0
CUTOFFS = (3, 5, 7)
TIMES = (0.1, 1.0, 10.0)  # temperatures of the deformed digits over the bound
GAP = 2  # pixels between deformed digits


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: one digit deformed; B: region of c and T; C: δ against its sum; D: max Ξ and Eq. 13."""
    rows = cells[cells["experiment"] == "fields"]
    rows = rows.assign(
        drawn=np.sqrt(rows["squared_displacement"]),
        exact=np.sqrt(rows["exact_squared_displacement"]),
        law=rows["cutoff"] / 2 * np.sqrt(pi**3 * rows["temperature"] * np.log(rows["cutoff"])),
    )
    n = f"{int(rows['n_fields'].max())} fields each" if len(rows) else ""
    return mosaic([
        Panel(title="one digit, deformed", extra=_samples, has_extra=True),
        _region(SIDES["digits"]),
        _beside(n, rows, "C", "exact", "drawn", "$\\delta$, exact sum (pixels)",
                "$\\delta$ of drawn fields"),
        _beside(n, rows, "D", "law", "compression", "$\\frac{c}{2}(\\pi^3T\\ln c)^{1/2}$",
                "median of max $\\Xi$"),
    ], columns=2, preset=preset)  # fmt: skip


def _beside(
    title: str, rows: pd.DataFrame, name: str, x: str, y: str, x_label: str, y_label: str
) -> Panel:
    ends = rows[[x, y]].to_numpy(dtype=float).ravel()
    ends = np.array([ends.min(), ends.max()]) if len(ends) else ends
    by = [graded("cutoff", rows["cutoff"], "$c$ (C, D)"),
          shaped("size", rows["size"], "Pixels a side (C, D)")]  # fmt: skip
    return Panel(title=title, x=Axis(x_label, log=True), y=Axis(y_label, log=True), marks=[
        Marks(rows=rows, x=x, y=y, by=by, name=name, filled=False, size=3.5),
        law(ends, ends, "equal (C, D)", name=f"{name} equal"),
    ])  # fmt: skip


def _samples(axes: Axes) -> Sequence[Entry]:
    """A digit and its deformations, the cut-off to the right, the temperature upwards."""
    image = digits(SIDES["digits"]).pixels[DIGIT : DIGIT + 1].astype(float)
    size = image.shape[-1]
    step = size + GAP
    for row, times in enumerate(TIMES):
        for column, cutoff in enumerate(CUTOFFS):
            amplitudes = coefficients(
                1, cutoff=cutoff, temperature=times * largest_temperature(cutoff),
                generator=generator(SEED, role="drawing"),
            )  # fmt: skip
            fields = displacements(amplitudes, size=size, cutoff=cutoff)
            x, y = column * step, row * step
            axes.imshow(deform(image, fields)[0, 0], cmap="gray_r", gid=f"digit {cutoff} {times}",
                        extent=(x, x + size, y, y + size))  # fmt: skip
    middles = [i * step + size / 2 for i in range(len(CUTOFFS))]
    axes.set(xlim=(0, 3 * step - GAP), ylim=(0, 3 * step - GAP))
    axes.set_xticks(middles, labels=[f"$c={cutoff}$" for cutoff in CUTOFFS])
    axes.set_yticks(middles, labels=[f"$T={times:g}\\,T_{{max}}$" for times in TIMES])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return []


def _region(size: int) -> Panel:
    """Temperatures between δ = 1/2 and Eq. 14, by exact sums and by the law of large c."""
    cutoffs = np.arange(2, 16)
    bound = np.array([largest_temperature(int(c)) for c in cutoffs])
    half, one = (np.array([temperature_of(d, size=size, cutoff=int(c)) for c in cutoffs])
                 for d in (0.5, 1.0))  # fmt: skip
    large = np.array([1 / (pi * size**2 * log(c)) for c in cutoffs])

    def allowed(axes: Axes) -> Sequence[Entry]:
        axes.fill_between(cutoffs, half, np.maximum(bound, half), where=list(bound >= half),
                          color=GREEN, alpha=0.25, linewidth=0, gid="allowed")  # fmt: skip
        return [Entry("", "allowed (B)", (Patch(color=GREEN, alpha=0.25),))]

    return Panel(title=f"{size} × {size} pixels", x=Axis("cut-off $c$", limits=(2, 15)),
                 y=Axis("temperature $T$", log=True), extra=allowed, has_extra=True, marks=[
                     law(cutoffs, bound, "Eq. 14", line="-"),
                     law(cutoffs, one, "$\\delta=1$", line="--"),
                     law(cutoffs, half, "$\\delta=1/2$", line=":"),
                     law(cutoffs, large, "Eq. 8", line="-."),
                 ])  # fmt: skip
