"""Learning curves of Gaussian students beside a Laplace one, in one dimension of the sphere."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.studies.kernels.figures.curves import (
    GUIDES,
    NAMES,
    ROW,
    SYMBOLS,
    TINTS,
    curve_handle,
    draw_curve,
    draw_guide,
    logarithmic,
    runs,
)
from srhm.studies.kernels.figures.teachers import ERROR
from srhm.studies.kernels.laws import learning_exponent

PAIRS = (("laplace", "laplace"), ("laplace", "gauss"), ("gauss", "laplace"), ("gauss", "gauss"))


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """MSE of teachers and students in the dimension where Gauss learns Gauss.

    A: against P, all pairs. B: Gauss and Gauss against the cube root of P, on which chapter 6 finds
    a line.
    """
    figure, page = laid_out_page(ROW, preset=preset)
    left, right = page.subplots(1, 2)
    rows = cells[cells["experiment"] == "teacher_student"]
    gaussian = rows[(rows["kernel"] == "gauss") & (rows["sigma"] == rows["d"])]
    d = int(gaussian["d"].max()) if len(gaussian) else 0
    own = rows[(rows["d"] == d) & (rows["data"] == "sphere") & (rows["sigma"] == d)]
    _all_pairs(left, own, d, preset=preset)
    panel_title(left, "A", f"sphere, $d={d}${runs(own)}")
    both = own[(own["teacher"] == "gauss") & (own["kernel"] == "gauss")]
    if both.empty:
        empty_panel(right, f"not in preset {preset}")
    else:
        tint, symbol = TINTS["gauss"], SYMBOLS[3]
        stretched = both.assign(P=both["P"] ** (1 / 3))
        draw_curve(right, stretched, "expected_mse", tint=tint, symbol=symbol, name="stretched")
        logarithmic(right, ERROR, "$P^{1/3}$")
        right.set_xscale("linear")
    panel_title(right, "B", f"Gauss teacher and student, $d={d}${runs(both)}")
    add_legends(page, [("Teacher, student", _handles()[:2]), ("", _handles()[2:]),
                       ("Lines", [GUIDES])])  # fmt: skip
    return figure


def _all_pairs(axes: Axes, rows: pd.DataFrame, d: int, *, preset: str) -> None:
    logarithmic(axes, ERROR)
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    for i, (teacher, student) in enumerate(PAIRS):
        part = rows[(rows["teacher"] == teacher) & (rows["kernel"] == student)]
        if part.empty:
            continue
        means = draw_curve(axes, part, "expected_mse", tint=TINTS[teacher], symbol=SYMBOLS[i],
                           filled=student == teacher, name=f"{teacher} {student}")  # fmt: skip
        law = learning_exponent(teacher, student, d)
        if law < float("inf"):
            draw_guide(axes, means, law, name=f"{teacher} {student}")


def _handles() -> list:
    return [
        curve_handle(f"{NAMES[teacher]}, {NAMES[student]}", TINTS[teacher], SYMBOLS[i],
                     filled=student == teacher)
        for i, (teacher, student) in enumerate(PAIRS)
    ]  # fmt: skip
