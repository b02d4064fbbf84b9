"""What a claim is, when it holds, and the scorecard as text; all claims of the studies."""

import re
from dataclasses import replace
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tables import EVERYTHING, exact_complexities

from srhm.report.scorecard_rows import scorecard_rows
from srhm.scorecard.card import COLUMNS, claims_in, claims_of, scorecard
from srhm.scorecard.claims import (
    MAX_STATEMENT,
    NOT_MEASURED,
    Claim,
    Measurement,
    RememberedTables,
    after_a_look,
    verdict,
)
from srhm.scorecard.deciding import points_to_decide, what_would_decide, why_open
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Above, Below, Factor, NoExpectation, Within
from srhm.scorecard.rows import rows_of
from srhm.scorecard.text import EQUIVALENCE, RULES, markdown
from srhm.studies.registry import STUDIES

ALL = claims_of(STUDIES.values())


def topics_of(claims):
    return {claim.identifier: claim.topic for claim in claims}


def expectation(expected, tolerance):
    """The kind that a number and a tolerance stand for in the table."""
    if np.isnan(expected):
        return NoExpectation()
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
    ("low", "high", "n", "word"),
    [
        (1.9, 2.1, 3, "agrees"),
        (1.5, 2.5, 3, "agrees"),
        (1.4375, 2.4, 3, "open"),
        (1.6, 2.5625, 3, "open"),
        (1.4, 2.6, 3, "open"),
        (2.4, 2.6, 3, "open"),
        (2.5, 2.6, 3, "open"),
        (2.5625, 2.6, 3, "disagrees"),
        (1.3, 1.4375, 3, "disagrees"),
        (1.9, 2.1, 2, "too few data"),
        (2.6, 2.7, 2, "too few data"),
        (nan, nan, 3, "open"),
        (-inf, inf, 3, "open"),
        (1.9, nan, 3, "open"),
        (2.6, inf, 3, "disagrees"),
        (nan, 1.4, 3, "disagrees"),
    ],
)
def test_the_interval_decides_a_number_with_a_tolerance(low, high, n, word):
    one = Measurement(value=2.0, low=low, high=high, n=n, note="why")
    assert verdict(claim_with(one), one) == word


@pytest.mark.parametrize("value", [-9.0, 2.0, 9.0])
def test_the_value_does_not_decide(value):
    one = Measurement(value=value, low=1.0, high=2.0, n=9, note="why")
    assert verdict(claim_with(one), one) == "open"
    assert verdict(claim_with(one, tolerance=nan), one) == "open"


@pytest.mark.parametrize(
    ("low", "high", "n", "word"),
    [
        (0.1, 1.9, 3, "agrees"),
        (0.1, 2.0, 3, "open"),
        (1.9, 2.1, 3, "open"),
        (2.0, 2.2, 3, "open"),
        (2.1, 2.2, 3, "disagrees"),
        (0.1, 1.9, 2, "too few data"),
        (2.1, 2.2, 2, "too few data"),
        (nan, nan, 3, "open"),
        (2.1, inf, 3, "disagrees"),
        (1.9, inf, 3, "open"),
        (-inf, 1.9, 3, "agrees"),
    ],
)
def test_an_upper_bound_needs_the_whole_interval_on_one_side(low, high, n, word):
    one = Measurement(value=1.0, low=low, high=high, n=n, note="why")
    assert verdict(claim_with(one, tolerance=nan), one) == word
    # A lower bound is its mirror image.
    one = Measurement(value=-1.0, low=-high, high=-low, n=n, note="why")
    assert verdict(claim_with(one, expected=-2.0, tolerance=inf), one) == word


@pytest.mark.parametrize(
    ("one", "word"),
    [
        (measured(2.0, 0.1), "no expectation"),
        (measured(2.0, nan, n=1), "no expectation"),
        (NOT_MEASURED, "too few data"),
    ],
)
def test_where_nothing_is_expected_there_is_no_verdict(one, word):
    assert verdict(claim_with(one, expected=nan, tolerance=nan), one) == word


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
    assert verdict(replace(claim_with(one), expected=Factor(1, within=1.5)), one) == "close"
    assert verdict(replace(claim_with(one), expected=Factor(3, within=1.5)), one) == "disagrees"


def scored(one, **options):
    (row,) = scorecard({}, [claim_with(one, **options)]).to_dict("records")
    return row


