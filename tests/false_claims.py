"""How often claims on invented tables get which verdict, for tests of each kind of estimator."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from srhm.scorecard.claims import Claim, Measurement, verdict
from srhm.scorecard.expectations import VERDICTS, Expectation
from srhm.scorecard.sheet import rows_in

# Draws of tables, and the least part of them in which a claim that they can decide is found false.
DRAWS, LEAST = 40, 0.9
# Draws where the tables cannot decide, and how many of these may find a false claim true: as many
# as there are intervals of 95 % beside the number.
MANY, NOMINAL = 200, 0.05


cells = rows_in("cells", nothing="no rows")


def rates(
    measure: Callable[[Any], Measurement], tables: Iterable[Any], expected: Expectation
) -> pd.Series:
    """Part of the tables with each verdict; tables, or rows of `cells`."""
    claim = Claim("c", "", topic="", figure="", place="", expected=expected, why="",
                  measure=measure)  # fmt: skip
    found = [
        verdict(claim, measure({"cells": one} if isinstance(one, pd.DataFrame) else one))
        for one in tables
    ]
    shares = pd.Series(found).value_counts(normalize=True)
    return shares.reindex(VERDICTS, fill_value=0.0)
