"""Correlations and slopes over invented networks that are false by a stated amount.

As many networks as the shipped rows have: nine, of which five are deep.
"""

import numpy as np
import pandas as pd
import pytest
from false_claims import DRAWS, LEAST, MANY, NOMINAL, cells, rates

from srhm.scorecard.expectations import Below, Within
from srhm.studies.relative_stability import analysis, claims
from srhm.studies.relative_stability.claims import LogCorrelation, MeanCorrelation, _SlopeOfErrors

NETWORKS, DEEP = 9, 5


@pytest.fixture(autouse=True)
def fewer_resamples(monkeypatch):
    """A tenth: ends of intervals move by a hundredth of their width, and tests take seconds."""
    for module in (analysis, claims):
        monkeypatch.setattr(module, "N_RESAMPLES", 2000)


def logs(n, draws, **columns):
    """exp of each column: its correlation with a log test error of deviation 1, D and R alike."""
    stream = np.random.default_rng(4)
    for _ in range(draws):
        error = stream.standard_normal(n)
        found = {
            name: rho * error + (1 - rho**2) ** 0.5 * stream.standard_normal(n)
            for name, rho in columns.items()
        }
        yield pd.DataFrame({"test_error": np.exp(error)} | {k: np.exp(x) for k, x in found.items()})


def lines(n, draws, *, slope, noise):
    """log of the error: slope times log R of deviation 1, and noise of this deviation."""
    stream = np.random.default_rng(4)
    for _ in range(draws):
        x, y = stream.standard_normal((2, n))
        yield pd.DataFrame({"R": np.exp(x), "test_error": np.exp(slope * x + noise * y)})


def correlations(n, draws, *, centre, scatter):
    """rho of each network: tanh of normal numbers about that of `centre`."""
    stream = np.random.default_rng(4)
    for _ in range(draws):
        z = np.arctanh(centre) + scatter * stream.standard_normal(n)
        yield pd.DataFrame({"rho": np.tanh(z)})


OF_R = LogCorrelation("R", rows=cells)
LESS = LogCorrelation("D", less="R", rows=cells)
MONOTONE = MeanCorrelation("rho", rows=cells)
SLOPE = _SlopeOfErrors("test_error", against="R", rows=cells)

FALSE = {
    "correlation of -0.8, not 0.97": (
        OF_R, lambda draws: logs(NETWORKS, draws, R=-0.8), Within(0.97, 0.25)),
    "correlation of 0, not 0.97": (
        OF_R, lambda draws: logs(NETWORKS, draws, R=0.0), Within(0.97, 0.25)),
    "D_f correlates by 1.75 more, not less": (
        LESS, lambda draws: logs(NETWORKS, draws, D=0.95, R=-0.8), Below(0)),
    "mean correlation with depth of -0.25, not below -0.8": (
        MONOTONE, lambda draws: correlations(DEEP, draws, centre=-0.3, scatter=0.5), Below(-0.8)),
    "slope of 0, not 0.5, with the scatter of clothes": (
        SLOPE, lambda draws: lines(NETWORKS, draws, slope=0.0, noise=0.1), Within(0.5, 0.25)),
}  # fmt: skip


@pytest.mark.parametrize("kind", FALSE)
def test_a_false_claim_is_found_false_nine_times_of_ten(kind):
    estimator, tables, expected = FALSE[kind]
    assert rates(estimator, tables(DRAWS), expected)["differs"] >= LEAST


# False by less than nine networks always tell: from 9 % to 75 % of these differ.
UNDECIDED = {
    "correlation of 0.5, not 0.97": (
        OF_R, lambda draws: logs(NETWORKS, draws, R=0.5), Within(0.97, 0.25)),
    "D_f correlates by 0.1 more, not less": (
        LESS, lambda draws: logs(NETWORKS, draws, D=0.8, R=0.7), Below(0)),
    "mean correlation with depth of -0.62, not below -0.8": (
        MONOTONE, lambda draws: correlations(DEEP, draws, centre=-0.7, scatter=0.5), Below(-0.8)),
    "slope of 0, not 0.5, with the scatter of digits": (
        SLOPE, lambda draws: lines(NETWORKS, draws, slope=0.0, noise=0.65), Within(0.5, 0.25)),
    "slope of 0.24, not 0.5": (
        SLOPE, lambda draws: lines(NETWORKS, draws, slope=0.24, noise=0.2), Within(0.5, 0.25)),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNDECIDED)
def test_a_false_claim_that_few_networks_cannot_decide_is_seldom_reproduced(kind):
    estimator, tables, expected = UNDECIDED[kind]
    found = rates(estimator, tables(MANY), expected)
    assert found["reproduced"] <= NOMINAL
    assert found["differs"] < LEAST


# What a bootstrap of so few rows does not keep: at 1000 draws 8 % and 17 %.
TOO_OFTEN = {
    "correlation of 0.7, where 0.72 is allowed": (
        OF_R, lambda draws: logs(NETWORKS, draws, R=0.7), Within(0.97, 0.25)),
    "mean correlation of -0.73, of networks far apart": (
        MONOTONE, lambda draws: correlations(DEEP, draws, centre=-0.9, scatter=1.0), Below(-0.8)),
}  # fmt: skip


@pytest.mark.xfail(strict=True, reason="a bootstrap over five or nine rows has short intervals")
@pytest.mark.parametrize("kind", TOO_OFTEN)
def test_a_claim_that_is_false_by_little_is_found_true_no_more_often_than_nominal(kind):
    estimator, tables, expected = TOO_OFTEN[kind]
    assert rates(estimator, tables(MANY), expected)["reproduced"] <= NOMINAL
