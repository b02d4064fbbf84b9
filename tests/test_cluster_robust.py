"""Intervals by clusters: closed forms, and how often they cover on invented grammars."""

from itertools import product
from math import nan

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from srhm.scorecard.estimators import Mean, Slope
from srhm.scorecard.rows import rows_of
from srhm.statistics.cluster_robust import clustered_error
from srhm.statistics.regression import SeedNoise, mean, slope_with_group_intercepts

# v of the curves of `grid` at s = 2, by net and L, with the s_0 of each.
GRID = {
    ("lcn", 2): {3: (1, 2, 3), 4: (1, 2, 3, 4), 5: (1, 2, 3), 6: (1, 2, 3, 4), 7: (3,),
                 8: (1, 2, 3, 4), 10: (1, 2, 3, 4)},
    ("lcn", 3): {3: (1, 2), 4: (0, 1, 2), 5: (1,), 6: (0, 1, 2), 7: (1,), 8: (0, 1, 2),
                 10: (0, 1, 2)},
    ("cnn", 2): {3: (1, 2, 4, 6), 4: (1, 2, 4, 6), 6: (1, 2, 4), 8: (1, 2, 4), 10: (1, 2),
                 12: (1,)},
    ("cnn", 3): {4: (0, 1, 2, 4), 6: (0, 1, 2, 4), 8: (0, 1, 2, 4), 10: (0, 1, 2), 12: (1,)},
}  # fmt: skip
CURVES = pd.DataFrame(
    [(net, L, v, s0) for (net, L), own in GRID.items() for v in own for s0 in own[v]],
    columns=["net", "L", "v", "s0"],
)
SEEDS = 4
# Standard deviations of a seed's log P*: what a vocabulary adds to it at all L, what it adds at
# one, and a curve's own.
OF_ALL_L, OF_ONE_L, OWN = 0.13, 0.13, 0.06
TESTED = 400


def drawn(curves, rng):
    """log P* of each seed less the law, shape (TESTED, n_curves, SEEDS): grammars, and noise."""
    found = OWN * rng.standard_normal((TESTED, len(curves), SEEDS))
    for by, size in ((["v"], OF_ALL_L), (["L", "v"], OF_ONE_L)):
        number = curves.groupby(by).ngroup().to_numpy()
        found += size * rng.standard_normal((TESTED, number.max() + 1, SEEDS))[:, number]
    return found


def law(curves):
    """Logarithm of Eq. 3 (LCN) and Eq. 4 (CNN)."""
    power = np.where(curves["net"] == "lcn", curves["L"], 2)
    return power * np.log1p(curves["s0"]) + (curves["L"] + 1) * np.log(curves["v"])


def of(net, L):
    return CURVES[(CURVES["net"] == net) & (CURVES["L"] == L)].reset_index(drop=True)


def ratios():
    """Pairs of both nets at L = 2, by the curves of the LCN."""
    return of("lcn", 2).merge(of("cnn", 2)[["v", "s0"]], on=["v", "s0"])


CASES = {
    **{f"s_0+1, {net}, L = {L}": (of(net, L), lambda c: np.log1p(c["s0"]), ["v"])
       for net, L in product(("lcn", "cnn"), (2, 3))},
    **{f"v, {net}, L = {L}": (of(net, L), lambda c: np.log(c["v"]), ["s0"])
       for net, L in product(("lcn", "cnn"), (2, 3))},
    "the law": (CURVES, law, ["net"]),
    "ratios": (ratios(), None, []),
}  # fmt: skip


def covered(case, error):
    """How many of TESTED 95 % intervals hold the number of the law, 0."""
    curves, coordinate, within = CASES[case]
    rng = np.random.default_rng(3)
    groups = curves.groupby(within).ngroup().to_numpy() if within else np.zeros(len(curves))
    x = None if coordinate is None else np.asarray(coordinate(curves), float)
    vocabulary = curves["v"].to_numpy() if error == "clusters" else None
    count = 0
    for seeds in drawn(curves, rng):
        y = seeds.mean(axis=1)
        pooled = np.sqrt(seeds.var(axis=1, ddof=1).mean() / SEEDS)
        dof = float((SEEDS - 1) * len(curves))
        noise = SeedNoise(standard_error=np.full(len(y), pooled), dof=np.full(len(y), dof),
                          source=np.zeros(len(y)))  # fmt: skip
        fit = (mean(y, [noise], clusters=vocabulary) if x is None else
               slope_with_group_intercepts(x, y, groups, [noise], clusters=vocabulary))  # fmt: skip
        count += fit.low < 0 < fit.high
    return count


