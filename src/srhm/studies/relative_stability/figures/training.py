"""R_f before and after training, and D_f, G_f, R_f against P."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.studies.relative_stability.analysis import at_largest, measured
from srhm.studies.relative_stability.figures.marks import (
    QUANTITIES,
    against_size,
    before_and_after,
    trained_counts,
)


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: R_f of each seed before and after training at the largest P; B to D: against P."""
    rows = measured({"cells": cells, "stability": stability})
    return mosaic([
        before_and_after(at_largest(rows), f"$P={rows['P'].max():.0f}$"),
        *(against_size(rows, one, f"{name} after training") for one, name in QUANTITIES.items()),
    ], columns=2, preset=preset, notes=[f"{trained_counts(rows)}."])  # fmt: skip
