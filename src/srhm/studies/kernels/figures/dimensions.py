"""Fitted exponents of learning curves against dimension, and against the teacher's smoothness."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from srhm.figures.drawing import styled
from srhm.figures.looks import VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import by_name, graded
from srhm.statistics.regression import CONFIDENCE
from srhm.studies.kernels.covariance import KERNELS as SMOOTHNESS
from srhm.studies.kernels.figures.curves import KERNELS
from srhm.studies.kernels.figures.teachers import CIRCLE_WIDTH
from srhm.studies.kernels.laws import learning_exponent

SHIFT = 0.12
WIDTHS = {False: Look("$\\sigma=d$", marker="o", filled=True),
          True: Look("$\\sigma=10$", marker="s", filled=False)}  # fmt: skip
LAW = "$\\min(\\alpha_T-d,2\\alpha_S)/d$"
EXPONENT = Axis("exponent $\\beta$")


@styled
def draw(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: beta against d, Laplace and Gauss teacher; C: against nu of the teacher on the circle.

    Shades: fits from the start to a varying P; vermilion: the last decade, with its interval.
    Filled: width sigma = d, open: sigma = 10.
    """
    own = exponents[
        (exponents["experiment"] == "teacher_student")
        & (exponents["kernel"] == "laplace")
        & (exponents["data"] == "sphere")
        & (exponents["quantity"] == "expected_mse")
    ]
    ends = own.loc[own["window"] == "from the start", "n_to"].unique()
    panels = []
    for teacher, look in KERNELS.items():
        rows = own[(own["teacher"] == teacher) & ((own["sigma"] == own["d"]) | (own["sigma"] > 9))]
        dimensions = sorted(int(d) for d in rows["d"].unique())
        line = law(dimensions, [learning_exponent(teacher, "laplace", d) for d in dimensions], LAW,
                   name="law", line="-")  # fmt: skip
        panels.append(Panel(
            title=f"spheres, {look.label} teacher", x=Axis("dimension $d$", ticks=dimensions),
            y=EXPONENT, marks=[*_marks(rows.assign(x=rows["d"].astype(float)), ends), line],
        ))  # fmt: skip
    rows = own[(own["d"] == 1) & (own["sigma"] == CIRCLE_WIDTH) & (own["teacher"] != "gauss")]
    smoothness = np.array([0.5, 2.0, 2.5])
    panels.append(Panel(
        title="circle, Matérn teachers", x=Axis("smoothness $\\nu$ of the teacher"), y=EXPONENT,
        marks=[*_marks(rows.assign(x=rows["teacher"].map(SMOOTHNESS).astype(float)), ends),
               law(smoothness, np.minimum(2 * smoothness, 4), LAW, name="law", line="-")],
    ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset)


def _marks(rows: pd.DataFrame, ends: np.ndarray) -> list[Marks]:
    """Exponents at x of each curve, one marker for each window; intervals of the last decade."""
    wide = (rows["sigma"] == 10) & (rows["d"] != 10)
    groups = rows.assign(wide=wide).groupby(["wide", "x", "window", "n_to"])["exponent"]
    found = groups.agg(["mean", "sem", "size"]).reset_index()
    last = found["window"] == "last decade"
    found["x"] += SHIFT * found["wide"] + SHIFT / 2 * last
    half = found["sem"] * stats.t.ppf((1 + CONFIDENCE) / 2, np.maximum(found["size"] - 1, 1))
    found = found.assign(low=found["mean"] - half, high=found["mean"] + half)
    widths = by_name("wide", found["wide"], WIDTHS, "Width (A, B)")
    interval = f"last decade of $P$, {100 * CONFIDENCE:.0f} % interval"
    return [
        Marks(rows=found[~last], x="x", y="mean", name="exponent from the start",
              by=[graded("n_to", ends, "Fit up to $P=$", label=lambda P: f"${P:g}$"), widths]),
        Marks(rows=found[last], x="x", y="mean", low="low", high="high", order=3.0,
              name="exponent last decade", by=[widths], colour=VERMILION, label=interval),
    ]  # fmt: skip
