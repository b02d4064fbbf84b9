"""Whether errors of several widths are one function of sqrt(h) alpha (thesis, chapter 3a, Fig. 3).

h is the width, alpha the scale of the output, alpha_tilde = sqrt(h) alpha.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.statistics.regimes import by_width, wholly_fitted
from srhm.statistics.regression import CONFIDENCE

# What a cell is, and its frozen kernels are merged by.
CELL = ["curve", "key"]
Points = NDArray[np.float64]


def with_kernels(cells: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Networks beside learning with a kernel of theirs held fixed: a row for each kernel.

    kernels: rows of FROZEN_KERNELS. Columns of the cell, `kernel` (initial, end), those of the
    kernel's learning with "_kernel" behind; difference: its test error minus the network's.
    """
    rows = cells.merge(kernels, on=CELL, suffixes=("", "_kernel"))
    return rows.assign(difference=rows["test_error_kernel"] - rows["test_error"])


def rescaled_errors(cells: pd.DataFrame) -> Iterator[tuple[int, Points, Points]]:
    """For each width: log10 alpha_tilde, and the mean error, its least value 0 and its largest 1.

    Of pairs (h, alpha_tilde) at which all members fitted; widths with fewer than three of them, or
    with one error only, are left out.
    """
    for width, errors in _errors(cells).items():
        x, y = np.array(list(errors)), np.array([values.mean() for values in errors.values()])
        if len(x) >= 3 and np.ptp(y) > 0:
            yield width, x, (y - y.min()) / np.ptp(y)


def collapse(
    cells: pd.DataFrame, generator: np.random.Generator, *, n_resamples: int = 1000
) -> tuple[float, float, float, int]:
    """Disagreement of the rescaled curves against alpha_tilde over that against alpha.

    The disagreement is the mean squared difference of neighbouring widths at equal abscissa, on the
    range that both cover, linear between points. 0: one function of alpha_tilde; 1: of alpha as
    well. Noise brings the ratio near to 1. Its 95 % interval is that of members drawn again at each
    (h, alpha_tilde); n: points of all curves. NaN and 0 without two widths.
    """
    curves = [(h, np.array(list(own)), list(own.values())) for h, own in _errors(cells).items()]
    curves = [one for one in curves if len(one[1]) >= 3]
    if len(curves) < 2:
        return np.nan, np.nan, np.nan, 0

    def ratio(means: Callable[[Points], Points]) -> Points:
        scaled = [(h, x, _rescaled(np.stack([means(y) for y in ys]))) for h, x, ys in curves]
        by_tilde = _disagreement([(x, y) for _, x, y in scaled])
        by_alpha = _disagreement([(x - np.log10(h) / 2, y) for h, x, y in scaled])
        return by_tilde / by_alpha

    def again(y: Points) -> Points:
        return y[generator.integers(len(y), size=(n_resamples, len(y)))].mean(axis=1)

    (value,) = ratio(lambda y: y.mean(keepdims=True))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.nanquantile(ratio(again), [tail, 1 - tail])
    return float(value), float(low), float(high), sum(len(x) for _, x, _ in curves)


def _errors(cells: pd.DataFrame) -> dict[int, dict[float, Points]]:
    """Test errors of the members by width and log10 alpha_tilde."""
    return {
        width: {
            float(np.log10(float(str(tilde)))): own["test_error"].to_numpy(dtype=float)
            for tilde, own in part.groupby("alpha_tilde")
        }
        for width, part in by_width(wholly_fitted(cells))
    }


def _rescaled(y: Points) -> Points:
    """Curves (n_points, n_draws) from 0 to 1; NaN where a curve has one value only."""
    spread = np.ptp(y, axis=0)
    return (y - y.min(axis=0)) / np.where(spread > 0, spread, np.nan)


def _disagreement(curves: list[tuple[Points, Points]]) -> Points:
    """Mean squared difference of neighbours, for each draw; curves: x (n,), y (n, n_draws)."""
    found = []
    for (x, y), (other_x, other_y) in pairwise(curves):
        at = np.union1d(x, other_x)
        at = at[(at >= max(x[0], other_x[0])) & (at <= min(x[-1], other_x[-1]))]
        difference = _interpolation(at, x) @ y - _interpolation(at, other_x) @ other_y
        found.append((difference**2).mean(axis=0))
    return np.mean(found, axis=0)


def _interpolation(at: Points, x: Points) -> Points:
    """What gives values at these places, linear between those at x: (n_at, n_x)."""
    return np.stack([np.interp(at, x, unit) for unit in np.eye(len(x))], axis=1)
