"""Exponents of s_0+1 of each grammar, in P* and in the first two gradient steps of each layer."""

import pandas as pd
import pyarrow as pa

from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, complexities_of_grammars, powers
from srhm.store.tables import CELLS

# of: of which points. layer: of a step; 0: of P*. places: of how many levels the weights of that
# layer know the place; of P* and of two steps: the largest number of all layers so far.
EXPONENTS = pa.schema(
    [
        *(CELLS.field(name) for name in ("net", *OF_GRAMMAR)),
        *(("of", pa.string()), ("layer", pa.int64()), ("places", pa.int64())),
        ("exponent", pa.float64()),
    ]
)
P_STAR, FIRST, SECOND, OUTPUT = ("P_star", "first_step", "second_step", "output")
# P* from s_0 = 0 to 1.
FIRST_PLACE = "first_place"


def exponents(
    cells: pd.DataFrame, first_steps: pd.DataFrame, two_steps: pd.DataFrame, *, threshold: float
) -> pd.DataFrame:
    """Rows of EXPONENTS: slopes against log (s_0+1) at the s_0 > 0 of each grammar.

    Of log P*, and of the log of the points at which noise equals signal: in the first step of a
    layer, in the step after that of the layer below, and in the output of both. FIRST_PLACE is that
    of P* at s_0 = 0 and 1. A grammar with one s_0, or a censored P*, has none.
    """
    found = complexities_of_grammars(cells, threshold=threshold)
    most = first_steps.groupby(["net", "L"])["places"].max().rename("places").reset_index()
    found = found.rename(columns={"P_star": "points"}).merge(most, on=["net", "L"]).assign(layer=0)
    tables = (
        found[found["s0"] > 0].assign(of=P_STAR),
        found[found["s0"] <= 1].assign(of=FIRST_PLACE),
        first_steps.assign(of=FIRST, points=first_steps["n_equal"]),
        two_steps.assign(of=SECOND, points=two_steps["n_equal"]),
        two_steps.assign(of=OUTPUT, points=two_steps["n_equal_output"]),
    )
    by = ["net", *OF_GRAMMAR, "of", "layer", "places"]
    return powers(pd.concat(tables), "points", by=by)[EXPONENTS.names]
