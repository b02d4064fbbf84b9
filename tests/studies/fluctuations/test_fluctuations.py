"""Fits of the study on points of known laws."""

import numpy as np
import pandas as pd
import pytest

from srhm_studies.landscape.fluctuations import analysis


@pytest.mark.parametrize(("slope", "star"), [(-2.0, 90.0), (-1.0, 100.0), (-0.5, 60.0)])
def test_the_divergence_is_found_with_its_place(slope, star):
    N = pd.Series([110, 136, 170, 230, 300, 400, 690])
    found, at = analysis.divergence(N, 3 * (N / star - 1) ** slope)
    assert found == pytest.approx(slope, rel=0.03)
    assert at == pytest.approx(star, rel=0.03)


def test_coefficients_and_exponents_of_synthetic_data():
    N = pd.Series(np.geomspace(200, 4e4, 8))
    found = analysis.coefficients(N, 0.054 + 6.4 * N**-0.5 - 49 * N**-0.75, (0.0, -0.5, -0.75))
    np.testing.assert_allclose(found, [0.054, 6.4, -49], rtol=1e-6)
    assert np.isnan(analysis.coefficients(N[:3], N[:3], (0.0, -0.5, -0.75))).all()
    assert analysis.exponent(N, 3 * N**-0.25) == pytest.approx(-0.25)
    assert np.isnan(analysis.exponent(N, -N))


def test_a_line_without_a_zero_is_the_longest():
    rows = pd.DataFrame({"width": 4, "seed": 0, "ratio": [1.0, 2.0, 3.0, np.nan, np.nan]})
    (row,) = analysis.quartiles(rows).to_dict("records")
    assert (row["low"], row["middle"], row["high"], row["n"]) == (2.0, 3.0, np.inf, 5)
