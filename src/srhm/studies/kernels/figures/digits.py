"""Learning curves on digits: two kernels, two tasks, several widths."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel
from srhm.figures.scales import by_name, distinct
from srhm.studies.kernels.figures.curves import SIZE, drawn, kernels, runs

STANDARD_WIDTH = 1.0
METHODS = {"regression": Look("regression", marker="o", filled=True),
           "svm": Look("SVM", marker="s", filled=False)}  # fmt: skip
ABSENT = {"mnist": "No files of MNIST here: make mnist."}


@styled
def draw(cells: pd.DataFrame, *, preset: str, experiment: str) -> Figure:
    """A: MSE of regression; B: test error of regression and machine; C: MSE by width, Laplace.

    experiment: "digits", or "mnist", which nobody has without its files.
    """
    rows = cells[cells["experiment"] == experiment]
    return mosaic(panels(rows), columns=3, preset=preset, absent=ABSENT.get(experiment, ""))


def panels(rows: pd.DataFrame) -> list[Panel]:
    """The three panels, of learning curves on one kind of digits."""
    standard = rows[rows["sigma"] == STANDARD_WIDTH]
    regression = standard[standard["method"] == "regression"]
    widths = rows[(rows["kernel"] == "laplace") & (rows["method"] == "regression")]
    by = [kernels(standard), by_name("method", standard["method"], METHODS, "Task (A, B)")]
    squared = Axis("mean squared error", log=True)
    return [
        Panel(title=f"regression{runs(standard)}", x=SIZE, y=squared,
              marks=[drawn(regression, "mse", by)]),
        Panel(title=f"classification{runs(standard)}", x=SIZE,
              y=Axis("test error (fraction wrong)", log=True),
              marks=[drawn(standard, "error", by)]),
        Panel(title=f"Laplace kernel{runs(widths)}", x=SIZE, y=squared,
              marks=[drawn(widths, "mse", [distinct("sigma", widths["sigma"], "$\\sigma$ (C)")])]),
    ]  # fmt: skip
