"""Exponents of s_0+1 of each grammar, in P* and in the first steps of each layer."""

import pandas as pd
import pyarrow as pa

from srhm.results.tables import CELLS
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, complexities_of_grammars, powers

# layer: of a first step; 0: of P*. places: of how many levels the weights of that layer know the
# place; of P*: the largest number of all layers.
EXPONENTS = pa.schema(
    [
        *(CELLS.field(name) for name in ("net", *OF_GRAMMAR)),
        *(("layer", pa.int64()), ("places", pa.int64()), ("exponent", pa.float64())),
    ]
)


def exponents(cells: pd.DataFrame, first_steps: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """Rows of EXPONENTS: slopes against log (s_0+1) at the s_0 > 0 of each grammar.

    Of log P*, and of the log of the points at which noise equals signal. A grammar of which one of
    these is censored, or that has a single s_0, has none.
    """
    found = complexities_of_grammars(cells[cells["s0"] > 0], threshold=threshold)
    most = first_steps.groupby(["net", "L"])["places"].max().rename("places").reset_index()
    of_P = found.merge(most, on=["net", "L"]).assign(layer=0, points=lambda rows: rows["P_star"])
    of_steps = first_steps.assign(points=first_steps["n_equal"])
    by = ["net", *OF_GRAMMAR, "layer", "places"]
    return powers(pd.concat([of_P, of_steps]), "points", by=by)[EXPONENTS.names]
