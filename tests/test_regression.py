"""Coefficients whose answer is known, with the errors of scatter, clusters and curves."""

import numpy as np
import pytest
from scipy import stats

from srhm.statistics.regression import (
    FLOOR,
    clustered_error,
    coefficient,
    mean,
    slope_with_group_intercepts,
)

# Two values by different floating-point routes; no statistics in it.
EXACT = 1e-12


def slope(x, y, groups, **errors):
    return slope_with_group_intercepts(
        np.array(x, float), np.array(y, float), np.array(groups), **errors
    )


def test_slope_of_exact_lines_with_an_intercept_each():
    fit = slope([0, 1, 2, 5, 6], [1, 3, 5, -3, -1], [0, 0, 0, 1, 1])
    assert fit.slope == pytest.approx(2, rel=EXACT)
    assert (fit.n, fit.n_groups, fit.error_from) == (5, 2, "scatter")


def test_without_clusters_the_error_is_that_of_the_scatter():
    x = np.arange(8.0)
    y = x + np.array([1, -1, -1, 1, 1, -1, -1, 1])
    fit, expected = slope(x, y, np.zeros(8)), stats.linregress(x, y)
    assert (fit.slope, fit.standard_error) == pytest.approx((expected.slope, expected.stderr))
    assert fit.dof == 6


def test_a_second_column_takes_up_what_depends_on_it():
    x, v = np.tile([0.0, 1.0, 2.0], 4), np.repeat([0.0, 1.0, 2.0, 4.0], 3)
    y = 3 * x - 0.5 * x * v + 7 * v
    columns = np.stack([x, x * (v - 4)], axis=1)
    assert slope(columns, y, v).slope == pytest.approx(1)  # 3 - 0.5 * 4, at v = 4
    line = np.stack([np.ones(12), v - 4], axis=1)
    assert coefficient(line, 2 + 0.3 * v).slope == pytest.approx(3.2)


def test_grammars_of_a_curve_share_an_error_which_more_of_them_do_not_average_out():
    rng = np.random.default_rng(0)
    y, grammar = rng.standard_normal(60), np.arange(60)
    alone = mean(y, clusters=grammar)
    shared = mean(y, clusters=grammar, curves=np.repeat([0, 1, 2], 20))
    assert shared.standard_error**2 == pytest.approx(alone.standard_error**2 + FLOOR**2 / 3)
    assert shared.dof > alone.dof  # the added variance is known
    twice = mean(y, clusters=grammar, curves=np.repeat([0, 1, 2], 20), read=2.0)
    assert twice.standard_error**2 == pytest.approx(alone.standard_error**2 + 4 * FLOOR**2 / 3)


def test_a_mean_of_clusters_of_one_point_has_students_t():
    y = np.array([1.0, 2.0, 4.0, 9.0])
    fit = mean(y, clusters=np.arange(4))
    assert fit.standard_error == pytest.approx(stats.sem(y))
    assert (fit.dof, fit.n_clusters, fit.error_from) == (pytest.approx(3), 4, "clusters")


def test_a_line_for_each_cluster_has_the_scatter_of_the_lines():
    # Equal designs: the slope is the mean of the lines' own, its error that of this mean.
    slopes = np.array([1.0, 1.5, 2.6, 2.1])
    x = np.tile([0.0, 1.0, 3.0], 4)
    cluster = np.repeat(np.arange(4), 3)
    y = slopes[cluster] * x + 7.0 * cluster
    fit = slope_with_group_intercepts(x, y, cluster, clusters=cluster)
    assert fit.slope == pytest.approx(slopes.mean())
    assert fit.standard_error == pytest.approx(stats.sem(slopes))
    assert fit.dof == pytest.approx(3)


def test_without_a_residual_there_is_no_error():
    error, dof = clustered_error(np.ones(3), np.eye(3), np.ones(3), np.arange(3))
    assert np.isnan(error)
    assert dof == 0
