"""Deformed digits, the allowed region of temperatures, and the formulas of the deformations."""

from math import log, pi
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, shades
from srhm.images.deformations import (
    coefficients,
    deform,
    displacements,
    largest_temperature,
    temperature_of,
)
from srhm.model.seeding import generator
from srhm.studies.relative_stability.data import SIDES, digits
from srhm.studies.relative_stability.figures.marks import ROW, logarithmic

DIGIT, SEED = 0, 0
CUTOFFS = (3, 5, 7)
# Of panel B, with their style.
LINES = {"Eq. 14": "-", "$\\delta=1$": "--", "$\\delta=1/2$": ":", "Eq. 8": "-."}
TIMES = (0.1, 1.0, 10.0)  # temperatures of the deformed digits over the bound


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: one digit deformed; B: region of c and T; C: δ against its sum; D: max Ξ and Eq. 13."""
    figure, page = laid_out_page(2 * ROW, preset=preset)
    parts: Any = page.subfigures(2, 1)
    top, bottom = parts
    left, right = top.subfigures(1, 2, width_ratios=(1, 1.2))
    _samples(left)
    region = right.subplots()
    _region(region, SIDES["digits"])
    panel_title(region, "B", f"{SIDES['digits']} × {SIDES['digits']} pixels")
    boxes = bottom.subplots(1, 2)
    rows = cells[cells["experiment"] == "fields"]
    if rows.empty:
        for axes in boxes:
            empty_panel(axes, f"not in preset {preset}")
        return figure
    tints = shades([float(c) for c in rows["cutoff"].unique()], "viridis")
    law = rows["cutoff"] / 2 * np.sqrt(pi**3 * rows["temperature"] * np.log(rows["cutoff"]))
    panels = (
        (boxes[0], "C", np.sqrt(rows["exact_squared_displacement"]),
         np.sqrt(rows["squared_displacement"]), "$\\delta$, exact sum (pixels)",
         "$\\delta$ of drawn fields"),
        (boxes[1], "D", law, rows["compression"], "$\\frac{c}{2}(\\pi^3T\\ln c)^{1/2}$",
         "median of max $\\Xi$"),
    )  # fmt: skip
    n = int(rows["n_fields"].max())
    for axes, letter, x, y, xlabel, ylabel in panels:
        for (size, c), one in rows.groupby(["size", "cutoff"]):
            tint = tints[float(str(c))]
            symbol = "o" if size == SIDES["digits"] else "s"
            axes.plot(x[one.index], y[one.index], symbol, color=tint, markersize=3.5,
                      markerfacecolor="white", gid=f"{letter} {size:g} {c:g}")  # fmt: skip
        ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())])
        axes.plot(ends, ends, "--", color=GUIDE, linewidth=0.8, zorder=1, gid=f"{letter} equal")
        logarithmic(axes, xlabel, ylabel)
        panel_title(axes, letter, f"{n} fields each")
    cutoffs = [Line2D([], [], color=tints[c], linewidth=4, label=f"$c={c:g}$") for c in tints]
    sizes = [Line2D([], [], color="0.3", marker="o" if n == SIDES["digits"] else "s",
                    linestyle="", markerfacecolor="white", markersize=4, label=f"$n={n:g}$")
             for n in sorted(rows["size"].unique())]  # fmt: skip
    equal = line("equal", color=GUIDE, linestyle="--", linewidth=0.8)
    region_lines = [line(text, color="0.2", linestyle=look) for text, look in LINES.items()]
    add_legends(page, [("Temperature (B)", region_lines), ("Cut-off (C, D)", cutoffs),
                       ("Pixels a side (C, D)", [*sizes, equal])])  # fmt: skip
    return figure


def _samples(part: SubFigure) -> None:
    """A digit and its deformations, the cut-off to the right, the temperature upwards."""
    image = digits(SIDES["digits"]).pixels[DIGIT : DIGIT + 1].astype(float)
    size = image.shape[-1]
    boxes = part.subplots(len(TIMES), len(CUTOFFS))
    for own, times in zip(boxes, reversed(TIMES), strict=True):
        for axes, cutoff in zip(own, CUTOFFS, strict=True):
            temperature = times * largest_temperature(cutoff)
            amplitudes = coefficients(1, cutoff=cutoff, temperature=temperature,
                                      generator=generator(SEED, role="drawing"))  # fmt: skip
            fields = displacements(amplitudes, size=size, cutoff=cutoff)
            axes.imshow(deform(image, fields)[0, 0], cmap="gray_r", gid=f"digit {cutoff} {times}")
            axes.set(xticks=[], yticks=[])
            if times == TIMES[0]:
                axes.set_xlabel(f"$c={cutoff}$")
            if cutoff == CUTOFFS[0]:
                axes.set_ylabel(f"$T/T_{{max}}={times:g}$", fontsize=7)
    panel_title(boxes[0][0], "A", "one digit, deformed")


def _region(axes: Axes, size: int) -> None:
    """Temperatures between δ = 1/2 and Eq. 14, by exact sums and by the law of large c."""
    cutoffs = np.arange(2, 16)
    bound = np.array([largest_temperature(int(c)) for c in cutoffs])
    half, one = (np.array([temperature_of(d, size=size, cutoff=int(c)) for c in cutoffs])
                 for d in (0.5, 1.0))  # fmt: skip
    law = np.array([1 / (pi * size**2 * log(c)) for c in cutoffs])
    axes.fill_between(cutoffs, half, np.maximum(bound, half), where=list(bound >= half),
                      color="#009E73", alpha=0.25, linewidth=0, gid="allowed")  # fmt: skip
    for y, (text, look) in zip((bound, one, half, law), LINES.items(), strict=True):
        axes.plot(cutoffs, y, look, color="0.2", linewidth=0.9, gid=text)
    axes.set(yscale="log", xlabel="cut-off $c$", ylabel="temperature $T$", xlim=(2, 15))
