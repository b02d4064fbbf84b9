"""Estimators of claims: closed forms, and laws that are simulated, true ones and false ones."""

from functools import partial
from math import exp

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from srhm.scorecard.claims import NOT_MEASURED
from srhm.scorecard.estimators import (
    Correlation,
    Difference,
    Fraction,
    Jackknife,
    Mean,
    Range,
    Ratio,
    Slope,
)
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_in

cells = rows_in("cells", nothing="no rows")


def measured(estimator, rows):
    return estimator(rows=cells)({"cells": pd.DataFrame(rows)})


def interval(values):
    """Mean and 95 % Student t interval."""
    centre, error = np.mean(values), stats.sem(values)
    return centre, *stats.t.interval(0.95, len(values) - 1, centre, error)


def numbers(found):
    return found.value, found.low, found.high


def noise(n=60, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def test_a_mean_has_the_interval_of_students_t():
    values = np.array([1.0, 2.0, 4.0, 9.0])
    rows = {"y": values}
    assert numbers(measured(partial(Mean, "y"), rows)) == pytest.approx(interval(values))
    logs = interval(np.log(values))
    assert numbers(measured(partial(Mean, "y", scale="log"), rows)) == pytest.approx(logs)
    ratio = measured(partial(Mean, "y", scale="ratio"), rows)
    assert numbers(ratio) == pytest.approx([exp(one) for one in logs])


def test_points_that_are_not_independent_are_averaged_first():
    rows = {"y": [1.0, 3.0, 5.0, 7.0, 6.0], "seed": [0, 0, 1, 1, 2]}
    found = measured(partial(Mean, "y", per=("seed",)), rows)
    assert numbers(found) == pytest.approx(interval([2.0, 6.0, 6.0]))
    assert found.note.startswith("3 means of 5 rows")


def test_rows_that_do_not_count_are_left_out_and_counted():
    table = pd.DataFrame({"y": [1.0, 2.0, 3.0, 90.0], "kind": "a"})
    table = left_out(table, {"of ninety": table["y"] == 90})
    found = measured(partial(Mean, "y", where={"kind": ("a", "b")}, what="points"), table)
    assert (found.value, found.n) == (2, 3)
    assert found.note.startswith("3 points; ")
    assert found.note.endswith("; left out: 1 of ninety")
    none = measured(partial(Mean, "y", where={"kind": "c"}), table)
    assert none.n == 0
    assert none.note == "no rows"
    assert Mean("y", rows=cells)({}) is NOT_MEASURED


def pairs(factor, n=20):
    upper = np.exp(0.1 * noise(n, 1))
    return pd.concat([
        pd.DataFrame({"kind": "a", "P": range(n), "N": factor * upper}),
        pd.DataFrame({"kind": "b", "P": range(n), "N": 1.0}),
        pd.DataFrame({"kind": "b", "P": [n], "N": 5.0}),  # without a partner
    ])  # fmt: skip


RATIO = partial(Ratio, "N", where={"kind": "a"}, over={"kind": "b"}, on=("P",))


def test_a_ratio_is_that_of_pairs():
    expected = interval(np.log(3) + 0.1 * noise(20, 1))
    assert numbers(measured(RATIO, pairs(3.0))) == pytest.approx([exp(one) for one in expected])
    logs = measured(partial(RATIO, scale="log"), pairs(3.0))
    assert numbers(logs) == pytest.approx(expected)
    assert logs.n == 20


def lines(slope, scatter=0.1, n=30):
    x = np.tile(np.arange(1.0, n / 2 + 1), 2)
    group = np.repeat([0, 1], n // 2)
    y = np.exp(3.0 * group) * x**slope * np.exp(scatter * noise(n, 2))
    return pd.DataFrame({"x": x, "y": y, "g": group})


def test_a_slope_is_that_of_least_squares():
    rows = lines(0.5)
    one = rows[rows["g"] == 0]
    line = stats.linregress(np.log(one["x"]), np.log(one["y"]))
    half = stats.t.ppf(0.975, len(one) - 2) * line.stderr
    found = measured(partial(Slope, "y", against="x"), one)
    expected = (line.slope, line.slope - half, line.slope + half)
    assert numbers(found) == pytest.approx(expected)
    for logs, x, y in (("none", one["x"], one["y"]), ("x", np.log(one["x"]), one["y"]),
                       ("y", one["x"], np.log(one["y"]))):  # fmt: skip
        plain = measured(partial(Slope, "y", against="x", logs=logs), one)
        assert plain.value == pytest.approx(stats.linregress(x, y).slope)


def test_slopes_of_data_sets_are_averaged():
    seeds = [lines(slope).assign(seed=slope) for slope in (0.4, 0.5, 0.9)]
    per = partial(Slope, "y", against="x", within=("g",), per=("seed",))
    alone = [measured(partial(Slope, "y", against="x", within=("g",)), one) for one in seeds]
    found = measured(per, pd.concat(seeds))
    assert numbers(found) == pytest.approx(interval([one.value for one in alone]))
    assert found.note.startswith("3 slopes of 90 rows")
    assert numbers(measured(per, seeds[0])) == pytest.approx(numbers(alone[0]))


def test_a_part_has_the_exact_interval():
    for count, n in ((0, 99), (3, 20), (30, 30)):
        found = measured(partial(Fraction, "is_true"), {"is_true": np.arange(n) < count})
        exact = stats.binomtest(count, n).proportion_ci(0.95)
        assert numbers(found) == pytest.approx((count / n, exact.low, exact.high))
        assert found.note.startswith(f"{count} of {n} rows")
    # Rows of one grammar count together: four of five grammars of four rows each.
    shared = {"is_true": [True] * 16 + [False] * 4, "s": [2] * 20, "v": [n // 4 for n in range(20)]}
    found = measured(partial(Fraction, "is_true", shared=True), shared)
    exact = stats.binomtest(4, 5).proportion_ci(0.95)
    assert numbers(found) == pytest.approx((0.8, exact.low, exact.high))
    assert "error from 5 grammars" in found.note


def test_a_rank_correlation_is_spearmans():
    rows = {"x": noise(seed=3), "y": noise(seed=3) + noise(seed=4), "g": np.arange(60) // 3}
    for groups in ((), ("g",)):
        found = measured(partial(Correlation, "y", against="x", groups=groups), rows)
        assert found.value == pytest.approx(stats.spearmanr(rows["x"], rows["y"])[0])
        assert found.low < found.value < found.high


def test_a_jackknife_of_a_mean_is_students_t():
    rows = pd.DataFrame({"y": noise(12), "seed": range(12)})
    found = measured(partial(Jackknife, lambda table: table["y"].mean()), rows)
    assert numbers(found) == pytest.approx(interval(rows["y"]))
    assert found.n == 12


def test_a_difference_is_of_pairs_that_agree():
    rows = {
        "kind": ["new"] * 3 + ["old"] * 3, "seed": [0, 1, 2, 2, 1, 0],
        "y": [1.0, 2.0, 5.0, 4.5, 1.0, 0.5],
    }  # fmt: skip
    apart = partial(Difference, "y", where={"kind": "new"}, over={"kind": "old"}, on=("seed",))
    assert numbers(measured(apart, rows)) == pytest.approx(interval([0.5, 1.0, 0.5]))
    other = partial(Difference, "y", where={"kind": "new"}, over={"kind": "none"}, on=("seed",))
    assert measured(other, rows).note == "no rows"


def test_a_range_is_of_all_numbers():
    rows = {"y": [0.1, 0.4, 0.25]}
    assert numbers(measured(partial(Range, "y"), rows)) == pytest.approx((0.25, 0.1, 0.4))
    largest = partial(Range, "y", largest=True)
    assert numbers(measured(largest, rows)) == pytest.approx((0.4, 0.1, 0.4))


def test_a_mean_of_bounds_has_no_interval():
    rows = {"y": [1.0, 2.0, 3.0], "lower bounds": [False, True, False]}
    found = measured(partial(Mean, "y", open="lower bounds"), rows)
    assert found.value == pytest.approx(2)
    assert np.isnan([found.low, found.high]).all()
    assert "1 lower bounds" in found.note
    known = measured(partial(Mean, "y", open="lower bounds"), {**rows, "lower bounds": [False] * 3})
    assert np.isfinite([known.low, known.high]).all()
