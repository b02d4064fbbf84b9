"""Shipped rows give the scorecards that were stored, unless a commit means it: see `write.py`.

All columns but the note. Numbers to 1e-6: processors sum in another order.
"""

import csv
import json

import pytest
from stored import ROOT, SHIPPED, scores, stored_scores, worker

from srhm.store.places import CONFIRMING

NUMBERS = ("expected", "value", "low", "high", "tolerance")


@pytest.mark.parametrize(
    ("preset", "study"),
    [pytest.param(*one, marks=pytest.mark.xdist_group(worker(one[1]))) for one in SHIPPED],
)
def test_the_scorecard_of_shipped_rows_is_the_stored_one(preset, study):
    lines = stored_scores(preset, study).read_text(encoding="utf-8").splitlines()
    stored = {row["claim"]: row for row in map(json.loads, lines)}
    found = {row["claim"]: row for row in scores(preset, study)}
    assert list(found) == list(stored)
    for claim, row in found.items():
        for name, value in row.items():
            expected = stored[claim][name]
            if name in NUMBERS:
                value, expected = float(value), float(expected)
                expected = pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
            assert value == expected, (claim, name)


@pytest.mark.xdist_group(worker("sparse_hierarchy"))
def test_todays_rules_say_of_fresh_grammars_what_the_frozen_ones_said():
    with (ROOT / "reference/fresh_results.csv").open(encoding="utf-8") as file:
        frozen = {row["claim"]: row for row in csv.DictReader(file)}
    found = {row["claim"]: row for row in scores(CONFIRMING, "sparse_hierarchy")}
    for claim, row in frozen.items():
        assert found[claim]["verdict"] == row["verdict"], claim
        for name in ("value", "low", "high"):
            expected = pytest.approx(float(row[name] or "nan"), rel=1e-6, abs=1e-9, nan_ok=True)
            assert float(found[claim][name]) == expected, (claim, name)
