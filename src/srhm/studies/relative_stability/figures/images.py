"""R_f before and after training, against P and with the test error, on other images than digits."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.studies.relative_stability.analysis import at_largest, measured
from srhm.studies.relative_stability.figures.marks import (
    against_error,
    against_size,
    before_and_after,
    trained_counts,
)

ABSENT = {
    "mnist": "No files of MNIST here: make mnist.",
    "cifar10": "No CIFAR-10 here: make cifar.",
}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str, data: str) -> Figure:
    """A: R_f before and after training; B: against P; C: test error. data: "mnist", "cifar10"."""
    rows = measured({"cells": cells, "stability": stability}, data=data)
    return mosaic([
        before_and_after(at_largest(rows), f"$P={rows['P'].max():.0f}$"),
        against_size(rows, "R", "after training"), against_error(rows, "R", "all $P$"),
    ], columns=3, preset=preset, height=2.6, absent=ABSENT[data],
       notes=[f"{trained_counts(rows)}."])  # fmt: skip
