"""Ratios of N* read off integer widths that are false by a stated amount."""

import numpy as np
import pandas as pd
import pytest
from false_claims import DRAWS, LEAST, MANY, NOMINAL, cells, rates

from srhm.scorecard.expectations import Below, Within
from srhm_studies.landscape.gaps.claims import RatioOfSteppedSizes

SEEDS, N_INPUTS = 3, 10
WIDTHS = np.arange(2, 40)
# Of the logarithm of N* of a data set: as pairs of the shipped rows scatter.
SCATTER = 0.1


def weights(layers):
    """N of each width, without biases."""
    return N_INPUTS * WIDTHS + (layers - 1) * WIDTHS**2 + WIDTHS


def stars(ratio, draws, *, sizes=(200,), layers=(3,)):
    """N* of both kinds, the second `ratio` times as large, between two widths.

    Where the first lies among the widths is drawn for all data sets of a table together.
    """
    stream = np.random.default_rng(6)
    for _ in range(draws):
        base, rows = 0.75 * np.exp(stream.uniform(-0.15, 0.15)), []
        for seed in range(SEEDS):
            for P in sizes:
                for factor, depths in ((1, (3,)), (ratio, layers)):
                    for depth in depths:
                        star = base * P * factor * np.exp(SCATTER * stream.standard_normal())
                        grid = weights(depth)
                        k = int(np.searchsorted(grid, star))
                        low, high = grid[k - 1], grid[k]
                        rows.append({"seed": seed, "P": P, "changed": factor != 1, "N_low": low,
                                     "N_high": high, "N_star": np.sqrt(low * high)})  # fmt: skip
        yield pd.DataFrame(rows)


STEPPED = RatioOfSteppedSizes(
    "N_star", where={"changed": True}, over={"changed": False}, on=("seed", "P"), rows=cells
)
ONE = Within(1, 0.3)
DEPTHS, SIZES = {"layers": (2, 5)}, {"sizes": (100, 200)}


@pytest.mark.parametrize(
    ("ratio", "kind", "expected"),
    [(2.0, DEPTHS, ONE), (2.0, SIZES, ONE), (3.0, {}, ONE), (2.0, SIZES, Below(1))],
)
def test_a_false_ratio_is_found_false_nine_times_of_ten(ratio, kind, expected):
    assert rates(STEPPED, stars(ratio, DRAWS, **kind), expected)["differs"] >= LEAST


@pytest.mark.parametrize(
    ("ratio", "kind", "expected"), [(1.35, DEPTHS, ONE), (0.65, SIZES, ONE), (1.2, SIZES, Below(1))]
)
def test_a_ratio_within_a_step_of_the_widths_stays_open(ratio, kind, expected):
    found = rates(STEPPED, stars(ratio, MANY, **kind), expected)
    assert found["reproduced"] <= NOMINAL
    assert found["differs"] < LEAST
