"""The paper's statements, and the claims that they name."""

from dataclasses import replace
from math import inf, isnan, log, nan
from pathlib import Path

import pandas as pd
import pytest

from srhm.scorecard.card import claims_in, scorecard
from srhm.scorecard.claims import Claim, Measurement
from srhm.scorecard.deciding import BESIDE
from srhm.scorecard.expectations import Above, Below, Factor, NoExpectation, Within
from srhm.scorecard.headline import (
    Mark,
    Statement,
    beside_ours,
    forest_rows,
    identifiers,
    in_words,
)
from srhm.studies.registry import STUDIES
from srhm.studies.sparse_hierarchy.headline import HEADLINE, other_run

OF_PAPER = [
    claim
    for study in ("sparse_hierarchy", "named_nets")
    for claim in claims_in(STUDIES[study].claims)
]


def test_the_headline_has_twelve_to_fifteen_statements_of_claims_that_exist():
    assert 12 <= len(HEADLINE) <= 15
    known = {claim.identifier for claim in OF_PAPER}
    assert set(identifiers(HEADLINE)) <= known


def test_the_other_run_is_the_published_one_with_most_curves():
    published = Path(__file__).parents[1] / "published"
    name, fits = other_run(sorted(published.glob("*/sparse_hierarchy/*.*")))
    assert name == "our 128 channels"
    ends = fits.set_index("claim").loc["s0-exponent-lcn-L2"]
    assert ends["low"] < ends["value"] < ends["high"]
    assert other_run([])[0] == ""
    assert other_run([])[1].empty


def test_no_claim_stands_twice_and_every_statement_has_words_and_a_place():
    names = identifiers(HEADLINE)
    assert len(names) == len(set(names))
    assert all(one.says and one.quote and one.place and one.lines for one in HEADLINE)


def claim(name, expected, value, low, high, note="", why=""):
    found = Measurement(value=value, low=low, high=high, n=9, note=note)
    return Claim(name, name, topic="t", figure="1", place="p", expected=expected, why=why,
                 measure=lambda tables: found)  # fmt: skip


def statement(**lines):
    return Statement(heading="h", says="s", quote="q", place="p", lines=lines)


def rows_of(*claims, **options):
    names = {f"label of {one.identifier}": one.identifier for one in claims}
    return forest_rows([statement(**names)], scorecard({}, claims), **options)


(ROW,) = rows_of(claim("a", Within(2, 0.5), 2.5, 2.25, 3))


def test_a_row_is_in_units_of_the_tolerance():
    (row,) = rows_of(claim("a", Within(2, 0.5), 2.5, 2.25, 3))
    assert row.ours == Mark(1, 0.5, 2)
    assert (row.measured, row.expected, row.band) == ("2.50 [2.25, 3.00]", "2 ± 0.5", (-1, 1))


def test_a_bound_is_a_one_sided_row_in_units_of_the_bound():
    (row,) = rows_of(claim("a", Below(0.5), 0.25, 0.1, 1))
    assert row.band == (-inf, 0)
    assert row.ours.value == -0.5
    assert row.ours.high == 1
    assert row.expected == "< 0.5"


def test_a_lower_bound_allows_all_above():
    (row,) = rows_of(claim("a", Above(0.5), 0.75, 0.6, 1))
    assert (row.band, row.expected, row.verdict) == ((0, inf), "> 0.5", "agrees")


def test_ratios_are_shown_as_factors():
    (row,) = rows_of(claim("a", Factor(1, within=2), log(2), 0, log(4)))
    assert row.measured == "×2.00 [1.00, 4.00]"
    assert row.expected == "×1 within ×2"
    assert row.ours.value == pytest.approx(1, abs=1e-3)


def test_ends_that_are_not_known_stay_so():
    for end in (nan, inf):
        (row,) = rows_of(claim("a", Within(1, 1), 1, nan, end))
        assert isnan(row.ours.low)
        assert isnan(row.ours.high)
        assert row.measured == "1.00 [unknown]"


def test_what_has_no_expectation_and_what_the_scorecard_lacks_is_left_out():
    assert rows_of(claim("a", NoExpectation(), 1, 0, 2)) == []
    table = scorecard({}, [claim("a", Within(1, 1), 1, 0, 2)])
    assert forest_rows([statement(x="b")], table) == []


def test_the_authors_points_come_from_the_notes_and_lie_in_the_same_units():
    note = f"35 curves; {BESIDE}the authors' points 2.13 [1.85, 2.40] (n = 13)"
    one = claim("a", Within(2, 0.5), 2.5, 2.25, 3, note=note)
    theirs = beside_ours(scorecard({}, [one, claim("b", Within(1, 1), 1, 0, 2)]))
    assert theirs.to_dict("records") == [{"claim": "a", "value": 2.13, "low": 1.85, "high": 2.4}]
    (row,) = rows_of(one, authors=theirs)
    assert row.authors.value == pytest.approx(0.26)
    assert row.theirs == "2.13 [1.85, 2.40]"
    assert "the authors' points 2.13" in row.sentence
    assert row.sentence.endswith(
        ": open, the interval excludes the expected number and reaches into the tolerance"
    )


def test_points_without_an_interval_have_none():
    note = f"x; {BESIDE}the authors' points 0.54 (n = 2)"
    theirs = beside_ours(pd.DataFrame({"claim": ["a"], "note": [note]}))
    assert theirs.loc[0, "value"] == 0.54
    assert isnan(theirs.loc[0, "low"])


def test_a_statement_is_reproduced_if_all_of_its_claims_are():
    def words(*verdicts):
        return in_words([replace(ROW, verdict=word) for word in verdicts])

    assert words("agrees", "close") == {"Agree or close": ["s"]}
    assert words("agrees", "open") == {"Open": ["s (2.50, not 2)"]}
    wide = replace(ROW, verdict="open", ours=Mark(0.1, -1, 1))
    assert in_words([wide, wide]) == {"Open": ["s (wide interval)"]}
    assert words("agrees", "too few data") == {"Open": ["s (2.50, not 2)"]}
    assert words("open", "disagrees") == {"Disagree": ["s (2.50, not 2)"]}


def test_of_what_disagrees_words_say_whether_the_interval_holds_what_the_authors_points_give():
    def words(theirs):
        row = replace(ROW, verdict="disagrees", theirs=f"{theirs:.2f}", authors=Mark(theirs, 0, 0))
        return in_words([row])["Disagree"]

    assert words(ROW.ours.high) == [f"s (2.50, not 2, like authors' {ROW.ours.high:.2f})"]
    assert words(ROW.ours.high + 1) == [f"s (2.50, not 2, authors' {ROW.ours.high + 1:.2f})"]


def test_words_say_what_is_not_measured_and_the_interval_beside_a_bound():
    def words(**changes):
        return in_words([replace(ROW, verdict="open", **changes)])["Open"]

    assert words(ours=None, measured="not measured") == ["s (not measured)"]
    bound = words(measured="0.93 [0.69, 1.00]", expected="> 0.7")
    assert bound == ["s (0.93 [0.69, 1.00], expected > 0.7)"]
