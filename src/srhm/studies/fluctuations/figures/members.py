"""Ensembles of n networks, and f along its gradient (thesis, chapter 2b, figures 4, 9 and 10)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, SKY, VERMILION
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level, power_law
from srhm.figures.scales import parted
from srhm.studies.fluctuations.analysis import ensembles_of, of_data, quartiles

# x, y and exponent of each panel of ensembles.
PANELS = (("n", "excess", -1), ("n", "delta", -0.5), ("delta", "excess", 2),
          ("estimate", "delta", 1))  # fmt: skip
NAMES = {
    "n": "networks $n$",
    "excess": r"$\varepsilon^n-\bar{\varepsilon}$",
    "delta": r"distance $\delta$",
    "estimate": r"$\|f^n-\bar{f}\|/\|\nabla f^n\|$",
}


@styled
def draw(*tables: pd.DataFrame, data: str, preset: str) -> Figure:
    """A-D: excess error and distance of ensembles of n; E, F: f along its gradient.

    tables: cells, resampled, crossings and courses.
    """
    _, resampled, crossings, courses = of_data(data, *tables)
    notes = [
        f"A-D: h = {resampled['width'].max()}, P = {resampled['P'].max()}, ensembles drawn with"
        f" replacement out of {resampled['n_members'].max()} networks;"
        f" {resampled['seed'].nunique()} seeds."
    ] if len(resampled) else []  # fmt: skip
    widths = sorted(set(courses["width"])) if len(courses) else []
    return mosaic(
        [*(_ensembles(resampled, *one) for one in PANELS),
         *(_along(courses, crossings, widths[at]) for at in (len(widths) // 3, -1) if widths)],
        columns=3, preset=preset, notes=notes,
    )  # fmt: skip


def _ensembles(rows: pd.DataFrame, x: str, y: str, power: float) -> Panel:
    """Means over seeds, each seed thin, and the exponent of the thesis through the first mean."""
    if rows.empty:
        return Panel(title="")
    seeds = pd.concat([ensembles_of(own).assign(seed=seed) for seed, own in parted(rows, "seed")])
    means = ensembles_of(rows)
    means, seeds = means[means[y] > 0], seeds[seeds[y] > 0]
    guide = [
        power_law(means[x].tolist(), power, through=(means[x].iloc[0], means[y].iloc[0]),
                  label="exponent of the thesis", name="guide")
    ] if len(means) else []  # fmt: skip
    return Panel(
        title=f"{NAMES[y]}: exponent ${power:g}$", x=Axis(NAMES[x], log=True),
        y=Axis(NAMES[y], log=True), marks=[
            Marks(rows=seeds, x=x, y=y, each=["seed"], name="seed", label="a seed", colour=SKY,
                  marker="", line="-", width=0.7, sort=False),
            Marks(rows=means, x=x, y=y, name=f"{y} {x}", label="mean over seeds", colour=BLUE,
                  line="-", size=3, sort=False), *guide,
        ],
    )  # fmt: skip


def _along(courses: pd.DataFrame, crossings: pd.DataFrame, width: int) -> Panel:
    """f along its gradient from test points, with the quartiles of where it crosses zero."""
    found = quartiles(crossings[crossings["width"] == width])[["low", "middle", "high"]]
    means = found.replace(np.inf, np.nan).mean().dropna()
    return Panel(
        title=f"along $\\nabla f$, $h={width}$",
        x=Axis("distance / linear estimate", limits=(0, 3)),
        y=Axis("$f$ / $f$ at the point", limits=(-2, 1.5)), marks=[
            Marks(rows=courses[courses["width"] == width], x="step", y="value", each=["line"],
                  label="a test point", colour="0.6", marker="", line="-", width=0.6, sort=False),
            law([0, 2], [1, -1], "linear estimate", name="linear"),
            level(0, "$f = 0$", name="zero", line=":"),
            *(law([at, at], [-0.3, 0.3], "quartiles of the crossing", name=f"tick {name}",
                  line="-", colour=VERMILION) for name, at in means.items()),
        ],
    )  # fmt: skip
