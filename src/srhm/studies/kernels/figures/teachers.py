"""Learning curves of Laplace students: spheres, cubes, and teachers by smoothness on a circle."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import (
    Handle,
    add_legends,
    empty_panel,
    laid_out_page,
    panel_title,
    styled,
)
from srhm.figures.marks import shades
from srhm.studies.kernels.covariance import KERNELS
from srhm.studies.kernels.figures.curves import (
    GUIDES,
    NAMES,
    ROW,
    SYMBOLS,
    curve_handle,
    dimension_marks,
    draw_curve,
    draw_guide,
    logarithmic,
    runs,
)
from srhm.studies.kernels.laws import learning_exponent

ERROR = "mean squared error / variance"
# Width of all kernels on the circle of the last panel.
CIRCLE_WIDTH = 2.0


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """MSE against P. A, B: spheres; C, D: cubes; left the Laplace teacher, right the Gauss one.

    E: Matérn teachers on the circle.
    """
    figure, page = laid_out_page(2 * ROW, preset=preset)
    boxes = page.subplots(2, 3).ravel()
    rows = cells[(cells["experiment"] == "teacher_student") & (cells["kernel"] == "laplace")]
    own = rows[rows["sigma"] == rows["d"]]
    circle = rows[(rows["d"] == 1) & (rows["sigma"] == CIRCLE_WIDTH) & (rows["data"] == "sphere")]
    dimensions = [int(d) for d in sorted(own["d"].dropna().unique())]
    panels = (("A", "sphere", "laplace"), ("B", "sphere", "gauss"), ("D", "cube", "laplace"),
              ("E", "cube", "gauss"))  # fmt: skip
    for axes, (letter, data, teacher) in zip(boxes[[0, 1, 3, 4]], panels, strict=True):
        part = own[(own["data"] == data) & (own["teacher"] == teacher)]
        _by_dimension(axes, part, dimensions, teacher, guided=(data, teacher) != ("cube", "gauss"),
                      preset=preset)  # fmt: skip
        panel_title(axes, letter, f"{data}s, {NAMES[teacher]}{runs(part)}")
    _by_smoothness(boxes[2], circle, preset=preset)
    panel_title(boxes[2], "C", f"circle, Matérn{runs(circle)}")
    boxes[5].axis("off")
    marks = dimension_marks(dimensions)
    groups: list[tuple[str, Sequence[Handle]]] = [
        ("Dimension (A, B, D, E)", [curve_handle(f"$d={d}$", *marks[d]) for d in dimensions]),
        ("Smoothness (C)", _smoothness_handles(circle)),
        ("Lines", [GUIDES]),
    ]
    add_legends(page, groups)
    return figure


def _by_dimension(
    axes: Axes,
    rows: pd.DataFrame,
    dimensions: Sequence[int],
    teacher: str,
    *,
    guided: bool,
    preset: str,
) -> None:
    logarithmic(axes, ERROR)
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    marks = dimension_marks(dimensions)
    for d in dimensions:
        part = rows[rows["d"] == d]
        if part.empty:
            continue
        tint, symbol = marks[d]
        means = draw_curve(axes, part, "expected_mse", tint=tint, symbol=symbol, name=f"d={d}")
        if guided:
            draw_guide(axes, means, learning_exponent(teacher, "laplace", d), name=f"d={d}")


def _by_smoothness(axes: Axes, rows: pd.DataFrame, *, preset: str) -> None:
    logarithmic(axes, ERROR)
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    tints = _smoothness_tints(rows)
    for i, (teacher, tint) in enumerate(tints.items()):
        part = rows[rows["teacher"] == teacher]
        symbol = SYMBOLS[i]
        means = draw_curve(axes, part, "expected_mse", tint=tint, symbol=symbol, name=teacher)
        draw_guide(axes, means, learning_exponent(teacher, "laplace", 1), name=teacher)


def _smoothness_tints(rows: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    teachers = sorted(rows["teacher"].unique(), key=lambda name: KERNELS[name])
    tints = shades([float(i) for i in range(len(teachers))], "viridis")
    return {teacher: tints[float(i)] for i, teacher in enumerate(teachers)}


def _smoothness_handles(rows: pd.DataFrame) -> list[Handle]:
    return [
        curve_handle(f"$\\nu={KERNELS[teacher]:g}$", tint, SYMBOLS[i])
        for i, (teacher, tint) in enumerate(_smoothness_tints(rows).items())
    ]
