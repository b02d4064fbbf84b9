"""The crossover on invented tables that follow the laws of the thesis or break them."""

from math import log

import numpy as np
import pandas as pd
import pytest
from tables import CROSSOVER_TILDES, CROSSOVER_WIDTHS, change_at, crossover_tables

from srhm.model.seeding import generator
from srhm.scorecard.card import scorecard
from srhm.statistics import output_scale as crossover
from srhm.studies.crossover.claims import CLAIMS


def rows_of(cells, ensembles=None):
    tables = {"cells": cells}
    if ensembles is not None:
        tables["ensembles"] = ensembles
    return scorecard(tables, CLAIMS).set_index("claim")


@pytest.fixture(scope="module")
def tables():
    return crossover_tables()


# What enters


def test_families_are_cells_that_differ_in_width_scale_seed_and_member_only(tables):
    cells, ensembles = tables
    relu = crossover_tables(nets=("cnn",), activation="relu")
    more = cells.assign(P=512, curve=cells["curve"] + "-512").query("net == 'cnn'")
    others = cells.assign(study="jamming")
    found = crossover.families(
        pd.concat([others, cells, relu[0], more]),
        pd.concat([ensembles, relu[1]]),
        study="crossover",
    )
    assert [(f.net, f.activation, f.P) for f in found] == [
        ("cnn", "softplus", 256), ("cnn", "softplus", 512), ("cnn", "relu", 256),
        ("fcn", "softplus", 256),
    ]  # fmt: skip
    assert found[0].widths == list(CROSSOVER_WIDTHS)
    assert found[0].tildes == list(CROSSOVER_TILDES)
    assert set(found[2].ensembles["curve"]) == {f"cnn-relu-{h}" for h in CROSSOVER_WIDTHS}
    assert found[1].ensembles.empty
    assert crossover.families(others, study="crossover") == []


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


def test_the_level_set_is_where_the_change_crosses_it(tables):
    (cnn, _) = crossover.families(*tables, study="crossover")
    for level, expected in ((0.1, 100.0), (1.0, 10.0), (10.0, 10 * 10 ** (-3 / 4))):
        found = crossover.level_set(cnn.cells, level)
        assert found["width"].tolist() == list(CROSSOVER_WIDTHS)
        assert found["alpha_tilde"].to_numpy() == pytest.approx(expected, rel=0.05)
    assert crossover.level_set(cnn.cells, 1e9).empty


def test_the_jamming_line_is_between_the_widths_where_most_begin_to_fit(tables):
    (cnn, _) = crossover.families(*tables, study="crossover")
    found = crossover.jamming_line(cnn.cells)
    assert found["alpha_tilde"].tolist() == list(CROSSOVER_TILDES)
    assert set(found["h_low"]) == {4.0}
    assert set(found["h_high"]) == {8.0}
    assert found["h_star"].to_numpy() == pytest.approx(32**0.5)
    # A few unsatisfied points are not jamming.
    few = cnn.cells.assign(n_unsatisfied=np.minimum(cnn.cells["n_unsatisfied"], 2))
    assert crossover.jamming_line(few).empty


def test_the_spread_of_half_times_has_an_interval_from_the_members(tables):
    (cnn, _) = crossover.families(*tables, study="crossover")
    rows = crossover.scaled_half_times(cnn.cells)
    assert set(rows["width"]) == set(CROSSOVER_WIDTHS) - {4}  # those that fit
    assert rows["alpha_tilde"].max() == 1e-2
    value, low, high = crossover.spread_of_half_times(rows, generator(0, role="drawing"))
    assert 1 < low <= value <= high < 1.1
    doubled = rows.assign(scaled=rows["scaled"] * np.where(rows["width"] == 8, 2, 1))
    assert crossover.spread_of_half_times(doubled, generator(0, role="drawing"))[1] > 1.5
    one = rows[(rows["width"] == 8) & (rows["alpha_tilde"] == 1e-2)]
    assert np.isnan(crossover.spread_of_half_times(one, generator(0, role="drawing"))[0])


