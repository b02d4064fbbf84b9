"""The paper's statements, and the claims that they name."""

from dataclasses import replace
from math import inf, nan

import pytest

from srhm.paper.sparse_hierarchy.headline import HEADLINE
from srhm.planning.registry import STUDIES
from srhm.scorecard.card import claims_in, scorecard
from srhm.scorecard.claims import Claim, Measurement
from srhm.scorecard.expectations import Above, Below, Within
from srhm.scorecard.headline import Statement, forest_rows, identifiers, in_words, statement_table

OF_PAPER = [
    claim
    for study in ("sparse_hierarchy", "named_nets")
    for claim in claims_in(STUDIES[study].claims)
]


def test_the_headline_has_twelve_to_fifteen_statements_of_claims_that_exist():
    assert 12 <= len(HEADLINE) <= 15
    known = {claim.identifier for claim in OF_PAPER}
    assert set(identifiers(HEADLINE)) <= known


def claim(name, expected, value, low, high, authors=(nan, nan, nan)):
    found = Measurement(value=value, low=low, high=high, n=9, note="", authors=authors)
    return Claim(name, name, topic="t", figure="1", place="p", expected=expected, why="",
                 measure=lambda tables: found)  # fmt: skip


def statement(**lines):
    return Statement(heading="h", says="s", short=("s",), quote="q", place="p", lines=lines)


def rows_of(*claims, **options):
    names = {f"label of {one.identifier}": one.identifier for one in claims}
    return forest_rows([statement(**names)], scorecard({}, claims), **options)


def test_the_authors_points_lie_in_the_same_units():
    (row,) = rows_of(claim("a", Within(2, 0.5), 2.5, 2.25, 3, authors=(2.13, 1.85, 2.4)))
    assert row.authors.value == pytest.approx(0.26)
    assert row.theirs == "2.13 [1.85, 2.40]"
    assert "the authors' points 2.13" in row.sentence
    assert row.sentence.endswith(": inconclusive")
    assert rows_of(claim("a", Within(2, 0.5), 2.5, 2.25, 3))[0].authors is None


@pytest.mark.parametrize(
    ("expected", "ours", "theirs", "like"),
    [
        (Within(2, 0.5), 3, 2.6, True),
        (Within(2, 0.5), 3, 2.4, False),  # within the tolerance
        (Within(2, 0.5), 3, 1.4, False),  # on the other side
        (Within(2, 0.5), 2, 2.6, False),  # ours does not differ
        (Below(2), 3, 2.1, True),
        (Below(2), 3, 1.9, False),
        (Above(4), 3, 3.9, True),
    ],
)
def test_what_differs_says_whether_the_authors_points_do_so_too(expected, ours, theirs, like):
    (row,) = rows_of(claim("a", expected, ours, ours - 0.1, ours + 0.1, (theirs, nan, nan)))
    assert row.like_authors == like
    assert row.word.endswith(", like the authors'") == like
    (words,) = in_words([row]).values()
    assert words[0].endswith(f", like the authors' {theirs:.2f})") == like


def test_the_statements_fit_into_a_terminal_of_100_columns_and_24_lines():
    longest = [replace_measured(one) for one in OF_PAPER]
    stated = statement_table(HEADLINE, scorecard({}, longest))
    assert stated
    lines = stated.lines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 24
    assert lines[0] == "35 numbers of the paper: 33 reproduced, 2 inconclusive."
    assert sum("inconclusive" in line for line in lines) == 3
    assert statement_table(HEADLINE, scorecard({}, longest)[:0]) is None


def replace_measured(one):
    """A claim whose number is expected, or for two is not known to be so."""
    expected, tolerance = one.expected.expected, one.expected.tolerance
    value = expected + (0.01 if tolerance == inf else 0 if tolerance == tolerance else -0.01)
    wide = 9.0 if one.identifier in ("s0-exponent-lcn-L2", "s-ratio-lcn-s2-L3") else 0.001
    found = Measurement(value=value, low=value - wide, high=value + wide, n=9, note="",
                        authors=(2.1, nan, nan))  # fmt: skip
    return replace(one, measure=lambda tables: found)
