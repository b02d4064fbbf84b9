"""What a claim is, when it holds, and the scorecard as text; all claims of the studies."""

import re
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from srhm.planning.registry import STUDIES
from srhm.scorecard.card import claims_of, scorecard
from srhm.scorecard.claims import MAX_STATEMENT, NOT_MEASURED, Claim, Measurement, verdict
from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.numbers import distances_text, error
from srhm.scorecard.text import markdown

ALL = claims_of(STUDIES.values())
# Words of ours, or with two meanings; instead of these a statement has position, exponent, minus,
# fraction, at half height, divided by, the figures' recipe, tested, again, cluster.
NOT_IN_STATEMENTS = (
    "places?|placements?|powers?|less|parts?|half-?way|over|that of|those of|the same|practice"
    "|beside|judged|anew|capped|vocabular(?:y|ies)|named nets|cells?"
)


def expectation(expected, tolerance):
    """The kind that a number and a tolerance stand for in the table."""
    if np.isinf(tolerance):
        return Above(expected)
    return Below(expected) if np.isnan(tolerance) else Within(expected, tolerance)


def claim_with(measured: Measurement, *, expected=2.0, tolerance=0.5, identifier="a") -> Claim:
    return Claim(
        identifier, "a | b", topic="tests", figure="4 B", place="Eq. 3",
        expected=expectation(expected, tolerance), why="for this test",
        measure=lambda tables: measured,
    )  # fmt: skip


def measured(value, half_width, n=3) -> Measurement:
    return Measurement(
        value=value, low=value - half_width, high=value + half_width, n=n, note="why"
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "n", "word"),
    [
        (2.0, 1.9, 2.1, 3, "reproduced"),
        (2.0, 1.5, 2.5, 3, "reproduced"),
        (2.3, 2.2, 2.4, 3, "reproduced"),  # without the expected number
        (2.0, 1.4, 2.6, 3, "inconclusive"),  # too wide
        (2.45, 2.3, 2.6, 3, "inconclusive"),  # different, by less than the tolerance
        (2.5, 2.3, 2.7, 3, "inconclusive"),  # on its edge
        (2.5625, 2.3, 2.8, 3, "differs"),
        (1.4375, 1.3, 1.9, 3, "differs"),
        (2.5625, 2.0, 3.1, 3, "inconclusive"),  # beyond, and holds the expected number
        (2.7, 2.6, 2.8, 3, "differs"),
        (2.0, 1.9, 2.1, 2, "inconclusive"),
        (2.7, 2.6, 2.8, 2, "inconclusive"),
        (2.0, nan, nan, 3, "inconclusive"),
        (2.0, -inf, inf, 3, "inconclusive"),
        (2.0, 1.9, nan, 3, "inconclusive"),
        (2.7, 2.6, inf, 3, "differs"),
        (1.3, nan, 1.4, 3, "differs"),
    ],
)
def test_interval_and_value_decide_a_number_with_a_tolerance(value, low, high, n, word):
    one = Measurement(value=value, low=low, high=high, n=n, note="why")
    assert verdict(claim_with(one), one) == word
    # Its mirror image about the expected number.
    one = Measurement(value=4 - value, low=4 - high, high=4 - low, n=n, note="why")
    assert verdict(claim_with(one), one) == word


@pytest.mark.parametrize(
    ("value", "low", "high", "n", "word"),
    [
        (1.0, 0.1, 1.9, 3, "reproduced"),
        (1.0, 0.1, 2.0, 3, "inconclusive"),
        (2.0, 1.9, 2.1, 3, "inconclusive"),
        (2.1, 2.0, 2.2, 3, "inconclusive"),
        (2.15, 2.1, 2.2, 3, "differs"),
        (1.0, 0.1, 1.9, 2, "inconclusive"),
        (2.15, 2.1, 2.2, 2, "inconclusive"),
        (1.0, nan, nan, 3, "inconclusive"),
        (2.2, 2.1, inf, 3, "differs"),
        (2.2, 1.9, inf, 3, "inconclusive"),
        (1.0, -inf, 1.9, 3, "reproduced"),
    ],
)
def test_an_upper_bound_needs_the_whole_interval_on_one_side(value, low, high, n, word):
    one = Measurement(value=value, low=low, high=high, n=n, note="why")
    assert verdict(claim_with(one, tolerance=nan), one) == word
    # A lower bound is its mirror image.
    one = Measurement(value=-value, low=-high, high=-low, n=n, note="why")
    assert verdict(claim_with(one, expected=-2.0, tolerance=inf), one) == word


