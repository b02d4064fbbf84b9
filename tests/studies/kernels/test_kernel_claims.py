"""Claims on invented tables: every one that has an expectation can hold, and can fail."""

import pandas as pd
import pytest
from assertions import WITHIN
from tables import curve, published_cells

from srhm.scorecard.card import scorecard
from srhm.studies.kernels.claims import CLAIMS
from srhm.studies.kernels.exponents import exponents
from srhm.studies.kernels.networks import networks as networks_of


def scored(cells, spectra, found=None, networks=None):
    found = pd.DataFrame(exponents(cells, spectra)) if found is None else found
    tables = {"cells": cells, "spectra": spectra, "exponents": found}
    if networks is not None:
        tables["networks"] = networks
    return scorecard(tables, CLAIMS).set_index("claim")


@pytest.fixture(scope="module")
def fitted(cells, spectra):
    return pd.DataFrame(exponents(cells, spectra))


@pytest.fixture(scope="module")
def card(cells, spectra, fitted, networks):
    return scored(cells, spectra, fitted, networks)


def test_all_claims_hold_on_tables_made_by_the_laws(card):
    held = card["verdict"].isin(WITHIN)
    assert held.all(), card[~held]


def test_values_are_those_of_the_laws(card):
    value = card["value"]
    assert value["kernel-sphere-gauss-2"] == pytest.approx(3)
    assert value["kernel-matern-5"] == pytest.approx(4)
    assert value["kernel-theta-1"] == pytest.approx(2)
    assert value["kernel-digits-pca"] == pytest.approx(0, abs=1e-9)


def test_no_power_law_holds_where_the_errors_fall_with_a_root_of_p(cells, spectra):
    wrong = cells.copy()
    for name, value in (
        ("mse", 0.2), ("expected_mse", 0.2), ("error", 0.2), ("distance", 0.02),
    ):  # fmt: skip
        wrong[name] = wrong["P"] ** -value * (1 + 0.05 * wrong["seed"])
    # The Laplace kernel alone differs, so that differences of kernels, tasks, widths do not vanish.
    odd = (wrong["kernel"] == "laplace") & (wrong["sigma"] == 1) & (wrong["method"] == "regression")
    for name in ("mse", "error"):
        wrong.loc[odd, name] = wrong.loc[odd, "P"] ** -0.9
    flat = spectra.assign(
        eigenvalue=1 / (1 + 3 * spectra["key"].str.contains("-512-")), tail=spectra["tail"] ** 4
    )
    found = scored(wrong, flat)
    failed = found[found["expected"].notna()]
    failed = failed.drop(["kernel-sphere-laplace-5"], errors="ignore")
    still = failed[failed["verdict"].isin(WITHIN)].index
    # d = 5 has this exponent, and widths of teachers differ in nothing but a factor.
    assert set(still) <= {"kernel-sigma"}


def test_widths_that_differ_in_the_exponent_do_not_hold(cells, spectra, fitted):
    wide = (fitted["experiment"] == "teacher_student") & (fitted["sigma"] == 10)
    wrong = fitted.assign(exponent=fitted["exponent"] - 0.3 * wide)
    assert scored(cells, spectra, wrong).loc["kernel-sigma", "verdict"] == "differs"


def test_of_several_presets_the_p_star_of_most_seeds_counts(tmp_path):
    curves, files = [curve(net, 2, 4, 1) for net in ("cnn", "fcn")], []
    for preset, size, n_seeds in (("grid", 700.0, 3), ("paper", 800.0, 10)):
        file = tmp_path / preset / "sparse_hierarchy" / "cells.parquet"
        file.parent.mkdir(parents=True)
        published_cells(curves, P_star=size, n_seeds=n_seeds).to_parquet(file)
        files.append(str(file))
    found = networks_of(published=files, threshold=0.1)
    assert found[["net", "origin"]].to_numpy().tolist() == [["cnn", "paper/sparse_hierarchy"]]
    assert found["P_star"].tolist() == pytest.approx([800.0])
    assert networks_of(published=[], threshold=0.1).empty
