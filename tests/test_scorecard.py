"""What a claim is, when it holds, and the scorecard as text; all claims of the studies."""

import re
from dataclasses import replace
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from tables import EVERYTHING, exact_complexities

from srhm.scorecard.card import COLUMNS, claims_in, claims_of, scorecard
from srhm.scorecard.claims import (
    MAX_STATEMENT,
    NOT_MEASURED,
    Claim,
    Measurement,
    RememberedTables,
    after_a_look,
    predictions,
    verdict,
)
from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.numbers import distances_text, error, value_text
from srhm.scorecard.text import EQUIVALENCE, RULES, markdown
from srhm.studies.registry import STUDIES

ALL = claims_of(STUDIES.values())


def topics_of(claims):
    return {claim.identifier: claim.topic for claim in claims}


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


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [(Within, (inf, 1.0)), (Within, (nan, 1.0)), (Within, (1.0, 0.0)), (Within, (1.0, inf)),
     (Within, (1.0, -1.0)), (Below, (inf,)), (Above, (nan,)),
     (Factor, (0.0, 2.0)), (Factor, (1.0, 1.0))],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(kind, numbers):
    with pytest.raises(ValueError, match=f"{kind.__name__}.*is needed"):
        kind(*numbers)


def test_a_factor_is_judged_by_its_logarithm():
    one = measured(np.log(1.2), 0.1)
    assert verdict(replace(claim_with(one), expected=Factor(1, within=1.5)), one) == "reproduced"
    assert verdict(replace(claim_with(one), expected=Factor(3, within=1.5)), one) == "differs"


def scored(one, **options):
    (row,) = scorecard({}, [claim_with(one, **options)]).to_dict("records")
    return row


@pytest.mark.parametrize(
    ("value", "half", "scale", "shown"),
    [
        (1.61, 0.06, "plain", "1.61 ± 0.03"),
        (2.76, 0.586, "plain", "2.76 ± 0.30"),
        (0.0, 0.025, "plain", "0.000 ± 0.013"),
        (120.0, 60.0, "plain", "120 ± 31"),
        (np.log(1.53), 0.08, "factor", "×1.53 ± 0.06"),
        (3e-7, 2.2e-7, "plain", "(3.0 ± 1.1)·10⁻⁷"),
        (-0.5, nan, "plain", "−0.50 ± unknown"),
        (0.5, 0.0, "plain", "0.50 ± 0"),
        (nan, nan, "plain", "not measured"),
    ],
)
def test_a_value_stands_with_its_standard_error(value, half, scale, shown):
    row = scored(measured(value, half)) | {"scale": scale}
    assert value_text(row) == shown


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
    lines = markdown(scorecard({}, claims), topics=topics_of(claims)).splitlines()
    assert lines[0] == ("5 claims: 2 reproduced, 0 differ, 3 inconclusive.")
    assert [columns_of(line) for line in lines if line.startswith("| ")][1:] == [
        ["1", "a / b", "2.10 ± 0.10", "2 ± 0.5", "+1.0", "+0.20", "reproduced"],
        ["2", "a / b", "not measured", "2 ± 0.5", "–", "–", "inconclusive"],
        ["3", "a / b", "1.50 ± 0.10", "< 2", "−4.9", "–", "reproduced"],
        ["4", "a / b", "1.50 ± unknown", "< 2", "–", "–", "inconclusive†"],
        ["5", "a / b", "2.40 ± 0.10", "2 ± 0.5", "+3.9", "+0.80", "inconclusive"],
    ]
    assert "1. `a` (Eq. 3; Figure 4 B): 2.10 [1.90, 2.30]; why" in lines
    assert "The rule of 1 claim was fixed after a look at rows (†)." in " ".join(lines)


def test_markdown_shows_a_ratio_as_a_factor():
    one = replace(claim_with(measured(np.log(2.5), 0.1)), expected=Factor(1, within=1.5))
    text = markdown(scorecard({}, [one]), topics=topics_of([one]))
    assert "×2.50 ± 0.13, not ×1 within ×1.5" in text


def test_a_rule_that_says_so_was_fixed_after_a_look():
    """The field, and not the words, is what the scorecard shows."""
    says = [claim for claim in ALL if re.search(r"after a (first )?look", claim.why)]
    assert len(says) > 5
    assert {claim.fixed for claim in says} == {"after"}


def test_what_was_changed_after_a_look_is_said_with_the_reason():
    first, second = (claim_with(measured(2.0, 0.1), identifier=name) for name in ("a-1", "b-1"))
    one, other = after_a_look([first, second], {"a-*": "rows", "?-1": "the interval"})
    assert (one.fixed, other.fixed) == ("after", "after")
    assert one.why == f"{first.why}; after a look: rows; the interval"
    assert after_a_look([first, second], {"a-1": "rows"})[1] == second
    with pytest.raises(ValueError, match="no claim is named c"):
        after_a_look([first, second], {"a-1 c": "rows"})


def test_predictions_stand_under_a_heading_with_their_commit():
    first, second = (claim_with(measured(2.0, 0.1), identifier=name) for name in ("a-1", "b-1"))
    one, other = predictions([first, second], {"a-*": "2026-11-25, 0cefaf50"})
    assert one.committed == "2026-11-25, 0cefaf50"
    assert one.topic == f"{first.topic} (predictions, committed 2026-11-25, 0cefaf50)"
    assert other == second
    with pytest.raises(ValueError, match="no claim is named c"):
        predictions([first, second], {"c": "2026-11-25, 0cefaf50"})


