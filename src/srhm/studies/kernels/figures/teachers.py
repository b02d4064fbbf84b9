"""Learning curves of Laplace students: spheres, a circle, cubes, lattices."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Marks, Panel
from srhm.figures.scales import Scale, distinct
from srhm.studies.kernels.covariance import KERNELS as SMOOTHNESS
from srhm.studies.kernels.figures.curves import (
    ERROR,
    KERNELS,
    SIZE,
    curve,
    dimensions,
    drawn,
    guides,
    runs,
)
from srhm.studies.kernels.laws import learning_exponent

# Width of all kernels on the circle of panel C.
CIRCLE_WIDTH = 2.0
PLACES = {"sphere": "spheres", "cube": "cubes", "lattice": "lattices"}
PANELS = (
    ("sphere", "laplace"), ("sphere", "gauss"), None,
    ("cube", "laplace"), ("cube", "gauss"), ("lattice", "laplace"), ("lattice", "gauss"),
)  # fmt: skip


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """MSE against P. A, B: spheres; D, E: cubes; F, G: lattices, Laplace and Gauss teacher each.

    C: Matérn teachers on the circle.
    """
    rows = cells[(cells["experiment"] == "teacher_student") & (cells["kernel"] == "laplace")]
    own = rows[rows["sigma"] == rows["d"]]
    by = dimensions(own, "$d$ (all but C)")
    circle = rows[(rows["d"] == 1) & (rows["sigma"] == CIRCLE_WIDTH) & (rows["data"] == "sphere")]
    panels = []
    for place in PANELS:
        if place is None:
            panels.append(_by_smoothness(circle))
            continue
        data, teacher = place
        part = own[(own["data"] == data) & (own["teacher"] == teacher)]
        panels.append(Panel(
            title=f"{PLACES[data]}, {KERNELS[teacher].label}{runs(part)}", x=SIZE, y=ERROR,
            marks=[drawn(part, "expected_mse", [by]), _law(part, teacher, by)],
        ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset)


def _law(rows: pd.DataFrame, teacher: str, by: Scale) -> Marks:
    means = curve(rows, "expected_mse", ["d"])
    return guides(means, "expected_mse", by, lambda d: learning_exponent(teacher, "laplace", d))


def _by_smoothness(rows: pd.DataFrame) -> Panel:
    own = rows.assign(nu=rows["teacher"].map(SMOOTHNESS).astype(float))
    by = distinct("nu", own["nu"], "$\\nu$ (C)")
    names = dict(zip(own["nu"], own["teacher"], strict=True))
    means = curve(own, "expected_mse", ["nu"])
    law = guides(means, "expected_mse", by,
                 lambda nu: learning_exponent(names[nu], "laplace", 1))  # fmt: skip
    return Panel(title=f"circle, Matérn{runs(own)}", x=SIZE, y=ERROR,
                 marks=[drawn(own, "expected_mse", [by], name="curve matern"), law])  # fmt: skip
