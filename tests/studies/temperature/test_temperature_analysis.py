"""P* against T, its limit and the exponents, on invented curves of known laws."""

from math import exp, log, sqrt

import numpy as np
import pytest
from temperature_tables import (
    FEWER_SYNONYMS,
    GRAMMARS,
    cells_of,
    eq,
    line,
    lines_of_families,
    tables_of,
)

from srhm_studies.learning_curves.temperature.analysis import (
    TEXT,
    ratio_of,
    table_ratio,
    table_ratio_of_one,
)

# Of log P*: between two P, a factor 1.26 apart, the error is convex, and the P* of a line through
# both is too large by up to this.
INTERPOLATED = 0.04


def rooted(cell, ratio):
    """log P* linear in the root of T."""
    return 2 * eq(cell) * exp(-2 * sqrt(ratio))


def row_of(table, **wanted):
    for name, value in wanted.items():
        same = np.isclose(table[name], value) if isinstance(value, float) else table[name] == value
        table = table[same]
    (row,) = table.to_dict("records")
    return row


def test_the_ratio_counts_the_points_of_a_step_and_the_momentum():
    text = {"learning_rate": 0.01, "batch": "shuffled", "batch_size": 4, "n_c": 8, "momentum": 0.9}
    assert ratio_of(text) == pytest.approx(0.025)
    assert ratio_of({**text, "momentum": 0.0, "learning_rate": 0.1}) == pytest.approx(0.025)
    assert ratio_of({**text, "batch": "balanced"}) == pytest.approx(0.025 / 8)
    assert pytest.approx(0.025) == TEXT


def test_the_table_of_rates_lowers_the_ratio_of_the_cnn_at_s0_4():
    family = {"net": "cnn", "L": 2, "s": 2, "s0": 4, "v": 6, "m": 6, "n_c": 6}
    assert table_ratio(family) == pytest.approx(0.03 / (24 * 0.1))
    assert table_ratio_of_one(family) == pytest.approx(0.1 / (24 * 0.1))
    assert table_ratio({**family, "s0": 2}) == table_ratio_of_one(family)


def test_the_linear_extrapolation_finds_the_limit_of_a_linear_law_and_lies_below_the_other():
    found = row_of(tables_of(cells_of(line()))["limits"])
    limit = 2 * eq({"net": "cnn", **GRAMMARS[0]})
    assert log(found["P_linear"]) == pytest.approx(log(limit), abs=INTERPOLATED)
    assert found["P_linear"] < found["P_limit"] < found["P_root"]
    assert found["P_limit_low"] < found["P_linear"]
    assert found["P_limit_high"] > found["P_root"]
    assert found["n_ratios"] == 4
    assert found["n_seeds"] == 4
    assert np.isnan(found["P_full"])


def test_the_other_extrapolation_finds_the_limit_of_a_law_of_the_root():
    found = row_of(tables_of(cells_of(line(rooted)))["limits"])
    limit = 2 * eq({"net": "cnn", **GRAMMARS[0]})
    assert log(found["P_root"]) == pytest.approx(log(limit), abs=2 * INTERPOLATED)
    assert found["P_limit_low"] < limit < found["P_limit_high"]


@pytest.mark.parametrize(("net", "expected"), [("cnn", 2.0), ("lcn", 2.0)])
def test_the_exponents_of_a_law_of_one_ratio_are_those_of_the_law(net, expected):
    cells = lines_of_families(nets=[net], grammars=(*GRAMMARS, *FEWER_SYNONYMS))
    table = tables_of(cells)["exponents"]
    for at in ("ratio", "limit"):
        for of in ("s0+1", "m"):
            own = table[(table["of"] == of) & (table["at"] == at)]
            assert len(own) == (4 if at == "ratio" else 1)
            assert own["value"].tolist() == pytest.approx([expected] * len(own), abs=0.05)
            assert ((own["low"] <= own["value"]) & (own["value"] <= own["high"])).all()
    constant = row_of(table, of="constant", at="limit")
    first = 2 * (2 if net == "lcn" else 1)
    assert constant["value"] == pytest.approx(first, rel=0.15)
    assert constant["low"] <= first <= constant["high"]
    assert set(table["expected"].dropna()) >= {2.0}


def test_the_table_of_rates_raises_the_exponent_of_a_law_that_falls_with_the_ratio():
    table = tables_of(lines_of_families())["exponents"]
    one, all_rates = (row_of(table, at=at)["value"] for at in ("one rate", "table"))
    effect = row_of(table, at="effect")
    assert one == pytest.approx(2, abs=0.05)
    assert all_rates - one == pytest.approx(effect["value"], abs=1e-9)
    measured = np.log([0.0025, 0.0075, 0.025, 0.075])
    slopes = []
    for v in (6, 8):  # by hand: -10 T, linear in log T between the measured ratios
        there = np.interp(
            np.log([0.1 / (0.4 * v), 0.03 / (0.4 * v)]), measured, -10 * np.exp(measured)
        )
        slopes.append(np.polyfit(np.log([2, 3, 5]), [0, 0, there[1] - there[0]], 1)[0])
    assert effect["value"] == pytest.approx(np.mean(slopes), abs=INTERPOLATED)
    assert effect["low"] > 0
