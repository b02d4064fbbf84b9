"""Signal and noise of the first step: the table, and how it scales with the grammar."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tables import first_step_table

from srhm.model.sampling import SampleError
from srhm.results import records
from srhm.results.tables import FIRST_STEP
from srhm.studies.first_step.configuration import FirstStepSection, plan
from srhm.studies.first_step.scaling import equal_points, exponent, over_seeds
from srhm.studies.first_step.table import first_step_rows
from srhm.study import ConfigError

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


def test_a_grammar_of_two_entries_is_measured_once():
    entry = {**ENTRY, "net": "lcn", "s0": 0, "P": [10]}
    assert len(list(first_step_rows([entry, {**entry, "P": [10, 20]}]))) == 2 * 2


def test_training_sets_of_one_seed_are_nested():
    entry = {**ENTRY, "net": "lcn", "s0": 1, "seeds": 1}
    alone = next(first_step_rows([{**entry, "P": 10}]))
    among = next(first_step_rows([{**entry, "P": [10, 40]}]))
    assert alone == among


def test_too_many_points_are_refused():
    with pytest.raises(SampleError, match="P = 81"):
        list(first_step_rows([{**ENTRY, "net": "lcn", "s0": 0, "P": [81]}]))


def test_planning_refuses_what_the_grammar_has_not():
    for entry, message in (
        ({"v": 3, "s0": 0, "P": [40]}, r"grammars.1: P = 40"),
        ({"v": 3, "s0": 0, "P": [10], "m": [4]}, r"grammars.1: m = 4"),
    ):
        good = {"net": "lcn", "L": 2, "v": 3, "s0": 0, "P": [31]}
        section = FirstStepSection(grammars=[good, {"net": "lcn", "L": 2, **entry}])
        with pytest.raises(ConfigError, match=message):
            plan(section, Path())


def test_exponents_are_those_of_the_law_within_their_intervals():
    points = equal_points(first_step_table())
    for net, of, depth, expected in (
        ("lcn", "s0+1", 2, 2), ("lcn", "s0+1", 3, 3), ("cnn", "s0+1", 3, 1), ("lcn", "m", 3, 3),
        ("lcn", "n_c", 2, 1), ("lcn", "law", None, 1),
    ):  # fmt: skip
        fit = exponent(points, net=net, of=of, depth=depth)
        assert fit.low < expected < fit.high
        assert fit.high - fit.low < 0.5
        assert fit.n == 8
    assert exponent(points, net="lcn", of="m", depth=4).n == 0


def test_without_scatter_the_points_are_the_law():
    points = equal_points(first_step_table(scatter=0.0))
    means = over_seeds(points[points["net"] == "lcn"])
    np.testing.assert_allclose(means["n_equal"], 1.5 * means["law"])
    np.testing.assert_allclose(means["low"], means["high"])


def test_a_seed_that_lacks_a_grammar_does_not_enter_the_exponent():
    points = equal_points(first_step_table())
    gone = (points["seed"] == 0) & (points["s0"] == 2)
    assert exponent(points[~gone], net="lcn", of="s0+1", depth=2).n == 7