@pytest.mark.parametrize("case", CASES)
def test_intervals_by_clusters_cover_90_to_98_of_100(case):
    # Above by chance alone once in a thousand.
    most = stats.binom.ppf(1 - 1e-3, TESTED, 0.98)
    assert 0.90 * TESTED <= covered(case, "clusters") <= most


@pytest.mark.parametrize("case", ["v, lcn, L = 2", "v, lcn, L = 3", "v, cnn, L = 2", "the law",
                                  "ratios"])  # fmt: skip
def test_intervals_of_seeds_taken_as_independent_cover_too_seldom(case):
    assert covered(case, "seeds") < stats.binom.ppf(1e-3, TESTED, 0.95)


def test_a_mean_of_clusters_of_one_point_has_students_t():
    y = np.array([1.0, 2.0, 4.0, 9.0])
    fit = mean(y, [], clusters=np.arange(4))
    assert fit.standard_error == pytest.approx(stats.sem(y))
    assert (fit.dof, fit.n_clusters, fit.error_from) == (pytest.approx(3), 4, "clusters")


def test_points_that_are_repeated_say_nothing_more():
    y = np.array([1.0, 2.0, 4.0, 9.0])
    once = mean(y, [], clusters=np.arange(4))
    thrice = mean(np.repeat(y, 3), [], clusters=np.repeat(np.arange(4), 3))
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert thrice.n == 12


def test_a_line_for_each_cluster_has_the_scatter_of_the_lines():
    # Equal designs: the slope is the mean of the lines' own, its error that of this mean.
    slopes = np.array([1.0, 1.5, 2.6, 2.1])
    x = np.tile([0.0, 1.0, 3.0], 4)
    cluster = np.repeat(np.arange(4), 3)
    y = slopes[cluster] * x + 7.0 * cluster
    fit = slope_with_group_intercepts(x, y, cluster, [], clusters=cluster)
    assert fit.slope == pytest.approx(slopes.mean())
    assert fit.standard_error == pytest.approx(stats.sem(slopes))
    assert fit.dof == pytest.approx(3)


def test_without_a_residual_there_is_no_error():
    error, dof = clustered_error(np.ones(3), np.eye(3), np.ones(3), np.arange(3))
    assert np.isnan(error)
    assert dof == 0


@rows_of("cells", nothing="no rows")
def cells(table):
    """The table as it is."""
    return table


def shown(estimator, table):
    return estimator({"cells": table})


def test_the_note_counts_vocabularies_and_two_are_not_enough():
    rows = pd.DataFrame({"s": 2, "v": [4, 4, 6, 6, 8, 8], "s0": [0, 1] * 3})
    rows = rows.assign(P_star=np.exp([0, 1.0, 2, 3.1, 3, 4.3]), places=rows["s0"] + 1.0)
    one = Slope("P_star", against="places", logs="y", within=("v",), rows=cells, error="clusters")
    found = shown(one, rows)
    assert "error from 3 vocabularies (2 degrees of freedom)" in found.note
    assert found.value == pytest.approx(np.mean([1, 1.1, 1.3]))
    two = rows[rows["v"] < 8]
    assert "no estimate of the error" in shown(one, two).note
    known = two.assign(log_se=0.1, dof=9, log_sd_source="pool")
    assert "error from the seeds (9 degrees of freedom)" in shown(one, known).note
    average = Mean("P_star", scale="log", rows=cells, error="clusters")
    assert "error from 3 vocabularies" in shown(average, rows).note


def test_an_unknown_value_enters_no_mean_of_clusters():
    rows = pd.DataFrame({"v": [4, 6, 8, 10], "P_star": [1.0, 2.0, 3.0, nan]})
    found = shown(Mean("P_star", rows=cells, error="clusters"), rows)
    assert (found.value, found.n) == (2, 3)
    assert "3 vocabularies" in found.note
