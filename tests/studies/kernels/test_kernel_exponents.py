"""Exponents, stretching and crossings on curves whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from srhm.results.records import read_table, write_table
from srhm.studies.kernels.exponents import (
    CROSSINGS,
    EXPONENTS,
    crossings,
    exponents,
    power_law,
    pseudo_values,
    stretching,
)
from srhm.studies.kernels.tables import FAMILY

SIZES = np.array([64.0, 128, 256, 512, 1024])


def test_a_power_law_and_a_stretched_exponential_are_found():
    assert power_law(SIZES, 3 * SIZES**-0.7) == pytest.approx(0.7)
    assert stretching(SIZES, 5 * np.exp(-2 * SIZES**0.4)) == pytest.approx(0.4, abs=1e-3)


def test_pseudo_values_are_those_of_curves_without_one_run_each():
    rng = np.random.default_rng(0)
    runs = SIZES[:, None] ** -0.5 * np.exp(0.2 * rng.standard_normal((5, 3)))
    found = pseudo_values(SIZES, runs, power_law)
    whole = power_law(SIZES, runs.mean(axis=1))
    for i in range(3):
        left = power_law(SIZES, np.delete(runs, i, axis=1).mean(axis=1))
        assert found[i] == pytest.approx(3 * whole - 2 * left)
    assert pseudo_values(SIZES, runs[:, :1], power_law)[0] == power_law(SIZES, runs[:, 0])


def test_the_jackknife_knows_the_error_of_an_exponent():
    """Its standard error over many sets of runs is that of their exponents."""
    rng = np.random.default_rng(1)
    found, errors = [], []
    for _ in range(300):
        runs = SIZES[:, None] ** -0.5 * np.exp(0.3 * rng.standard_normal((5, 8)))
        values = pseudo_values(SIZES, runs, power_law)
        found.append(values.mean())
        errors.append(values.std(ddof=1) / 8**0.5)
    assert np.mean(errors) == pytest.approx(np.std(found), rel=0.15)


@pytest.fixture(scope="module")
def table(cells, spectra):
    return pd.DataFrame(exponents(cells, spectra))


def test_exponents_of_invented_curves_are_those_they_were_made_with(table):
    last = table[table["window"] == "last decade"]
    own = last[(last["experiment"] == "teacher_student") & (last["quantity"] == "expected_mse")]
    gauss = own[(own["teacher"] == "gauss") & (own["kernel"] == "laplace") & (own["d"] == 2)]
    np.testing.assert_allclose(gauss["exponent"], 3)
    assert set(gauss["n_from"]) == {128}  # a tenth of 1024, rounded up to a size that is there
    assert len(gauss) == 12  # on spheres, in cubes, on lattices
    digits = last[last["experiment"] == "digits"]
    np.testing.assert_allclose(digits["exponent"], 0.4)
    assert "mse" not in set(digits.loc[digits["method"] == "svm", "quantity"])
    stretched = table[table["quantity"] == "stretching"]
    assert set(stretched["kernel"]) == {"gauss"}
    np.testing.assert_allclose(stretched["exponent"], 1 / 3, atol=1e-3)


def test_windows_from_the_start_end_at_every_size_with_three_before(table):
    own = table[(table["window"] == "from the start") & (table["experiment"] == "neighbours")]
    assert set(own["n_to"]) == {256, 512, 1024}
    assert set(own["n_from"]) == {64}


def test_spectra_have_an_exponent_for_each_draw_and_size(table):
    own = table[(table["experiment"] == "spectrum") & (table["d"] == 3)]
    assert set(own["window"]) == {"ranks", "fixed ranks"}
    values = own[(own["quantity"] == "eigenvalue") & (own["window"] == "ranks")]
    np.testing.assert_allclose(values["exponent"], 4 / 3)
    np.testing.assert_allclose(own.loc[own["quantity"] == "tail", "exponent"], 1 / 3)
    assert len(values) == 2 * 4
    assert set(values.loc[values["P"] == 1024, "n_to"]) == {102}
    fixed = own[own["window"] == "fixed ranks"]
    assert fixed["n_from"].min() >= 10
    assert fixed["n_to"].max() <= 100


def test_cells_that_are_not_done_enter_no_curve(cells, spectra):
    broken = cells.copy()
    wrong = (broken["experiment"] == "neighbours") & (broken["seed"] == 0) & (broken["P"] == 128)
    broken.loc[wrong, ["status", "distance"]] = ["not positive", np.nan]
    found = pd.DataFrame(exponents(broken[broken["experiment"] == "neighbours"], spectra))
    # The run that lacks a P would bend the mean: it is left out as a whole.
    assert set(found["seed"]) == {1, 2, 3}


def test_crossings_are_where_the_error_falls_below_the_threshold(cells):
    found = pd.DataFrame(crossings(cells, 0.1)).set_index(["kernel", "s0", "seed"])
    assert found.loc[("laplace", 0, 0), "status"] == "reached"
    assert 256 < found.loc[("laplace", 0, 0), "P_star"] < 512
    assert found.loc[("gauss", 2, 0), "status"] == "not_reached"
    assert found.loc[("gauss", 2, 0), "bound_low"] == 1024
    assert np.isnan(found.loc[("gauss", 2, 0), "P_star"])


def test_both_tables_fit_their_schemas(cells, spectra, tmp_path):
    for name, rows, schema in (
        ("exponents", exponents(cells, spectra), EXPONENTS),
        ("crossings", crossings(cells, 0.1), CROSSINGS),
    ):
        file = tmp_path / f"{name}.parquet"
        write_table(list(rows), file, schema)
        kept = read_table(file, schema)
        assert len(kept)
        assert list(kept.columns[: len(FAMILY)]) == list(FAMILY)


def test_a_run_without_errors_is_part_of_the_mean(cells, spectra):
    own = cells[(cells["experiment"] == "digits") & (cells["method"] == "svm")].copy()
    own.loc[(own["seed"] == 0) & (own["P"] == 1024), "error"] = 0.0
    found = pd.DataFrame(exponents(own, spectra))
    errors = found[(found["quantity"] == "error") & (found["window"] == "last decade")]
    assert set(errors["seed"]) == {0, 1, 2, 3}
    assert (errors.groupby(["kernel", "sigma"])["exponent"].mean() > 0.4).all()
    none = own.assign(error=own["error"].where(own["P"] < 1024, 0.0))
    assert not len(pd.DataFrame(exponents(none, spectra)))
