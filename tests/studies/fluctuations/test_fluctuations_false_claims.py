"""Places of a peak on a grid of widths that are false by a stated amount."""

from math import log, nan

import numpy as np
import pandas as pd
import pytest
from false_claims import DRAWS, LEAST, MANY, NOMINAL, cells, rates

from srhm.scorecard.expectations import Factor
from srhm_studies.landscape.fluctuations.claims import Top

WIDTHS = np.array([3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128])
WEIGHTS = 11.0 * WIDTHS + 2 * WIDTHS**2
# Of the logarithm of a seed's peak: those of the shipped rows all lie at one width.
SCATTER = 0.05


def peaks(factor, seeds, draws):
    """Peaks at the widths nearest to `factor` times an N* that is drawn between the widths."""
    stream = np.random.default_rng(7)
    logs = np.log(WEIGHTS)
    for _ in range(draws):
        star = stream.uniform(log(105), log(400))
        k = int(np.searchsorted(logs, star))
        bracket = logs[k - 1], logs[k]
        places = star + log(factor) + SCATTER * stream.standard_normal(seeds)
        at = np.abs(logs - places[:, None]).argmin(axis=1)
        steps = np.concatenate([[nan], np.diff(logs), [nan]]) / 2
        yield pd.DataFrame({
            "N": WEIGHTS[at], "over_star": np.exp(logs[at] - np.mean(bracket)), "bracket": "x",
            "below": steps[at] + np.ptp(bracket) / 2, "above": steps[at + 1] + np.ptp(bracket) / 2,
        })  # fmt: skip


TOP = Top("over_star", scale="log", rows=cells)
NEAR = Factor(1, within=2)


@pytest.mark.parametrize(("factor", "seeds"), [(6, 4), (5, 8), (0.4, 4), (0.4, 8), (3, 4), (3, 8)])
def test_a_peak_far_from_jamming_is_found_so_nine_times_of_ten(factor, seeds):
    assert rates(TOP, peaks(factor, seeds, DRAWS), NEAR)["differs"] >= LEAST


@pytest.mark.parametrize("seeds", [4, 8])
def test_a_peak_hardly_beyond_what_is_allowed_is_not_found_right(seeds):
    found = rates(TOP, peaks(2.3, seeds, MANY), NEAR)
    assert found["reproduced"] <= NOMINAL
    assert found["differs"] < LEAST
