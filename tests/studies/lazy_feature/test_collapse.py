"""Errors against alpha_tilde and alpha: what collapses."""

import numpy as np
import pandas as pd

from srhm_studies.regimes.lazy_feature.analysis import collapse


def test_a_function_of_alpha_tilde_collapses_and_one_of_alpha_does_not():
    def measured(law):
        rows = [
            {"width": h, "alpha_tilde": 10.0**k, "status": "fitted", "test_error": law(k, h)}
            for h in (1, 100)  # alpha differs by a decade of the grid
            for k in range(-3, 4)
        ]
        return collapse(pd.DataFrame(rows), np.random.default_rng(0), n_resamples=10)

    assert measured(lambda k, h: k**3)[0] == 0
    with np.errstate(divide="ignore"):
        # Each curve is rescaled by its own ends, which the grid cuts at other alphas.
        value, _, _, n = measured(lambda k, h: np.tanh(3 * (k - np.log10(h) / 2)))
    assert value > 10
    assert n == 14
