"""Sibling claims with few values, on invented families: coverage and false verdicts."""

from dataclasses import replace

import numpy as np
import pytest

from srhm.scorecard.claims import Measurement
from srhm.scorecard.siblings import MOST_VALUES, FewValues, with_pooled_scatter

DRAWS = 400


def measurement(values, *, family="one", geometric=False):
    few = FewValues(family, tuple(values), geometric)
    low, high = few.ends(float(np.var(values, ddof=1)), len(values) - 1)
    middle = float(np.exp(np.mean(values)) if geometric else np.mean(values))
    return Measurement(value=middle, low=low, high=high, n=len(values), note="", few_values=few)


def drawn(n, siblings, spread, generator):
    """A family whose true means are 0, standard deviations of about 1 within a factor `spread`."""
    deviations = spread ** generator.uniform(-0.5, 0.5, siblings)
    return [measurement(own) for own in deviations[:, None] * generator.normal(size=(siblings, n))]


@pytest.mark.parametrize("n", [3, 5, 9])
@pytest.mark.parametrize("siblings", [3, 6, 14])
@pytest.mark.parametrize("spread", [1.0, 1.8])
def test_intervals_hold_the_truth_and_a_false_claim_is_seldom_reproduced(n, siblings, spread):
    generator = np.random.default_rng([n, siblings, round(10 * spread)])
    families = [with_pooled_scatter(drawn(n, siblings, spread, generator)) for _ in range(DRAWS)]
    found = [one for family in families for one in family]
    assert 0.92 < np.mean([one.low < 0 < one.high for one in found]) < 0.98
    # The truth lies at the edge of a tolerance that is wide compared with the error.
    tolerance = 3 / np.sqrt(n)
    kept = [one.low > -2 * tolerance and one.high < 0 for one in found]
    assert np.mean(kept) < 0.05


def test_pooling_narrows_the_intervals_of_three_seeds_by_half():
    generator = np.random.default_rng(1)
    before = [one for _ in range(100) for one in drawn(3, 8, 1.0, generator)]
    after = [
        one for start in range(0, 800, 8) for one in with_pooled_scatter(before[start : start + 8])
    ]
    width = [np.median([one.high - one.low for one in each]) for each in (before, after)]
    assert width[1] < 0.6 * width[0]


def test_values_of_unequal_scatter_are_not_pooled():
    generator = np.random.default_rng(2)
    family = [measurement(scale * generator.normal(size=6)) for scale in (1, 1, 30)]
    assert with_pooled_scatter(family) == family


def test_what_is_no_mean_of_its_values_stays():
    values = [[1.0, 1.1, 1.3], [2.0, 2.2, 2.3], [5.0, 5.2, 5.1]]
    plain = [measurement(own) for own in values]
    pooled = with_pooled_scatter(plain)
    assert all(one.low != other.low for one, other in zip(plain, pooled, strict=True))
    shifted = [replace(one, low=one.low - 1, high=one.high - 1) for one in plain]
    assert with_pooled_scatter(shifted) == shifted
    many = [measurement(np.linspace(0, 1, MOST_VALUES + 1)) for _ in range(3)]
    assert with_pooled_scatter(many) == many
    others = [measurement(own, family=own[0]) for own in values]
    assert with_pooled_scatter(others) == others


def test_of_a_geometric_mean_the_logarithms_are_pooled():
    values = np.log([[2.0, 2.2, 2.1], [3.0, 3.5, 3.2]])
    plain = with_pooled_scatter([measurement(own) for own in values])
    ratios = with_pooled_scatter([measurement(own, geometric=True) for own in values])
    for one, other in zip(plain, ratios, strict=True):
        assert [other.low, other.high] == pytest.approx(np.exp([one.low, one.high]))
