"""Predictions of P* at L = 2, 3 and 4: Eq. 3 and 4, fixed before these curves were trained.

Known beforehand are P* of other studies at L = 2 and 3, and a trial at two v (methods.md).
"""

from functools import partial
from typing import Any

import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Difference, Mean
from srhm.scorecard.expectations import Within
from srhm.scorecard.rows import rows_of
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR

DEPTHS = (2, 3, 4)
LAWS = {"lcn": "Eq. 3", "cnn": "Eq. 4"}


@rows_of("exponents", nothing="no grammar with such exponents")
def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Exponents of single grammars."""
    return table


deeper = partial(Claim, topic="Exponent of s_0+1 in deeper hierarchies", figure="depth")
QUARTER = "a quarter: it tells whole powers apart, with room for the grammars' scatter"


def _of(net: str, depth: int, of: str = "all") -> dict[str, Any]:
    return {"rows": exponents, "where": {"net": net, "L": depth, "of": of}, "what": "grammars"}


def law(net: str, depth: int) -> int:
    """Power of s_0+1 in Eq. 3 or 4."""
    return depth if net == "lcn" else 2


CLAIMS: tuple[Claim, ...] = (
    *(
        deeper(
            f"depth-exponent-{net}-{depth}",
            f"{net.upper()}, L = {depth}: exponent of s_0+1, s_0 > 0",
            place=place, expected=Within(law(net, depth), 0.25), why=QUARTER,
            measure=Mean("exponent", **_of(net, depth)),
        )
        for net, place in LAWS.items()
        for depth in DEPTHS
    ),
    *(
        deeper(
            f"depth-deeper-{depth}",
            f"CNN: exponent of s_0+1 at L = {depth} less that at {depth - 1}",
            place="Eq. 4: 2 at any L", expected=Within(0, 0.25), why=QUARTER,
            measure=Difference("exponent", over={"L": depth - 1}, on=("net", "v", "seed"),
                               **_of("cnn", depth)),
        )
        for depth in DEPTHS[1:]
    ),
    *(
        deeper(
            f"depth-first-{net}-{depth}",
            f"{net.upper()}, L = {depth}: power of s_0+1 from s_0 = 0 to 1, less that from 1 to 2",
            place=f"{place}: one power for all s_0", expected=Within(0, 0.25), why=QUARTER,
            measure=Difference("exponent", over={"of": "1 to 2"}, on=("net", *OF_GRAMMAR),
                               **_of(net, depth, "0 to 1")),
        )
        for net, place in LAWS.items()
        for depth in DEPTHS[1:]
    ),
)  # fmt: skip
