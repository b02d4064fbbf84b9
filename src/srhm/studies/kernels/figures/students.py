"""Learning curves of Gaussian students beside a Laplace one, in one dimension of the sphere."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel
from srhm.figures.scales import by_name
from srhm.studies.kernels.figures.curves import ERROR, KERNELS, SIZE, curve, drawn, guides, runs
from srhm.studies.kernels.laws import learning_exponent

# Teacher by colour, student by shape; full where they are the same.
PAIRS = {
    f"{teacher} {student}": Look(f"{KERNELS[teacher].label}, {KERNELS[student].label}",
                                 KERNELS[teacher].colour, "o" if student == "laplace" else "s",
                                 filled=teacher == student)
    for teacher in KERNELS for student in KERNELS
}  # fmt: skip


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """MSE of teachers and students in the dimension where Gauss learns Gauss.

    A: against P, all pairs. B: Gauss and Gauss against the cube root of P, on which chapter 6 finds
    a line.
    """
    rows = cells[cells["experiment"] == "teacher_student"]
    gaussian = rows[(rows["kernel"] == "gauss") & (rows["sigma"] == rows["d"])]
    d = int(gaussian["d"].max()) if len(gaussian) else 0
    own = rows[(rows["d"] == d) & (rows["data"] == "sphere") & (rows["sigma"] == d)]
    own = own.assign(pair=own["teacher"] + " " + own["kernel"])
    own = own[own["pair"].isin(PAIRS)]
    by = by_name("pair", own["pair"], PAIRS, "Teacher, student")
    both = own[own["pair"] == "gauss gauss"]
    means = curve(own, "expected_mse", ["pair"])
    return mosaic([
        Panel(title=f"sphere, $d={d}${runs(own)}", x=SIZE, y=ERROR, marks=[
            drawn(own, "expected_mse", [by]),
            guides(means, "expected_mse", by, lambda pair: _law(pair, d)),
        ]),
        Panel(title=f"Gauss teacher and student, $d={d}${runs(both)}", x=Axis("$P^{1/3}$"),
              y=ERROR, marks=[drawn(both.assign(P=both["P"] ** (1 / 3)), "expected_mse", [by],
                                    name="curve stretched")]),
    ], columns=2, preset=preset)  # fmt: skip


def _law(pair: str, d: int) -> float:
    teacher, student = pair.split()
    return learning_exponent(teacher, student, d)
