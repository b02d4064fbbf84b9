"""Fits of rows that the scorecard never sees, by its functions: published runs, the practice."""

import pandas as pd

from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import Claim
from srhm.scorecard.expectations import Within
from srhm.studies.sparse_hierarchy.claims.complexities import (
    COMPLEXITY_CLAIMS,
    FIGURES,
    LAWS,
    PLACES,
    SLOPE_REASON,
    law,
    of_the_law,
)
from srhm.studies.sparse_hierarchy.claims.paper_points import as_sample_complexities

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


def practice_fits(points: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Fits of our P* and of the authors' P* where both are known, learnt and read alike.

    points: of `practice_points`. Of both the error is the scatter's, and a claim has a row where
    the points give a value. Both are empty without points.
    """
    grammars = points.assign(n_c=points["v"], m=points["v"] ** (points["s"] - 1))
    both = (grammars.assign(P_star=grammars[column]) for column in ("ours", "published"))
    ours, theirs = (published_fits(as_sample_complexities(one), pd.DataFrame()) for one in both)
    known = set(ours["claim"]) & set(theirs["claim"])
    return tuple(fits[fits["claim"].isin(known)] for fits in (ours, theirs))  # type: ignore[return-value]