def test_what_this_project_predicts_was_committed():
    said = [claim for claim in ALL if re.search("prediction of this project|pilot", claim.place)]
    assert len(said) > 50
    for claim in ALL:
        assert bool(claim.committed) >= (claim in said), claim.identifier
        assert not claim.committed or re.fullmatch(r"2026-\d\d-\d\d, [0-9a-f]{8}", claim.committed)


def test_the_summary_has_counts_and_what_differs_and_fits_into_a_screen():
    failing = [claim_with(measured(9.0, 0.1), identifier=f"f{n}") for n in range(20)]
    claims = [claim_with(measured(2.1, 0.2)), claim_with(NOT_MEASURED, identifier="b"), *failing]
    text = markdown(scorecard({}, claims), topics=topics_of(claims))
    top = text.partition("\n## ")[0].rstrip().splitlines()
    assert top[0] == "22 claims: 1 reproduced, 20 differ, 1 inconclusive."
    assert " ".join(top[2:4]) == f"{EQUIVALENCE} {RULES}"
    assert top[7] == "- a | b: 9.00 ± 0.05, not 2 ± 0.5"
    assert top[-1] == "- and 5 more"
    assert len(top) < 24
    all_well = markdown(scorecard({}, claims[:1]), topics=topics_of(claims))
    assert all_well.splitlines()[4:6] == ["", "## tests"]


def test_markdown_has_the_topics_in_the_order_of_the_claims_with_their_counts():
    shuffled = scorecard({}, ALL).sample(frac=1, random_state=1)
    lines = markdown(shuffled, topics=topics_of(ALL)).splitlines()
    headings = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
    assert headings == [*dict.fromkeys(claim.topic for claim in ALL), "Notes"]
    counts = [line for line in lines if re.fullmatch(r".*\d+ reproduced, .*\.", line)]
    assert len(counts) == len(headings)  # of all claims and of each topic
    assert len([line for line in lines if line.startswith("| ")]) == len(ALL) + len(counts) - 1


# Statements of these are longer.
LONG = ("complexity", "crossover")


@pytest.mark.parametrize(
    ("value", "half_width", "tolerance", "shown"),
    [
        (-0.0026, 0.0013, nan, "−0.0026 [−0.0039, −0.0013]"),  # not -0.00 [-0.00, -0.00]
        (-0.29, 0.288, 0.25, "−0.29 [−0.58, 0.00]"),  # not -0.00
        (0.0007, 0.0033, 0.1, "0.0007 [−0.0026, 0.0040]"),
        (0.2, 0.05, nan, "0.20 [0.15, 0.25]"),
        (1e-9, 1e-9, nan, "(1.0 [0.0, 2.0])·10⁻⁹"),
    ],
)
def test_small_numbers_are_shown_with_digits_of_their_interval(value, half_width, tolerance, shown):
    claim = claim_with(measured(value, half_width))
    row = {**scorecard({}, [claim]).to_dict("records")[0], "tolerance": tolerance}
    text = markdown(pd.DataFrame([row]), topics=topics_of([claim]))
    assert f": {shown}; " in text


def test_statements_fit_into_their_column():
    claims = claims_of(study for study in STUDIES.values() if study.name not in LONG)
    assert max(len(claim.says) for claim in claims) <= MAX_STATEMENT


def test_claims_are_told_apart_by_their_identifiers():
    assert len(topics_of(ALL)) == len(ALL)


def test_the_topics_of_a_study_are_its_own():
    studies = [study for study in STUDIES.values() if study.claims]
    found = [{claim.topic for claim in claims_of([study])} for study in studies]
    assert sum(map(len, found)) == len(set.union(*found))


def test_claims_show_figures_of_their_study():
    for study in STUDIES.values():
        names = {figure.name for figure in study.figures}
        for claim in claims_of([study]):
            number = re.match(r"\d+", claim.figure)
            assert (f"fig{int(number[0]):02}" if number else claim.figure) in names, claim


def test_claims_without_tables_lack_data():
    table = scorecard({}, ALL)
    assert list(table.columns) == list(COLUMNS)
    assert set(table["verdict"]) == {"inconclusive"}
    assert (table["note"] != "").all()


def test_what_claims_share_is_computed_once_and_no_claim_can_change_it():
    calls = []

    def computed():
        calls.append(1)
        return pd.DataFrame({"x": [1, 2]})

    tables = RememberedTables({"cells": pd.DataFrame({"P": [3]})})
    first = tables.once("key", computed)
    first.loc[0, "x"] = 9
    assert tables.once("key", computed)["x"].tolist() == [1, 2]
    assert len(calls) == 1
    tables.once("other", computed)
    assert len(calls) == 2
    assert (list(tables), len(tables), tables["cells"]["P"].tolist()) == (["cells"], 1, [3])


def test_claims_on_shared_tables_measure_what_each_measures_alone():
    noise = np.random.default_rng(3)
    tables = exact_complexities(EVERYTHING, thresholds=(0.05, 0.1), noise=noise)
    claims = claims_in("srhm.studies.sparse_hierarchy.claims.all_claims")
    rows = scorecard(tables, claims).set_index("claim")
    names = ["value", "low", "high", "n"]
    for claim in claims:
        alone = claim.measure(tables)
        own = [getattr(alone, name) for name in names]
        assert rows.loc[claim.identifier, names].tolist() == pytest.approx(own, nan_ok=True)
        assert rows.loc[claim.identifier, "note"] == alone.note
