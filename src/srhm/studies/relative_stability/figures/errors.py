"""Test error against R_f, D_f and 1/G_f, over networks."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import law
from srhm.studies.relative_stability.analysis import (
    at_largest,
    by_network,
    log_correlations,
    measured,
)
from srhm.studies.relative_stability.figures.marks import (
    QUANTITIES,
    against_error,
    trained_counts,
)

COEFFICIENT = 0.24  # of the fit in the thesis' Figure 5


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: test error against R_f; B: D_f; C: 1/G_f, at all P; the largest P filled."""
    rows = measured({"cells": cells, "stability": stability})
    R = np.geomspace(0.9 * rows["R"].min(), 1.1 * rows["R"].max(), 20) if len(rows) else np.ones(0)
    thesis = law(R, COEFFICIENT * np.sqrt(R), "$0.24\\,R_f^{1/2}$ (A; thesis, CIFAR-10)",
                 name="thesis")  # fmt: skip
    return mosaic([
        against_error(rows, quantity, _correlation(rows, quantity),
                      *([thesis] if quantity == "R" else []))
        for quantity in QUANTITIES
    ], columns=3, preset=preset, notes=[f"{trained_counts(rows)}."])  # fmt: skip


def _correlation(rows: pd.DataFrame, quantity: str) -> str:
    """Of the logarithms of error and quantity, over networks at the largest P."""
    networks = by_network(at_largest(rows)) if len(rows) else rows
    if len(networks) < 4:
        return ""
    chosen = networks.assign(G=1 / networks["G"])
    (value,), _ = log_correlations(chosen, [quantity], generator=np.random.default_rng(0))
    return f"correlation {value:.2f}"
