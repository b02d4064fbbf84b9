"""Whether errors of several widths are one function of sqrt(h) alpha (thesis, chapter 3a, Fig. 3).

h is the width, alpha the scale of the output, alpha_tilde = sqrt(h) alpha.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.statistics.regimes import by_width, wholly_fitted

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
    for width, rows in by_width(wholly_fitted(cells)):
        means = rows.groupby("alpha_tilde")["test_error"].mean()
        x, y = np.log10(means.index.to_numpy(dtype=float)), means.to_numpy(dtype=float)
        if len(x) >= 3 and np.ptp(y) > 0:
            yield width, x, (y - y.min()) / np.ptp(y)
