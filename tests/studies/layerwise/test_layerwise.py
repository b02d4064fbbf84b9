"""P* layer by layer and end to end: scaling and claims, on invented tables."""

from itertools import product

import numpy as np
import pandas as pd
from tables import MULTIPLES_OF_P_STAR, at_once, layerwise_tables

from srhm.results.tables import FLOW_COMPLEXITY
from srhm.scorecard.card import scorecard
from srhm.scorecard.rows import counted
from srhm.studies.layerwise.analysis import GROWTH, OPEN, SERIES, compared, ratios
from srhm.studies.layerwise.claims import CLAIMS


def test_slopes_and_ratios_of_layerwise_training():
    _, complexity = layerwise_tables()
    assert set(complexity) == set(FLOW_COMPLEXITY.names)
    rows = compared(complexity)
    assert rows["series"].value_counts().to_dict() == dict.fromkeys(SERIES, 5)
    fits = {
        (series, depth): GROWTH(against="m").fit(counted(own)[0])
        for (series, depth), own in rows.groupby(["series", "L"])
    }
    assert {at: round(fit.slope, 6) for at, fit in fits.items() if fit.n} == {
        ("end_to_end", 2): 2, ("end_to_end", 3): 3, ("layerwise", 2): 2, ("layerwise", 3): 3,
        ("shallow", 2): 3,
    }  # fmt: skip
    assert fits["shallow", 3].n == 0  # one is censored
    pool = compared(complexity.assign(small_pool=complexity["m"] == 4)).groupby("series")
    left = pool["left_out"].agg(lambda words: (words != "").sum())
    assert left.to_dict() == {"end_to_end": 1, "layerwise": 1, "shallow": 1}
    found = ratios.function(complexity, over="shallow", under="end_to_end")
    np.testing.assert_allclose(found.loc[found[OPEN], "ratio"], 500 / (4 * 27))


def verdicts(tables) -> pd.DataFrame:
    return scorecard(tables, CLAIMS).set_index("claim")


def with_grammars(complexity) -> dict[str, pd.DataFrame]:
    """The curves for two v, and cells of three seeds with their P*: enough that a slope decides."""
    other = complexity.assign(v=5, curve=complexity["curve"] + " of v = 5")
    both = pd.concat([complexity, other], ignore_index=True)
    cells = [
        {**row, "P": x * row["P_star"], "seed": seed, "test_error": at_once(x), "status": "fitted"}
        for row in both[both["status"] == "reached"].to_dict("records")
        for seed, x in product(range(3), MULTIPLES_OF_P_STAR)
    ]
    return {"sample_complexity": both, "cells": pd.DataFrame(cells)}


def test_claims_hold_on_tables_that_follow_the_laws():
    _, complexity = layerwise_tables()
    found = verdicts(with_grammars(complexity))
    for claim in ("m-exponent-layerwise", "m-exponent-end-to-end", "layerwise-over-shallow"):
        assert found.loc[claim, "verdict"] == "reproduced", claim
    assert "lower bounds 2" in found.loc["layerwise-over-shallow", "note"]


def test_claims_fail_on_tables_that_do_not():
    _, complexity = layerwise_tables()
    slow = complexity["training"] == "layerwise"
    complexity.loc[slow, "P_star"] = 4.0 * complexity["m"] ** (2 * complexity["L"])
    found = verdicts(with_grammars(complexity))
    assert found.loc["m-exponent-layerwise", "verdict"] == "differs"
    few = verdicts({"sample_complexity": complexity})
    assert few.loc["m-exponent-layerwise", "verdict"] == "inconclusive"
    assert "too few to decide: 1 grammars on 1 v" in few.loc["m-exponent-layerwise", "note"]
