"""Fewer digits of measured values in published tables, which a repository keeps each version of."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Significant bits, by column. A sensitivity over some thousand data has an error of about 1 %, so
# that single precision and four digits of the error lose nothing; the table is half as large.
OF_SENSITIVITIES: Mapping[str, int] = MappingProxyType({"value": 24, "standard_error": 12})
# Spectra are drawn, and their summaries are rows of their own: four digits, a third of the size.
OF_KERNELS: Mapping[str, int] = MappingProxyType({"value": 12})
OF_HESSIANS: Mapping[str, int] = MappingProxyType({"eigenvalue": 12})


def significant(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Values rounded to so many significant bits, of the same shape.

    0, inf and nan stay; a value rounded once stays the same when it is rounded again.
    """
    mantissas, exponents = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissas, bits)), exponents - bits)


def rounded(rows: pd.DataFrame, bits: Mapping[str, int]) -> pd.DataFrame:
    """Rows with the columns of `bits` rounded; the argument is left as it is."""
    return rows.assign(
        **{name: significant(rows[name].to_numpy(dtype=float), n) for name, n in bits.items()}
    )