@pytest.mark.parametrize(
    ("value", "low", "high", "tolerance"),
    [
        # inside 1.5 to 2.5: the end that sticks out by most comes in
        (2.0, 1.2, 2.8, 0.5),
        (2.2, 1.6, 2.8, 0.5),
        (1.8, 1.2, 2.4, 0.5),
        (2.2, 0.9, 2.4, 0.5),
        # outside: the end that faces the nearer edge leaves
        (3.0, 2.2, 9.0, 0.5),
        (1.0, -9.0, 1.7, 0.5),
        # below and above the upper bound 2
        (1.5, 0.0, 2.4, nan),
        (2.5, 1.7, 9.0, nan),
        (1.0, 0.0, 2.0, nan),
    ],
)
@pytest.mark.parametrize("n", [3, 8, 40])
def test_so_many_points_would_decide_and_one_less_would_not(value, low, high, tolerance, n):
    def with_points(k):
        near = (stats.t.ppf(0.975, k - 1) / k**0.5) / (stats.t.ppf(0.975, n - 1) / n**0.5)
        ends = {"low": value + near * (low - value), "high": value + near * (high - value)}
        return scored(Measurement(value=value, n=k, note="", **ends), tolerance=tolerance)

    row = with_points(n)
    points = points_to_decide(row)
    assert row["verdict"] == "open"
    assert points > n
    assert with_points(points)["verdict"] in ("agrees", "disagrees")
    assert points == n + 1 or with_points(points - 1)["verdict"] == "open"
    assert f"some {points} points instead of {n} would decide" in what_would_decide(row)


@pytest.mark.parametrize(
    ("value", "low", "high", "tolerance", "words"),
    [
        (2.5, 2.0, 3.0, 0.5, "on the edge of what is allowed, where more points hardly decide"),
        (2.5, 2.5, 3.0, 0.5, "on the edge"),
        (2.0, 2.0, 3.0, nan, "on the edge"),
        (2.48, 1.9, 3.0, 0.5, "on the edge"),
        (2.0, -90.0, 94.0, 0.5, "more than 80 points instead of 4"),
        (2.0, nan, 3.0, 0.5, "stands in its note"),
        (2.0, 1.0, inf, 0.5, "stands in its note"),
    ],
)
def test_where_points_do_not_decide_a_claim_says_why(value, low, high, tolerance, words):
    row = scored(Measurement(value=value, low=low, high=high, n=4, note=""), tolerance=tolerance)
    assert row["verdict"] == "open"
    assert not np.isfinite(points_to_decide(row))
    assert words in what_would_decide(row)


@pytest.mark.parametrize(
    ("low", "high", "tolerance", "words"),
    [
        # 2 ± 0.5
        (1.8, 2.6, 0.5, "holds the expected number and reaches beyond"),
        (1.0, 3.0, 0.5, "holds the expected number and reaches beyond"),
        (2.0, 2.6, 0.5, "holds the expected number and reaches beyond"),
        (2.1, 2.6, 0.5, "excludes the expected number and reaches into"),
        (1.4, 1.9, 0.5, "excludes the expected number and reaches into"),
        # below 2, above 2
        (1.0, 2.5, nan, "holds the bound"),
        (1.0, 2.5, inf, "holds the bound"),
        (nan, 2.5, 0.5, "an end of the interval is not known"),
        (1.8, inf, 0.5, "an end of the interval is not known"),
    ],
)
def test_open_says_whether_the_interval_holds_the_expected_number(low, high, tolerance, words):
    found = Measurement(value=2.2, low=low, high=high, n=9, note="")
    row = scored(found, tolerance=tolerance)
    assert row["verdict"] == "open"
    assert words in why_open(row)
    table = pd.DataFrame([row])
    assert words in " ".join(markdown(table, topics={"a": "t"}).split())
    (shown,) = scorecard_rows(table)
    assert shown["deciding_text"].startswith(shown["why_open"])


@pytest.mark.parametrize("word", ["agrees", "close", "disagrees", "too few data"])
def test_other_verdicts_have_no_such_reason(word):
    row = {"verdict": word, "expected": 2.0, "tolerance": 0.5, "low": 1.0, "high": 3.0}
    assert why_open(row) == ""


@pytest.mark.parametrize("origin", ["error from", "jackknife over"])
def test_an_error_of_vocabularies_asks_for_vocabularies(origin):
    note = f"{origin} 5 vocabularies (4 degrees of freedom)"
    found = Measurement(value=2.2, low=1.6, high=2.8, n=40, note=note)
    row = scored(found, tolerance=0.5)
    assert "vocabularies instead of 5 would decide" in what_would_decide(row)


@pytest.mark.parametrize(("dof", "words"), [(2, "more seeds come before"), (40, "points instead")])
def test_an_error_from_few_seeds_asks_for_seeds(dof, words):
    rows = pd.DataFrame({"x": [2.2, 2.3, 2.3, 2.4], "log_se": 0.3, "dof": float(dof)})
    rows = rows.assign(log_sd_source="one")
    one = Mean("x", error="seeds", rows=rows_of("rows")(lambda table: table))({"rows": rows})
    row = scored(one, tolerance=0.5)
    assert row["verdict"] == "open"
    assert words in what_would_decide(row)