def test_a_factor_is_judged_by_its_logarithm():
    one = measured(np.log(1.2), 0.1)
    assert verdict(replace(claim_with(one), expected=Factor(1, within=1.5)), one) == "reproduced"
    assert verdict(replace(claim_with(one), expected=Factor(3, within=1.5)), one) == "differs"


def scored(one, **options):
    (row,) = scorecard({}, [claim_with(one, **options)]).to_dict("records")
    return row


def test_distances_are_in_errors_and_in_tolerances():
    row = scored(measured(1.61, 0.06), tolerance=0.35)
    assert error(row) == pytest.approx(0.06 / 1.96)
    assert distances_text(row) == ("−12.7", "−1.11")
    assert distances_text(scored(measured(1.61, 0.06), tolerance=nan)) == ("−12.7", "–")
    assert distances_text(scored(measured(1.61, nan), tolerance=0.35)) == ("–", "−1.11")


def columns_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")]


def test_markdown_has_a_row_and_a_note_for_each_claim():
    claims = [
        claim_with(measured(2.1, 0.2)),
        claim_with(NOT_MEASURED, identifier="b"),
        claim_with(measured(1.5, 0.2), identifier="c", tolerance=nan),
        replace(claim_with(measured(1.5, nan), identifier="d", tolerance=nan), fixed="after"),
        claim_with(measured(2.4, 0.2), identifier="e"),
    ]
    topics = {claim.identifier: claim.topic for claim in claims}
    lines = markdown(scorecard({}, claims), topics=topics).splitlines()
    assert lines[0] == ("5 claims: 2 reproduced, 0 differ, 3 inconclusive.")
    assert [columns_of(line) for line in lines if line.startswith("| ")][1:] == [
        ["1", "a / b", "2.10 ± 0.10", "2 ± 0.5", "+1.0", "+0.20", "reproduced"],
        ["2", "a / b", "not measured", "2 ± 0.5", "–", "–", "inconclusive"],
        ["3", "a / b", "1.50 ± 0.10", "< 2", "−4.9", "–", "reproduced"],
        ["4", "a / b", "1.50 ± unknown", "< 2", "–", "–", "inconclusive†"],
        ["5", "a / b", "2.40 ± 0.10", "2 ± 0.5", "+3.9", "+0.80", "inconclusive"],
    ]
    assert "1. `a` (Eq. 3; Figure 4 B): 2.10 [1.90, 2.30]; why" in lines
    assert "The rule of 1 claim was changed after seeing results (†)." in " ".join(lines)


def test_what_this_project_predicts_was_committed():
    said = [claim for claim in ALL if re.search("prediction of this project|pilot", claim.place)]
    assert len(said) > 50
    for claim in ALL:
        assert bool(claim.committed) >= (claim in said), claim.identifier
        assert not claim.committed or re.fullmatch(r"2026-\d\d-\d\d, [0-9a-f]{8}", claim.committed)


def test_statements_have_words_of_the_field_alone():
    for claim in ALL:
        private = re.search(rf"\b(?:{NOT_IN_STATEMENTS})\b", claim.says, flags=re.IGNORECASE)
        assert private is None, (claim.identifier, private[0])
        assert len(claim.says) <= MAX_STATEMENT, claim.identifier


def test_claims_show_figures_of_their_study():
    for study in STUDIES.values():
        names = {figure.name for figure in study.figures}
        for claim in claims_of([study]):
            number = re.match(r"\d+", claim.figure)
            assert (f"fig{int(number[0]):02}" if number else claim.figure) in names, claim
