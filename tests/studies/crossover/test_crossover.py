"""From feature to lazy learning: averages, level sets, the jamming line, half times."""

from itertools import product
from math import log

import numpy as np
import pandas as pd
import pytest

from srhm.model.seeding import generator
from srhm.statistics import regimes as crossover

WIDTHS, TILDES = (4, 8, 20, 40, 160), tuple(10.0**k for k in range(-3, 4))


@pytest.fixture(scope="module")
def cells():
    """Kernel changes of slopes -1 and -4/3 beside alpha_tilde = 10; h = 4 is jammed."""
    random, rows = np.random.default_rng(1), []
    for width, tilde, member in product(WIDTHS, TILDES, range(4)):
        jitter, jammed = np.exp(0.02 * random.standard_normal(2)), width < 6
        rows.append(
            {"width": width, "alpha_tilde": tilde, "P": 256, "seed": 0, "member": member,
             "loss": "soft_hinge", "n_weights": 4 * width**2, "mean_loss": 0.1 * jammed,
             "n_unsatisfied": 2 * width**2 * jammed, "status": "capped" if jammed else "fitted",
             "half_time": 18 * tilde / (1 + tilde) * jitter[0],
             "kernel_change": (tilde / 10) ** (-1 if tilde >= 10 else -4 / 3) * jitter[1]}
        )  # fmt: skip
    return pd.DataFrame(rows)


def test_averages_leave_out_what_is_not_a_number_and_count_it():
    rows = pd.DataFrame(
        {"alpha_tilde": [1.0, 1.0, 1.0, 2.0], "x": [1.0, 100.0, np.nan, 5.0],
         "status": ["fitted", "capped", "diverged", "fitted"]}
    )  # fmt: skip
    found = crossover.averages(rows, "x", by="alpha_tilde", logarithmic=True).set_index(
        "alpha_tilde"
    )
    assert found.loc[1.0, "value"] == pytest.approx(10)
    assert found.loc[1.0, ["n", "n_capped", "n_diverged"]].tolist() == [2, 1, 1]
    # Student's t with one degree of freedom: 12.706 standard errors of the mean of 0 and log 100.
    assert log(found.loc[1.0, "high"] / 10) == pytest.approx(12.706 * log(10), rel=1e-3)
    assert np.isnan(found.loc[2.0, "high"])


def test_the_level_set_is_where_the_change_crosses_it(cells):
    for level, expected in ((0.1, 100.0), (1.0, 10.0), (10.0, 10 * 10 ** (-3 / 4))):
        found = crossover.level_set(cells, level)
        assert found["width"].tolist() == list(WIDTHS)
        assert found["alpha_tilde"].to_numpy() == pytest.approx(expected, rel=0.05)
    assert crossover.level_set(cells, 1e9).empty


def test_the_jamming_line_is_between_the_widths_where_most_begin_to_fit(cells):
    found = crossover.jamming_line(cells)
    assert found["alpha_tilde"].tolist() == list(TILDES)
    assert set(found["h_low"]) == {4.0}
    assert set(found["h_high"]) == {8.0}
    assert found["h_star"].to_numpy() == pytest.approx(32**0.5)
    # A few unsatisfied points are not jamming.
    few = cells.assign(n_unsatisfied=np.minimum(cells["n_unsatisfied"], 2))
    assert crossover.jamming_line(few).empty


def test_the_spread_of_half_times_has_an_interval_from_the_members(cells):
    rows = crossover.scaled_half_times(cells)
    assert set(rows["width"]) == set(WIDTHS) - {4}  # those that fit
    assert rows["alpha_tilde"].max() == 1e-2
    value, low, high = crossover.spread_of_half_times(rows, generator(0, role="drawing"))
    assert 1 < low <= value <= high < 1.1
    doubled = rows.assign(scaled=rows["scaled"] * np.where(rows["width"] == 8, 2, 1))
    assert crossover.spread_of_half_times(doubled, generator(0, role="drawing"))[1] > 1.5
    one = rows[(rows["width"] == 8) & (rows["alpha_tilde"] == 1e-2)]
    assert np.isnan(crossover.spread_of_half_times(one, generator(0, role="drawing"))[0])
