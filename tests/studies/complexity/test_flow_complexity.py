"""P* across alpha_tilde: the derived table, on invented cells of a known law."""

import numpy as np
import pandas as pd
import pytest
from complexity_tables import GRAMMARS, complexity_of, with_complexity
from tables import RELATIVE, flow_tables, joined

from srhm.results.records import read_table, write_table
from srhm.results.tables import FLOW_COMPLEXITY
from srhm.statistics.flow_complexity import COLUMNS


@pytest.fixture(scope="module")
def tables():
    return with_complexity(flow_tables(GRAMMARS))


def row_of(table, **wanted):
    chosen = table
    for name, value in wanted.items():
        chosen = chosen[np.isclose(chosen[name], value) if name == "threshold" else
                        chosen[name] == value]  # fmt: skip
    (row,) = chosen.to_dict("records")
    return row


def test_p_star_of_a_known_law_is_found_with_its_interval(tables):
    row = row_of(tables["sample_complexity"], net="cnn", s0=1, alpha_tilde=0.1,
                 criterion="test_error", threshold=0.1)  # fmt: skip
    assert row["prediction"] == 256
    assert row["P_star"] == pytest.approx(2 * 256, rel=1e-9)
    assert row["status"] == "reached"
    assert row["P_star_low"] < row["P_star"] < row["P_star_high"]
    # Two seeds at -0.1 and 0.1 of three curves of the net: n - 1 of each.
    assert row["dof"] == 3
    assert row["log_sd"] == pytest.approx(0.1 * 2**0.5, rel=1e-6)


def test_the_spread_of_one_regime_is_not_that_of_another():
    wide = flow_tables(GRAMMARS, tildes=(0.1,), spread=0.4)
    narrow = flow_tables(GRAMMARS, tildes=(10.0,), spread=0.05)
    table = complexity_of(joined(wide, narrow))
    table = table[(table["criterion"] == "test_error") & np.isclose(table["threshold"], 0.1)]
    deviations = table.groupby("alpha_tilde")["log_sd"].unique()
    assert deviations[0.1] == pytest.approx(0.4 * 2**0.5)
    assert deviations[10.0] == pytest.approx(0.05 * 2**0.5)


def test_a_p_star_that_is_not_reached_keeps_its_bound_and_counts_its_capped_cells(tables):
    row = row_of(tables["sample_complexity"], net="cnn", s0=1, alpha_tilde=1000.0,
                 criterion="test_error", threshold=0.1)  # fmt: skip
    assert row["status"] == "not_reached"
    assert row["P_star_low"] == 2 * RELATIVE[-1] * 256
    assert np.isinf(row["P_star_high"])
    assert (row["n_cells"], row["n_capped"], row["n_seeds_reached"]) == (10, 4, 0)


def test_kernels_and_sensitivities_have_p_star_of_their_own(tables):
    table = tables["sample_complexity"]
    end = row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="end_kernel", threshold=0.1)
    own = row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="test_error", threshold=0.1)
    start = row_of(
        table, net="lcn", s0=1, alpha_tilde=0.1, criterion="initial_kernel", threshold=0.1
    )
    assert end["P_star"] == own["P_star"]
    assert end["n_capped"] == 10  # of the kernel's flow, not of the network's
    assert own["n_capped"] == 0
    assert start["status"] == "not_reached"
    assert row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="S_2")["threshold"] == 0.3
    assert row_of(table, net="cnn", s0=1, alpha_tilde=0.1, criterion="D_2")["threshold"] == 0.2
    assert table[(table["criterion"] == "D_2") & (table["s0"] == 0)].empty  # nothing to displace


def test_members_of_a_seed_are_averaged_and_diverged_ones_are_counted():
    tables = flow_tables([("cnn", 1)], tildes=(0.1,))
    cells = tables["cells"]
    twice = pd.concat([cells, cells.assign(member=1, key=cells["key"] + "-1")], ignore_index=True)
    row = row_of(complexity_of({**tables, "cells": twice}), criterion="test_error",
                 threshold=0.1)  # fmt: skip
    assert row["n_cells"] == 20
    assert row["P_star"] == pytest.approx(512)
    lost = cells.assign(test_error=cells["test_error"].where(cells["P"] != cells["P"].min()))
    row = row_of(complexity_of({**tables, "cells": lost}), criterion="test_error",
                 threshold=0.1)  # fmt: skip
    assert row["n_diverged"] == 2


def test_ensembles_of_one_member_give_no_p_star():
    tables = flow_tables([("cnn", 1)], tildes=(0.1,))
    ensembles = tables["cells"].rename(columns={"test_error": "ensemble_error"})
    ensembles = ensembles[["study", "curve", "P", "alpha_tilde", "seed", "ensemble_error"]]
    alone = {**tables, "ensembles": ensembles.assign(n_members=1, n_capped=0)}
    assert "ensemble" not in set(complexity_of(alone)["criterion"])
    several = {**tables, "ensembles": ensembles.assign(n_members=3, n_capped=1)}
    row = row_of(complexity_of(several), criterion="ensemble", threshold=0.1)
    assert row["P_star"] == pytest.approx(512)
    assert row["n_capped"] == 10


def test_random_data_have_no_rows():
    tables = flow_tables([("fcn", 1)], tildes=(0.1,))
    cells = tables["cells"]
    random = cells.assign(data="random", L=np.nan, s0=np.nan)
    both = pd.concat([cells, random.assign(curve="random", key=random["key"] + "r")])
    assert set(complexity_of({**tables, "cells": both})["curve"]) == {"complexity_fcn_s01_v4-flow"}


def test_the_table_has_its_schema(tables, tmp_path):
    assert list(COLUMNS) == FLOW_COMPLEXITY.names
    write_table(tables["sample_complexity"], tmp_path / "table.parquet", FLOW_COMPLEXITY)
    again = read_table(tmp_path / "table.parquet", FLOW_COMPLEXITY)
    assert len(again) == len(tables["sample_complexity"])
