"""Spearman's rank correlation: its value, its interval, and what chance does."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from srhm.model.seeding import generator
from srhm.statistics.rank_correlation import mean_rank_correlation, rank_correlation

REPETITIONS = 150


def drawn(seed=0):
    return generator(seed, role="drawing")


def test_the_value_is_spearmans():
    random = np.random.default_rng(1)
    x = random.integers(0, 6, size=40).astype(float)  # with ties
    y = x + random.normal(size=40)
    found = rank_correlation(x, y, generator=drawn(), n_resamples=50)
    assert found.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert (found.n, found.n_groups) == (40, 40)


def test_chance_is_counted_over_the_permutations():
    x = np.arange(5.0)
    y = np.array([0.0, 1.0, 3.0, 2.0, 4.0])
    found = rank_correlation(x, y, generator=drawn(), n_resamples=4000)
    as_large = [
        stats.spearmanr(x, order).statistic >= found.value - 1e-12 for order in permutations(y)
    ]
    assert found.p_value == pytest.approx(np.mean(as_large), abs=0.01)


def test_the_interval_covers():
    # Of a binormal with correlation r Spearman's coefficient is 6 / pi arcsin(r / 2). With 95 % of
    # 150 intervals expected, fewer than 130 come in less than 1 of 1000 tests.
    r, n = 0.7, 40
    truth = 6 / np.pi * np.arcsin(r / 2)
    random, covered = np.random.default_rng(3), 0
    for seed in range(REPETITIONS):
        x = random.normal(size=n)
        y = r * x + np.sqrt(1 - r**2) * random.normal(size=n)
        found = rank_correlation(x, y, generator=drawn(seed), n_resamples=300)
        covered += found.low <= truth <= found.high
    assert covered >= 130


def test_points_of_one_group_are_resampled_together():
    # Six networks whose points agree: 60 points know no more than six.
    random = np.random.default_rng(4)
    centres = random.normal(size=(2, 6))
    x, y = np.repeat(centres, 10, axis=1) + 1e-3 * random.normal(size=(2, 60))
    groups = np.repeat(np.arange(6), 10)
    alone = rank_correlation(x, y, generator=drawn())
    grouped = rank_correlation(x, y, groups, generator=drawn())
    assert grouped.value == alone.value
    assert (grouped.n, grouped.n_groups) == (60, 6)
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)


def test_the_mean_over_columns_draws_whole_points():
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 8, 3))
    x[0, 1] = np.nan
    found = mean_rank_correlation(x, y, generator=drawn())
    columns = [stats.spearmanr(*(z[1 if j == 1 else 0 :, j] for z in (x, y))) for j in range(3)]
    assert found.value == pytest.approx(np.mean([one.statistic for one in columns]), abs=1e-12)
    assert (found.n, found.n_groups) == (8, 8)
    # The same column three times is known no better than once.
    once, thrice = (
        mean_rank_correlation(
            np.repeat(x[:, :1], times, axis=1), np.repeat(y[:, :1], times, axis=1),
            generator=drawn(),
        )
        for times in (1, 3)
    )  # fmt: skip
    assert [once.value, once.low, once.high] == pytest.approx(
        [thrice.value, thrice.low, thrice.high]
    )
    alone = rank_correlation(x[:, 0].clip(-9), y[:, 0], generator=drawn())
    assert [alone.value, alone.low, alone.high] == pytest.approx([once.value, once.low, once.high])
