"""Fewer digits of measured values in published tables, which a repository keeps each version of."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Significant bits, by table and column. A sensitivity over some thousand data has an error of about
# 1 %, so that single precision and four digits of the error lose nothing. Spectra and kernels are
# drawn, and their summaries are rows of their own: four digits, a third of the size. Six digits
# of histories and gaps move no fit, nor do five of the neurons.
BITS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "sensitivities": {"value": 24, "standard_error": 12},
        "kernels": {"value": 12},
        "hessians": {"eigenvalue": 12},
        "singular_values": {"value": 12},
        "basis": {"value": 12},
        "histories": {"time": 20, "mean_loss": 20, "train_norm": 20},
        "gaps": {"gap": 20},
        "neurons": {"parallel": 16, "second": 16, "perpendicular": 16, "readout": 16},
        "timings": {"seconds": 16},
    }
)


def significant(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Values rounded to so many significant bits, of the same shape.

    0, inf and nan stay; a value rounded once stays the same when it is rounded again.
    """
    mantissas, exponents = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissas, bits)), exponents - bits)


def rounded(table: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a table with its columns of `BITS` rounded; the argument is left as it is."""
    bits = {name: n for name, n in BITS.get(table, {}).items() if name in rows}
    return rows.assign(
        **{name: significant(rows[name].to_numpy(dtype=float), n) for name, n in bits.items()}
    )
