"""A status of docs/thesis.md follows from verdicts and settings; its table names what is there."""

import re
from pathlib import Path

import pytest
from pages import readme, thesis
from pages.thesis import Row, Scorecards, status
from pydantic import ValidationError

ROOT = Path(__file__).parents[1]
TABLE = thesis.read(ROOT)
ROWS = [row for chapter in TABLE.chapters for row in chapter.rows]
# Of real claims of a study with an invented scorecard, and of a study without one.
CLAIMED = {"claims": ("stripe/alignment-feature-d5", "stripe/error-feature-d5")}


def row(**values):
    return Row(place="Fig. 1", shows="a curve", **values)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, "near"),
        ({"sizes": {"P": (100, 25), "N": (100, 400)}}, "near"),
        ({"sizes": {"P": (100, 24)}}, "far"),
        ({"sizes": {"P": (100, 401)}}, "far"),
        ({"data": "images", "sizes": {"P": (100, 100)}}, "near"),
        ({"data": "images", "sizes": {"P": (100, 100), "d": (784, 64)}}, "far"),
        ({"data": "other", "sizes": {"P": (100, 100)}}, "other data"),
    ],
)
def test_settings_are_near_up_to_a_factor_of_four_in_each_size(values, found):
    assert row(**values).setting == found


@pytest.mark.parametrize(
    ("verdicts", "near", "far"),
    [
        ([], "missing", "missing"),
        (["nothing measured", "nothing measured"], "missing", "missing"),
        (["reproduced", "reproduced"], "works", "elsewhere"),
        (["reproduced", "nothing measured"], "undecided", "undecided"),
        (["reproduced", "inconclusive"], "undecided", "undecided"),
        (["reproduced", "inconclusive", "differs"], "differs", "differs"),
    ],
)
def test_the_status_follows_from_the_worst_claim_and_from_settings(verdicts, near, far):
    assert [status(verdicts, one) for one in ("near", "far", "other data")] == [near, far, far]


@pytest.mark.parametrize(
    "values",
    [{"sketch": True, **CLAIMED}, {"picture": True, **CLAIMED}, {"picture": True},
     {"claims": ("stripe/no-claim",)}, {"status": "works"},
     {"at": ("stripe/nothing",)}],
)  # fmt: skip
def test_a_row_that_contradicts_itself_or_types_its_status_is_refused(values):
    with pytest.raises(ValidationError):
        row(**values)


def test_figures_of_a_row_are_those_of_its_claims_and_others():
    """Claims of the paper name a figure of the paper instead, which the row adds."""
    assert row(**CLAIMED).figures == ("stripe/stripe",)
    assert row(at=("gaps/gaps",), **CLAIMED).figures == ("stripe/stripe", "gaps/gaps")
    assert not [one.place for one in ROWS if one.claims and not one.figures]


def test_no_verdict_about_these_sources_is_left_out():
    """So that a row cannot choose its claims: all that a shipped scorecard judges are in one."""
    scorecards = readme.all_scorecards(ROOT)
    judged = {
        (study, one["claim"])
        for study, preset in Scorecards(scorecards).preset.items()
        for one in scorecards[preset][study].to_dict("records")
        if re.search(r"\b(thesis|talk|article)\b", one["place"]) and "not there" not in one["place"]
    }
    named = {name for one in ROWS for found in one.matched.values() for name in found}
    assert judged - named == set(), "add them to docs/thesis.yaml"
