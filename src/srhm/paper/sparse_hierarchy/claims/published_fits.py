"""Fits of a published run alone, by the functions of the scorecard, which never sees its rows."""

import pandas as pd

from srhm.paper.sparse_hierarchy.claims.complexities import (
    COMPLEXITY_CLAIMS,
    FIGURES,
    LAWS,
    PLACES,
    SLOPE_REASON,
    law,
    of_the_law,
)
from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import Claim
from srhm.scorecard.expectations import Within

# The slope of each net on its own law, then what the scorecard asks at the main threshold.
PUBLISHED_CLAIMS: tuple[Claim, ...] = (
    *(law(
        f"slope-against-prediction-{net}", f"{LAWS[net]}, s = 2: slope of log P* on its logarithm",
        figure=FIGURES[net], place=PLACES[net],
        expected=Within(1, 0.15), why=SLOPE_REASON,
        measure=of_the_law((net,), 2),
    ) for net in ("lcn", "cnn")),
    *COMPLEXITY_CLAIMS,
)  # fmt: skip


def published_fits(sample_complexity: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Rows (SCORECARD_COLUMNS) of the claims on P* that a published run says something of.

    At the threshold that defines P*. The cells tell the P* of each seed and the learning rates, so
    that curves which share grammars are paired as those of the run's own are. Claims without any
    point are left out.
    """
    tables = {"sample_complexity": sample_complexity, "cells": cells}
    table = scorecard(tables, claims=PUBLISHED_CLAIMS)
    return table[table["n"] > 0].reset_index(drop=True)
