"""Fits of a published run alone, by the functions of the scorecard, which never sees its rows."""

from functools import partial

import pandas as pd

from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import Claim
from srhm.studies.sparse_hierarchy.claims.complexities import (
    COMPLEXITY_CLAIMS,
    FIGURES,
    LAWS,
    PLACES,
    SLOPE_REASON,
    TOPIC,
    slope_against_prediction,
)


def _slope(net: str) -> Claim:
    return Claim(
        identifier=f"slope-against-prediction-{net}",
        topic=TOPIC,
        figure=FIGURES[net],
        statement=f"{LAWS[net]}, s = 2: slope of log P* on its logarithm",
        place=PLACES[net],
        expected=1,
        tolerance=0.15,
        tolerance_reason=SLOPE_REASON,
        measure=partial(slope_against_prediction, nets=(net,), branching=2),
    )


# The slope of each net on its own law, then what the scorecard asks at the main threshold.
PUBLISHED_CLAIMS: tuple[Claim, ...] = (
    *(_slope(net) for net in ("lcn", "cnn")),
    *COMPLEXITY_CLAIMS,
)


def published_fits(sample_complexity: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Rows (SCORECARD_COLUMNS) of the claims on P* that a published run says something of.

    At the threshold that defines P*. The cells tell the P* of each seed and the learning rates, so
    that curves which share grammars are paired as those of the run's own are. Claims without any
    point are left out.
    """
    tables = {"sample_complexity": sample_complexity, "cells": cells}
    table = scorecard(tables, claims=PUBLISHED_CLAIMS)
    return table[table["n"] > 0].reset_index(drop=True)