@pytest.mark.parametrize("half_width", [0.1, 0.3])
def test_only_what_is_open_lacks_points(half_width):
    one = claim_with(measured(2.3, half_width))
    table = scorecard({}, [one])
    (row,), text = scorecard_rows(table), markdown(table, topics=topics_of([one]))
    assert bool(row["deciding_text"]) == (row["verdict"] == "open") == (half_width > 0.2)
    assert ("would decide, if value and scatter stay" in text) == (half_width > 0.2)
    assert max(map(len, text.splitlines())) <= 150


def columns_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")]


def test_markdown_has_a_row_and_a_note_for_each_claim():
    claims = [
        claim_with(measured(2.1, 0.2)),
        claim_with(NOT_MEASURED, identifier="b"),
        claim_with(measured(1.5, 0.2), identifier="c", tolerance=nan),
        replace(
            claim_with(measured(1.5, nan), identifier="d", expected=nan, tolerance=nan),
            fixed="after",
        ),
        claim_with(measured(2.4, 0.2), identifier="e"),
    ]
    lines = markdown(scorecard({}, claims), topics=topics_of(claims)).splitlines()
    assert lines[0] == (
        "5 claims: 2 agree, 0 close, 0 disagree, 1 open, 1 with too few data,"
        " 1 with no expectation."
    )
    assert [columns_of(line) for line in lines if line.startswith("| ")][1:] == [
        ["1", "a / b", "2 ± 0.5", "2.10 [1.90, 2.30]", "3", "**agrees**"],
        ["2", "a / b", "2 ± 0.5", "not measured", "0", "too few data"],
        ["3", "a / b", "< 2", "1.50 [1.30, 1.70]", "3", "**agrees**"],
        ["4", "a / b", "–", "1.50 [unknown]", "3", "no expectation†"],
        ["5", "a / b", "2 ± 0.5", "2.40 [2.20, 2.60]", "3", "open"],
    ]
    assert "1. `a` (Eq. 3; Figure 4 B): why" in lines
    assert "The rule of 1 claim was fixed after a look at rows (†)." in " ".join(lines)


def test_markdown_shows_a_ratio_as_a_factor():
    one = replace(claim_with(measured(np.log(2.5), 0.1)), expected=Factor(1, within=1.5))
    text = markdown(scorecard({}, [one]), topics=topics_of([one]))
    assert "×2.50 [2.26, 2.76], not ×1 within ×1.5" in text


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


def test_the_summary_has_counts_and_what_disagrees_and_fits_into_a_screen():
    failing = [claim_with(measured(9.0, 0.1), identifier=f"f{n}") for n in range(20)]
    claims = [claim_with(measured(2.1, 0.2)), claim_with(NOT_MEASURED, identifier="b"), *failing]
    text = markdown(scorecard({}, claims), topics=topics_of(claims))
    top = text.partition("\n## ")[0].rstrip().splitlines()
    assert top[0] == "22 claims: 1 agrees, 0 close, 20 disagree, 0 open, 1 with too few data."
    assert top[2] == f"{EQUIVALENCE} {RULES}"
    assert top[6] == "- a | b: 9.00 [8.90, 9.10], not 2 ± 0.5"
    assert top[-1] == "- and 5 more"
    assert len(top) < 24
    all_well = markdown(scorecard({}, claims[:1]), topics=topics_of(claims))
    assert all_well.splitlines()[1:5] == ["", f"{EQUIVALENCE} {RULES}", "", "## tests"]


def test_markdown_has_the_topics_in_the_order_of_the_claims_with_their_counts():
    shuffled = scorecard({}, ALL).sample(frac=1, random_state=1)
    lines = markdown(shuffled, topics=topics_of(ALL)).splitlines()
    headings = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
    assert headings == [*dict.fromkeys(claim.topic for claim in ALL), "Notes"]
    counts = [line for line in lines if re.fullmatch(r".*\d+ agrees?, .*\.", line)]
    assert len(counts) == len(headings)  # of all claims and of each topic
    assert len([line for line in lines if line.startswith("| ")]) == len(ALL) + len(counts) - 1


@pytest.mark.parametrize("page", sorted({study.page_name for study in STUDIES.values()}))
def test_markdown_without_numbers_fits_into_a_terminal_of_150_columns(page):
    claims = claims_of(study for study in STUDIES.values() if study.page_name == page)
    lines = markdown(scorecard({}, claims), topics=topics_of(claims)).splitlines()
    assert max(map(len, lines)) <= 150


# Statements of these are longer: their scorecard is wider than a terminal.
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
    claim = claim_with(measured(value, half_width), expected=nan, tolerance=nan)
    row = {**scorecard({}, [claim]).to_dict("records")[0], "tolerance": tolerance}
    text = markdown(pd.DataFrame([row]), topics=topics_of([claim]))
    assert f"| {shown} " in text


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
    assert set(table["verdict"]) == {"too few data"}
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
