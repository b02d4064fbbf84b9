"""Learning curves on digits: two kernels, two tasks, several widths."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import shades
from srhm.studies.kernels.figures.curves import (
    NAMES,
    ROW,
    SYMBOLS,
    TINTS,
    curve_handle,
    draw_curve,
    logarithmic,
    runs,
)

STANDARD_WIDTH = 1.0
METHODS = ("regression", "svm")
ABSENT = {"mnist": "no files of MNIST here:\nmake mnist"}


@styled
def draw(cells: pd.DataFrame, *, preset: str, experiment: str) -> Figure:
    """A: MSE of regression; B: test error of regression and machine; C: MSE by width, Laplace.

    experiment: "digits", or "mnist", which nobody has without its files.
    """
    figure, page = laid_out_page(ROW, preset=preset)
    boxes = page.subplots(1, 3)
    rows = cells[cells["experiment"] == experiment]
    absent = ABSENT.get(experiment, f"not in preset {preset}")
    standard = rows[rows["sigma"] == STANDARD_WIDTH]
    _panel(boxes[0], standard[standard["method"] == "regression"], "mse", absent=absent)
    panel_title(boxes[0], "A", f"regression{runs(standard)}")
    _panel(boxes[1], standard, "error", absent=absent)
    panel_title(boxes[1], "B", f"classification{runs(standard)}")
    widths = rows[(rows["kernel"] == "laplace") & (rows["method"] == "regression")]
    tints = shades([float(sigma) for sigma in widths["sigma"].unique()], "viridis")
    logarithmic(boxes[2], "mean squared error")
    if widths.empty:
        empty_panel(boxes[2], absent)
    for i, (sigma, tint) in enumerate(tints.items()):
        draw_curve(boxes[2], widths[widths["sigma"] == sigma], "mse", tint=tint,
                   symbol=SYMBOLS[i], name=f"sigma={sigma:g}")  # fmt: skip
    panel_title(boxes[2], "C", f"Laplace kernel{runs(widths)}")
    kernels = [
        curve_handle(f"{NAMES[kernel]}, {method if method == 'regression' else 'SVM'}",
                     TINTS[kernel], SYMBOLS[i], filled=method == "regression")
        for kernel in NAMES
        for i, method in enumerate(METHODS)
    ]  # fmt: skip
    by_width = [curve_handle(f"$\\sigma={sigma:g}$", tint, SYMBOLS[i])
                for i, (sigma, tint) in enumerate(tints.items())]  # fmt: skip
    add_legends(page, [("Kernel and task (A, B)", kernels), ("Width (C)", by_width)])
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, quantity: str, *, absent: str) -> None:
    names = {"mse": "mean squared error", "error": "test error (fraction wrong)"}
    logarithmic(axes, names[quantity])
    if rows.empty:
        empty_panel(axes, absent)
        return
    for kernel in NAMES:
        for i, method in enumerate(METHODS):
            part = rows[(rows["kernel"] == kernel) & (rows["method"] == method)]
            if part[quantity].notna().any():
                draw_curve(axes, part, quantity, tint=TINTS[kernel], symbol=SYMBOLS[i],
                           filled=method == "regression", name=f"{kernel} {method}")  # fmt: skip
