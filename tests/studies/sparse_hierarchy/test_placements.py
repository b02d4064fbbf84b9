"""Counting of equal placements, against all pairs of placements of small patches."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest

from srhm.paper.sparse_hierarchy.analysis import placements_ratio


def of_pairs(placements, agree):
    """Part of all ordered pairs of placements that agree."""
    pairs = list(product(placements, repeat=2))
    return Fraction(sum(agree(one, other) for one, other in pairs), len(pairs))


def enumerated(*, depth, branching, n_empty):
    """Data that B needs over those of A, from the pairs themselves."""
    width = n_empty + 1
    parts = {
        "A": list(product(*(range(j * width, (j + 1) * width) for j in range(branching)))),
        "B": list(combinations(range(branching * width), branching)),
    }
    needed = {}
    for kind, placements in parts.items():
        tuples = of_pairs(placements, lambda one, other: one == other)
        children = [
            of_pairs(placements, lambda one, other, child=child: one[child] == other[child])
            for child in range(branching)
        ]
        needed[kind] = 1 / (tuples * (sum(children) / branching) ** (depth - 1))
    return float(needed["B"] / needed["A"])


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(("branching", "n_empty"), [(2, 0), (2, 1), (2, 2), (3, 1)])
def test_the_counting_is_that_of_all_pairs_of_placements(depth, branching, n_empty):
    one = {"depth": depth, "branching": branching, "n_empty": n_empty}
    assert placements_ratio(**one) == pytest.approx(enumerated(**one))


@pytest.mark.parametrize(("n_empty", "ratio"), [(1, 27 / 14), (2, 25 / 11), (4, 48.6 / 19)])
def test_at_two_levels_it_is_a_fraction_that_was_found_by_hand(n_empty, ratio):
    assert placements_ratio(depth=2, branching=2, n_empty=n_empty) == pytest.approx(ratio)


def test_one_level_has_the_number_of_placements_alone():
    found = placements_ratio(depth=1, branching=3, n_empty=2)
    assert found == pytest.approx(comb(9, 3) / 3**3)
