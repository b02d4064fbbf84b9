"""Fitted exponents of learning curves against dimension, and against the teacher's smoothness."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import line, marker, shades
from srhm.statistics.regression import CONFIDENCE
from srhm.studies.kernels.covariance import KERNELS
from srhm.studies.kernels.figures.curves import NAMES, ROW
from srhm.studies.kernels.figures.teachers import CIRCLE_WIDTH
from srhm.studies.kernels.laws import learning_exponent

LAW = {"color": "black", "linewidth": 1.4}
LAST = (0.835, 0.369, 0.0)
SHIFT = 0.12


@styled
def draw(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: beta against d, Laplace and Gauss teacher; C: against nu of the teacher on the circle.

    Shades: fits from the start to a varying P; vermilion: the last decade, with its interval.
    Filled: width sigma = d, open: sigma = 10.
    """
    figure, page = laid_out_page(ROW, preset=preset)
    boxes = page.subplots(1, 3)
    own = exponents[
        (exponents["experiment"] == "teacher_student")
        & (exponents["kernel"] == "laplace")
        & (exponents["data"] == "sphere")
        & (exponents["quantity"] == "expected_mse")
    ]
    ends = sorted(own.loc[own["window"] == "from the start", "n_to"].unique())
    tints = shades([float(end) for end in ends], "Blues")
    for axes, letter, teacher in zip(boxes[:2], "AB", NAMES, strict=True):
        rows = own[(own["teacher"] == teacher) & ((own["sigma"] == own["d"]) | (own["sigma"] > 9))]
        dimensions = sorted(int(d) for d in rows["d"].unique())
        _panel(axes, rows.assign(x=rows["d"].astype(float)), tints, preset=preset)
        if dimensions:
            laws = [learning_exponent(teacher, "laplace", d) for d in dimensions]
            axes.plot(dimensions, laws, zorder=1, gid="law", **LAW)
        axes.set(xlabel="dimension $d$", ylabel="exponent $\\beta$", xticks=dimensions)
        panel_title(axes, letter, f"spheres, {NAMES[teacher]} teacher")
    rows = own[(own["d"] == 1) & (own["sigma"] == CIRCLE_WIDTH) & (own["teacher"] != "gauss")]
    _panel(boxes[2], rows.assign(x=[KERNELS[name] for name in rows["teacher"]]), tints,
           preset=preset)  # fmt: skip
    smoothness = np.array([0.5, 2.0, 2.5])
    if len(rows):
        boxes[2].plot(smoothness, np.minimum(2 * smoothness, 4), zorder=1, gid="law", **LAW)
    boxes[2].set(xlabel="smoothness $\\nu$ of the teacher", ylabel="exponent $\\beta$")
    panel_title(boxes[2], "C", "circle, Matérn teachers")
    add_legends(
        page,
        [
            ("Law", [line("$\\min(\\alpha_T-d,2\\alpha_S)/d$", **LAW)]),
            ("Fit from the start to", [line(f"$P={end}$", color=tints[float(end)], linewidth=4)
                                       for end in ends]),
            ("Fit of", [marker("o", f"the last decade, {100 * CONFIDENCE:.0f} % interval",
                               markerfacecolor=LAST, markeredgecolor=LAST)]),
            ("Width (A, B)", [marker("o", "$\\sigma=d$", markerfacecolor="0.3"),
                              marker("s", "$\\sigma=10$")]),
        ],
    )  # fmt: skip
    return figure


def _panel(
    axes: Axes, rows: pd.DataFrame, tints: dict[float, tuple[float, float, float]], *, preset: str
) -> None:
    """Exponents at x of each curve, one marker for each window."""
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    wide = (rows["sigma"] == 10) & (rows["d"] != 10)
    for _, own in rows.assign(wide=wide).groupby(["wide", "x", "window", "n_to"]):
        first = own.iloc[0]
        is_wide, last = bool(first["wide"]), first["window"] == "last decade"
        values = own["exponent"].to_numpy(dtype=float)
        tint = LAST if last else tints[float(first["n_to"])]
        place = float(first["x"]) + (SHIFT if is_wide else 0) + (SHIFT / 2 if last else 0)
        if last and len(values) > 1:
            half = stats.sem(values) * stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)
            axes.plot([place] * 2, [values.mean() - half, values.mean() + half], color=tint,
                      linewidth=1.0, gid="interval")  # fmt: skip
        axes.plot([place], [values.mean()], "s" if is_wide else "o", color=tint, markersize=4,
                  markerfacecolor="white" if is_wide else tint, zorder=3 + last,
                  gid=f"exponent {first['window']}")  # fmt: skip
