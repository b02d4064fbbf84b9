"""Signal and noise of the first step: the table, and how it scales with the grammar."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from srhm.model.sampling import SampleError
from srhm.plane.first_step.analysis import equal_points, exponent, first_step_rows
from srhm.store import records
from srhm.store.tables import FIRST_STEP

ENTRY = {"L": 2, "s": 2, "v": 3, "seeds": 2}


def test_the_table_has_a_row_for_each_net_grammar_seed_and_size(tmp_path):
    entries = [
        {**ENTRY, "net": ["lcn", "cnn"], "s0": [0, 1], "P": [20, 10]},
        {**ENTRY, "net": "lcn", "s0": 1, "P": 20, "n_c": [2], "m": [2, 3]},
    ]
    rows = pd.DataFrame(first_step_rows(entries))
    assert len(rows) == 2 * 2 * 2 * 2 + 2 * 2
    assert not rows.duplicated(["net", "L", "s", "s0", "v", "m", "n_c", "seed", "P"]).any()
    main = rows[rows["n_c"] == 3]
    assert set(main["m"]) == {3}  # v^(s-1)
    assert set(main.loc[main["s0"] == 0, "n_distinct"]) == {81.0}
    path = tmp_path / "first_step.parquet"
    records.write_table(rows, path, FIRST_STEP)
    assert len(records.read_table(path, FIRST_STEP)) == len(rows)


def test_training_sets_of_one_seed_are_nested():
    entry = {**ENTRY, "net": "lcn", "s0": 1, "seeds": 1}
    alone = next(first_step_rows([{**entry, "P": 10}]))
    among = next(first_step_rows([{**entry, "P": [10, 40]}]))
    assert alone == among


def test_too_many_points_are_refused():
    with pytest.raises(SampleError, match="P = 81"):
        list(first_step_rows([{**ENTRY, "net": "lcn", "s0": 0, "P": [81]}]))


def of_the_law(*, n_seeds=8):
    """Noise that meets signal at 1.5 (s_0+1)^L n_c m^L, for the CNN at 1.5 (s_0+1) n_c m^L."""
    random, rows = np.random.default_rng(3), []
    grammars = ((0, 8, 8), (1, 8, 8), (2, 8, 8), (1, 4, 8), (1, 2, 8), (1, 8, 2))
    for net, L, (s0, m, n_c) in product(("lcn", "cnn"), (2, 3), grammars):
        law = (s0 + 1) ** (L if net == "lcn" else 1) * n_c * m**L
        own = {"net": net, "L": L, "s": 2, "s0": s0, "v": 8, "m": m, "n_c": n_c, "signal": 0.1}
        for seed in range(n_seeds):
            equal = 1.5 * law * np.exp(0.1 * random.standard_normal())
            rows += [{**own, "seed": seed, "P": P, "n_distinct": 1e9, "noise": 0.1 * equal / P,
                      "n_equal": equal} for P in (100, 1000, 10_000, 100_000)]  # fmt: skip
    return pd.DataFrame(rows)


def test_exponents_are_those_of_the_law_within_their_intervals():
    points = equal_points(of_the_law())
    for net, of, depth, expected in (
        ("lcn", "s0+1", 2, 2), ("lcn", "s0+1", 3, 3), ("cnn", "s0+1", 3, 1), ("lcn", "m", 3, 3),
        ("lcn", "n_c", 2, 1), ("lcn", "law", None, 1),
    ):  # fmt: skip
        fit = exponent(points, net=net, of=of, depth=depth)
        assert fit.low < expected < fit.high
        assert fit.high - fit.low < 0.5
        assert fit.n == 8
    assert exponent(points, net="lcn", of="m", depth=4).n == 0
