"""R_f before and after training, against P and with the test error, on other images than digits."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.studies.relative_stability.analysis import at_largest, measured
from srhm.studies.relative_stability.figures.errors import against_error
from srhm.studies.relative_stability.figures.marks import (
    ROW,
    handles,
    logarithmic,
    trained_counts,
)
from srhm.studies.relative_stability.figures.training import against_size, before_and_after

ABSENT = {
    "mnist": "no files of MNIST here:\nmake mnist",
    "cifar10": "no CIFAR-10 here:\nmake cifar",
}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str, data: str) -> Figure:
    """A: R_f before and after training; B: against P; C: test error. data: "mnist", "cifar10"."""
    figure, page = laid_out_page(1.2 * ROW, preset=preset)
    boxes = page.subplots(1, 3)
    rows = measured({"cells": cells, "stability": stability}, data=data)
    if rows.empty:
        for axes in boxes:
            empty_panel(axes, ABSENT[data])
        return figure
    before_and_after(boxes[0], at_largest(rows))
    panel_title(boxes[0], "A", f"$P={rows['P'].max():.0f}$")
    against_size(boxes[1], rows, "R")
    panel_title(boxes[1], "B", trained_counts(rows))
    against_error(boxes[2], rows, "R")
    logarithmic(boxes[2], "$R_f$", "test error $\\epsilon$")
    panel_title(boxes[2], "C", "all $P$")
    add_legends(page, [("Network", handles(rows))])
    return figure
