"""Intervals by clusters: closed forms, and how often they cover on invented grammars."""

from itertools import product
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from srhm.results.records import read_table
from srhm.results.tables import schema_of
from srhm.scorecard.curves import curves as curves_of
from srhm.scorecard.estimators import Mean, Part, Slope
from srhm.scorecard.rows import counted, rows_of
from srhm.statistics.cluster_robust import clustered_error
from srhm.statistics.exponents_of_grammars import complexities
from srhm.statistics.regression import SeedNoise, mean, slope_with_group_intercepts
from srhm.studies.sparse_hierarchy.study import STUDY

# v of the curves of `grid` that enter fits at s = 2, by net and L, with the s_0 of each.
GRID = {
    ("lcn", 2): {3: (1, 2, 3), 4: (1, 2, 3, 4), 5: (1, 2, 3, 4), 6: (1, 2, 3, 4), 7: (1, 2, 3, 4),
                 8: (1, 2, 3, 4), 9: (1, 2, 4), 10: (1, 2, 3, 4)},
    ("lcn", 3): dict.fromkeys((3, 4, 5, 6, 7, 8, 10), (0, 1, 2)),
    ("cnn", 2): {3: (1, 2, 4, 6), 4: (1, 2, 4, 6), 5: (1, 2, 4), 6: (1, 2, 4), 7: (1, 2, 4),
                 8: (1, 2, 4), 9: (1, 2, 4), 10: (1, 2), 12: (1,)},
    ("cnn", 3): {4: (0, 1, 2, 4), 5: (0, 1, 2), 6: (0, 1, 2, 4), 7: (0, 1, 2), 8: (0, 1, 2, 4),
                 10: (0, 1, 2), 12: (1,)},
}  # fmt: skip
# Those with sparsity B; curves that reach no P* are absent.
GRID_B = {
    ("lcn", 2): {v: (1, 2) if v == 7 else (1, 2, 4) for v in range(3, 11)},
    ("lcn", 3): {3: (1, 2), 4: (1, 2), 5: (1,), 6: (1, 2), 7: (1,)},
    ("cnn", 2): dict.fromkeys(range(3, 11), (1, 2, 4)),
    ("cnn", 3): {5: (1, 2), 6: (1, 2, 4), 7: (1,)},
}
# Points of the paper at s = 2 that its practice is compared with, of each v.
POINTS = {3: 4, 4: 14, 6: 11, 8: 10, 10: 8, 12: 1}


def table_of(grid):
    """A row for each curve of a grid."""
    rows = [(net, L, v, s0) for (net, L), own in grid.items() for v in own for s0 in own[v]]
    return pd.DataFrame(rows, columns=["net", "L", "v", "s0"])


CURVES, CURVES_B = table_of(GRID), table_of(GRID_B)
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


def of(net, L, curves=CURVES):
    return curves[(curves["net"] == net) & (curves["L"] == L)].reset_index(drop=True)


def of_b(net):
    """Curves of a net with sparsity B, whose law has an intercept for each rate: that of L."""
    return CURVES_B[CURVES_B["net"] == net].reset_index(drop=True)


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
    **{f"the law, {net}, B": (of_b(net), law, ["L"]) for net in ("lcn", "cnn")},
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


# Above by chance alone once in a thousand.
MOST = stats.binom.ppf(1 - 1e-3, TESTED, 0.98)


@pytest.mark.parametrize("case", CASES)
def test_intervals_by_clusters_cover_90_to_98_of_100(case):
    assert 0.90 * TESTED <= covered(case, "clusters") <= MOST


@pytest.mark.parametrize("case", ["v, lcn, L = 2", "v, lcn, L = 3", "v, cnn, L = 2", "the law",
                                  "ratios"])  # fmt: skip
def test_intervals_of_seeds_taken_as_independent_cover_too_seldom(case):
    assert covered(case, "seeds") < stats.binom.ppf(1e-3, TESTED, 0.95)


def parts(part, *, shared):
    """How many intervals hold a part of POINTS, where those of one vocabulary are all alike."""
    vocabulary = np.repeat(list(POINTS), list(POINTS.values()))
    own = np.unique(vocabulary, return_inverse=True)[1]
    estimator = Part("inside", rows=cells, shared=shared)
    count = 0
    for alike in np.random.default_rng(3).random((TESTED, len(POINTS))) < part:
        rows = pd.DataFrame({"s": 2, "v": vocabulary, "inside": alike[own]})
        found = shown(estimator, rows)
        count += found.low <= part <= found.high
    return count


@pytest.mark.parametrize("part", [0.5, 0.95])
def test_intervals_of_a_part_of_points_that_share_rules_cover_90_to_98_of_100(part):
    assert 0.90 * TESTED <= parts(part, shared=True) <= MOST
    assert parts(part, shared=False) < stats.binom.ppf(1e-3, TESTED, 0.95)


def test_the_invented_grammars_are_those_of_the_shipped_curves():
    file = Path(__file__).parents[1] / "published/grid/sparse_hierarchy/cells.parquet"
    cells = read_table(file, schema_of(STUDY.schemas[file.stem]))
    tables = {"sample_complexity": complexities(cells, thresholds=[0.1])}
    for sparsity, invented in (("A", CURVES), ("B", CURVES_B)):
        rows = counted(curves_of.given(sparsity=sparsity)(tables))[0]
        own = rows[(rows["s"] == 2) & rows["net"].isin(["lcn", "cnn"])]
        shipped, ours = (set(map(tuple, one[list(CURVES)].to_numpy())) for one in (own, invented))
        assert shipped == ours


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