def test_pairs_of_which_some_members_fitted_are_told_apart(tables):
    (cnn, _) = crossover.families(*tables, study="crossover")
    cells = cnn.cells.copy()
    at = cells.index[(cells["width"] == 8) & (cells["alpha_tilde"] == 1e-3)]
    cells.loc[at[0], "status"] = "capped"
    whole = crossover.wholly_fitted(cells)
    assert len(whole) == 4 * (4 * 7 - 1)
    assert not ((whole["width"] == 8) & (whole["alpha_tilde"] == 1e-3)).any()


def test_half_times_of_a_selection_are_in_the_note_alone(tables):
    cells, ensembles = tables
    cells = cells.copy()
    own = (cells["net"] == "cnn") & (cells["width"] == 8)
    cells.loc[own, "half_time"] *= 3
    cells.loc[own & (cells["member"] == 0), "status"] = "capped"
    row = rows_of(cells, ensembles).loc["half-time-cnn"]
    assert row["verdict"] == "reproduced"
    assert "with 2 pairs of which some members fitted" in row["note"]
    assert float(row["note"].split(" with 2 pairs")[0].rsplit(" ", 1)[1]) > 2.5


# Claims


def test_all_claims_hold_where_the_laws_do(tables):
    rows = rows_of(*tables)
    assert set(rows["verdict"]) == {"reproduced"}
    assert rows.loc["lazy-slope-cnn", "value"] == pytest.approx(-1, abs=0.02)
    assert rows.loc["feature-slope-fcn", "value"] == pytest.approx(-4 / 3, abs=0.02)


@pytest.mark.parametrize(
    ("claim", "broken"),
    [
        ("lazy-slope-cnn", {"change": lambda t, h: change_at(t, h, lazy=-0.5)}),
        ("feature-slope-cnn", {"change": lambda t, h: change_at(t, h, feature=-1.0)}),
        ("half-time-fcn", {"half": lambda t, h: 18 * t * (h / 40) ** 0.5}),
        ("half-time-cnn", {"half": lambda t, h: 18 * t**1.3}),
        ("variance-lazy", {"h_power": 0.2}),
        ("variance-feature", {"h_power": 0.2}),
    ],
)
def test_a_claim_does_not_hold_where_its_law_is_broken(claim, broken):
    rows = rows_of(*crossover_tables(**broken))
    assert rows.loc[claim, "verdict"] == "differs"


def test_members_that_did_not_fit_are_left_out_and_counted(tables):
    cells, ensembles = tables
    wild = cells.assign(
        kernel_change=cells["kernel_change"].where(cells["status"] == "fitted", 1e12)
    )
    rows = rows_of(wild, ensembles)
    assert rows.loc["lazy-slope-cnn", "verdict"] == "reproduced"
    assert "left out: 8 capped networks" in rows.loc["lazy-slope-cnn", "note"]
    lost = cells.assign(status="capped")
    rows = rows_of(lost, ensembles.assign(n_capped=1))
    assert "reproduced" not in set(rows["verdict"])
    assert rows.loc["lazy-slope-cnn", "verdict"] == "inconclusive"


def test_relu_does_not_enter_the_slopes(tables):
    cells, ensembles = tables
    relu = crossover_tables(activation="relu", change=lambda t, h: change_at(t, h, lazy=-0.5))
    rows = rows_of(pd.concat([cells, relu[0]]), pd.concat([ensembles, relu[1]]))
    assert rows.loc["lazy-slope-cnn", "verdict"] == "reproduced"


@pytest.mark.parametrize("study", ["complexity", None])
def test_without_the_study_there_is_not_enough_data(tables, study):
    given = {} if study is None else {"cells": tables[0].assign(study=study)}
    rows = scorecard(given, CLAIMS)
    assert set(rows["verdict"]) == {"inconclusive"}


def test_cells_without_ensembles_give_the_other_claims(tables):
    rows = rows_of(tables[0])
    assert rows.loc["lazy-slope-cnn", "verdict"] == "reproduced"
    assert rows.loc["variance-lazy", "verdict"] == "inconclusive"
