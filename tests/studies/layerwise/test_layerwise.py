"""P* layer by layer and end to end: scaling and claims, on invented tables."""

from math import log

import numpy as np
import pandas as pd
import pytest
from tables import bottleneck_tables, layerwise_tables

from srhm.results.tables import FLOW_COMPLEXITY
from srhm.scorecard.card import scorecard
from srhm.studies.layerwise import analysis as layerwise_scaling
from srhm.studies.layerwise.claims import CLAIMS


def test_slopes_and_ratios_of_layerwise_training():
    _, complexity = layerwise_tables()
    assert set(complexity) == set(FLOW_COMPLEXITY.names)
    rows = layerwise_scaling.compared(complexity, threshold=0.1)
    assert rows["series"].value_counts().to_dict() == dict.fromkeys(layerwise_scaling.SERIES, 5)
    for series in ("end_to_end", "layerwise"):
        assert layerwise_scaling.slope(rows, series=series).slope == pytest.approx(1)
        assert layerwise_scaling.slope(rows, series=series, depth=3).slope == pytest.approx(3)
    shallow = layerwise_scaling.slope(rows, series="shallow", depth=2)
    assert shallow.slope == pytest.approx(3)
    assert shallow.n == 3
    assert shallow.low < 3 < shallow.high
    assert layerwise_scaling.slope(rows, series="shallow", depth=3).n == 0  # one is censored
    pool = rows.assign(small_pool=rows["m"] == 4)
    assert layerwise_scaling.slope(pool, series="layerwise", depth=2).n == 2
    assert layerwise_scaling.slope(pool, series="shallow", depth=2).n == 3
    twice = layerwise_scaling.mean_log_ratio(rows, over="layerwise", under="end_to_end")
    assert twice.slope == pytest.approx(log(2))
    found = layerwise_scaling.log_ratios(rows, over="shallow", under="end_to_end")
    assert found["bound"].sum() == 1
    bound = found[found["bound"]]
    np.testing.assert_allclose(bound["log_ratio"], log(500 / (4 * 27)))


def verdicts(tables) -> pd.DataFrame:
    return scorecard(tables, CLAIMS).set_index("claim")


def test_claims_hold_on_tables_that_follow_the_laws():
    _, complexity = layerwise_tables()
    found = verdicts({"sample_complexity": complexity})
    for claim in ("m-exponent-layerwise", "m-exponent-end-to-end", "layerwise-over-shallow"):
        assert found.loc[claim, "verdict"] == "holds", claim
    assert found.loc["layerwise-over-end-to-end", "value"] == pytest.approx(2)
    assert "1 of them lower bound" in found.loc["layerwise-over-shallow", "note"]


def test_claims_fail_on_tables_that_do_not():
    _, complexity = layerwise_tables()
    slow = complexity["training"] == "layerwise"
    complexity.loc[slow, "P_star"] = 4.0 * complexity["m"] ** (2 * complexity["L"])
    found = verdicts({"sample_complexity": complexity})
    assert found.loc["m-exponent-layerwise", "verdict"] == "does not hold"


def test_the_rank_of_representations_is_that_of_the_last_hidden_layer_at_the_largest_size():
    deep = bottleneck_tables()  # layer 4: 20 values before training, 3 after it with weight decay
    summaries = deep["singular_summaries"]
    smallest = summaries["key"].isin(deep["cells"].query("P == 64")["key"])
    summaries.loc[smallest, "participation_ratio"] = 1.0
    row = verdicts({"all_cells": deep["cells"], "all_singular_summaries": summaries}).loc[
        "rank-of-representations"
    ]
    assert row["n"] == 2
    assert row["value"] == pytest.approx((3 / 20) ** 0.5)


def test_claims_without_tables_lack_data():
    assert set(verdicts({})["verdict"]) == {"not enough data"}
