"""Exponents of s_0+1 of each grammar: at s_0 > 0, and from one s_0 to the next."""

import pandas as pd
import pyarrow as pa

from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, complexities_of_grammars, powers
from srhm.store.tables import CELLS

# of: "all" s_0 > 0, "0 to 1" or "1 to 2".
EXPONENTS = pa.schema(
    [
        *(CELLS.field(name) for name in ("net", *OF_GRAMMAR)),
        *(("of", pa.string()), ("exponent", pa.float64())),
    ]
)
STEPS = {"0 to 1": (0, 1), "1 to 2": (1, 2)}


def exponents(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """Rows of EXPONENTS; a grammar of which a P* is censored has none with it."""
    rows, by = complexities_of_grammars(cells, threshold=threshold), ["net", *OF_GRAMMAR, "of"]
    parts = [rows[rows["s0"] > 0].assign(of="all")]
    parts += [rows[rows["s0"].isin(pair)].assign(of=name) for name, pair in STEPS.items()]
    return powers(pd.concat(parts), "P_star", by=by)[EXPONENTS.names]
