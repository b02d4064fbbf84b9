"""Ranks of layers under weight decay: counts and claims, on invented tables."""

import pandas as pd
from tables import bottleneck_tables

from srhm.scorecard.card import scorecard
from srhm.studies.bottleneck import analysis as bottleneck
from srhm.studies.bottleneck.claims import CLAIMS


def test_large_singular_values_are_counted_in_every_layer():
    tables = bottleneck_tables()
    found = bottleneck.large_singular_values(tables["singular_values"], tables["cells"])
    end = found[(found["when"] == "end") & (found["weight_decay"] > 0)]
    assert end.groupby("k")["n_large"].mean().tolist() == [10, 10, 3, 3, 3]
    assert len(found) == 2 * 2 * 3 * 2 * 5
    assert end.loc[bottleneck.in_deep_half(end), "k"].unique().tolist() == [3, 4]


def verdicts(tables) -> pd.DataFrame:
    return scorecard(tables, CLAIMS).set_index("claim")


def test_claims_hold_on_tables_that_follow_the_laws():
    found = verdicts(bottleneck_tables())
    assert found.loc["bottleneck-rank-decay", "verdict"] == "reproduced"


def test_claims_fail_on_tables_that_do_not():
    tables = bottleneck_tables()
    tables["singular_summaries"]["n_above_half"] = 10.0
    assert verdicts(tables).loc["bottleneck-rank-decay", "verdict"] == "differs"
