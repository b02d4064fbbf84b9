"""Lazy and feature learning in invented tables that follow the laws of the thesis or break them."""

from math import log

import numpy as np
import pandas as pd
import pytest

from srhm.model.seeding import generator
from srhm.scorecard import scorecard
from srhm.studies.crossover import analysis as crossover
from srhm.studies.crossover.claims import CROSSOVER_CLAIMS

WIDTHS = (4, 8, 20, 40, 160)
TILDES = tuple(10.0**k for k in range(-3, 4))
CROSSING = 10.0


def change_at(tilde, width, *, lazy=-1.0, feature=-4 / 3, of_width=0.0):
    """Kernel change: 1 at alpha_tilde = 10, with a slope on either side."""
    slope = lazy if tilde >= CROSSING else feature
    return (tilde / CROSSING) ** slope * (width / 40) ** of_width


def invented(
    *, nets=("cnn", "fcn"), widths=WIDTHS, tildes=TILDES, n_members=4, activation="softplus",
    change=change_at, half=lambda tilde, width: 18 * tilde / (1 + tilde), h_power=-1.0,
    jammed_below=6, noise=0.02, gain=0.02,
):  # fmt: skip
    """Tables of cells and of ensembles."""
    random = np.random.default_rng(1)
    cells, together = [], []
    for net in nets:
        for width in widths:
            curve = f"{net}-{activation}-{width}"
            n_weights = 4 * width**2
            jammed = width < jammed_below
            for tilde in tildes:
                errors = (
                    0.35 + 0.02 * np.log10(tilde) / 3 + noise * random.standard_normal(n_members)
                )
                for member in range(n_members):
                    jitter = np.exp(noise * random.standard_normal(2))
                    cells.append(
                        {"study": "crossover", "curve": curve, "key": f"{curve}-{tilde}-{member}",
                         "data": "srhm", "net": net, "L": 2, "s": 2, "s0": 1, "v": 4, "m": 4,
                         "n_c": 4, "sparsity": "A", "n_inputs": 64, "hidden_layers": 2,
                         "width": width, "n_parameters": n_weights, "n_weights": n_weights,
                         "alpha": tilde / width**0.5, "alpha_tilde": tilde, "P": 256, "seed": 0,
                         "member": member, "n_test": 1000, "labels": "parity",
                         "loss": "soft_hinge", "activation": activation,
                         "parametrisation": "ntk", "bias": False,
                         "initialisation": "gaussian", "subtract_initial": True,
                         "squared_norm": None, "training": "end_to_end", "optimiser": "flow",
                         "settings": "{}", "weight_decay": 0.0, "budget": 5000,
                         "status": "capped" if jammed else "fitted", "evaluations": 1000,
                         "time": 10.0, "half_time": half(tilde, width) * jitter[0],
                         "mean_loss": 0.1 if jammed else 0.01,
                         "n_unsatisfied": n_weights // 2 if jammed else 0,
                         "test_error": errors[member],
                         "kernel_change": change(tilde, width) * jitter[1]}
                    )  # fmt: skip
                together.append(
                    {"study": "crossover", "curve": curve, "width": width, "P": 256,
                     "alpha_tilde": tilde, "seed": 0, "n_members": n_members,
                     "mean_error": errors.mean(), "error_se": errors.std() / 2,
                     "ensemble_error": errors.mean() - gain,
                     "variance": 30 * width**h_power * np.exp(noise * random.standard_normal()),
                     "test_norm": 1.0, "n_capped": n_members * jammed, "n_diverged": 0}
                )  # fmt: skip
    return pd.DataFrame(cells), pd.DataFrame(together)


def kernels_of(cells, *, gain=0.2):
    """Kernels whose first eigenvector has a tenth of each target before training, more after."""
    rows = []
    for _, cell in cells[cells["width"] == 40].iterrows():
        own = gain if cell["alpha_tilde"] < 1 else 0.0
        for when, first in (("initial", 0.1), ("end", 0.1 + own + 1e-3 * cell["member"])):
            for target in ("labels", "level2"):
                for rank, value in ((1, first), (11, 1 - first)):
                    rows.append({"curve": cell["curve"], "key": cell["key"], "when": when,
                                 "quantity": "projection", "target": target, "rank": rank,
                                 "value": value})  # fmt: skip
    return pd.DataFrame(rows)


def rows_of(cells, ensembles=None, kernels=None):
    tables = {"plane_cells": cells}
    if kernels is not None:
        tables["plane_kernels"] = kernels
    if ensembles is not None:
        tables["plane_ensembles"] = ensembles
    return scorecard(tables, claims=CROSSOVER_CLAIMS).set_index("claim")


@pytest.fixture(scope="module")
def tables():
    return invented()


# What enters


def test_families_are_cells_that_differ_in_width_scale_seed_and_member_only(tables):
    cells, ensembles = tables
    relu = invented(nets=("cnn",), activation="relu")
    more = cells.assign(P=512, curve=cells["curve"] + "-512").query("net == 'cnn'")
    others = cells.assign(study="jamming")
    found = crossover.families(
        pd.concat([others, cells, relu[0], more]), pd.concat([ensembles, relu[1]])
    )
    assert [(f.net, f.activation, f.P) for f in found] == [
        ("cnn", "softplus", 256), ("cnn", "softplus", 512), ("cnn", "relu", 256),
        ("fcn", "softplus", 256),
    ]  # fmt: skip
    assert found[0].widths == list(WIDTHS)
    assert found[0].tildes == list(TILDES)
    assert set(found[2].ensembles["curve"]) == {f"cnn-relu-{h}" for h in WIDTHS}
    assert found[1].ensembles.empty
    assert crossover.families(others) == []


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
    (cnn, _) = crossover.families(*tables)
    for level, expected in ((0.1, 100.0), (1.0, 10.0), (10.0, 10 * 10 ** (-3 / 4))):
        found = crossover.level_set(cnn.cells, level)
        assert found["width"].tolist() == list(WIDTHS)
        assert found["alpha_tilde"].to_numpy() == pytest.approx(expected, rel=0.05)
    assert crossover.level_set(cnn.cells, 1e9).empty


def test_the_jamming_line_is_between_the_widths_where_most_begin_to_fit(tables):
    (cnn, _) = crossover.families(*tables)
    found = crossover.jamming_line(cnn.cells)
    assert found["alpha_tilde"].tolist() == list(TILDES)
    assert set(found["h_low"]) == {4.0}
    assert set(found["h_high"]) == {8.0}
    assert found["h_star"].to_numpy() == pytest.approx(32**0.5)
    # A few unsatisfied points are not jamming.
    few = cnn.cells.assign(n_unsatisfied=np.minimum(cnn.cells["n_unsatisfied"], 2))
    assert crossover.jamming_line(few).empty


def test_the_spread_of_half_times_has_an_interval_from_the_members(tables):
    (cnn, _) = crossover.families(*tables)
    rows = crossover.scaled_half_times(cnn.cells)
    assert set(rows["width"]) == set(WIDTHS) - {4}  # those that fit
    assert rows["alpha_tilde"].max() == 1e-2
    value, low, high = crossover.spread_of_half_times(rows, generator(0, role="drawing"))
    assert 1 < low <= value <= high < 1.1
    doubled = rows.assign(scaled=rows["scaled"] * np.where(rows["width"] == 8, 2, 1))
    assert crossover.spread_of_half_times(doubled, generator(0, role="drawing"))[1] > 1.5
    one = rows[(rows["width"] == 8) & (rows["alpha_tilde"] == 1e-2)]
    assert np.isnan(crossover.spread_of_half_times(one, generator(0, role="drawing"))[0])


def test_pairs_of_which_some_members_fitted_are_told_apart(tables):
    (cnn, _) = crossover.families(*tables)
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
    row = rows_of(cells, ensembles).loc["plane-half-time-cnn"]
    assert row["verdict"] == "holds"
    assert "with 2 pairs of which some members fitted" in row["note"]
    assert float(row["note"].split(" with 2 pairs")[0].rsplit(" ", 1)[1]) > 2.5


# Claims


def test_all_claims_hold_where_the_laws_do(tables):
    rows = rows_of(*tables, kernels_of(tables[0]))
    reported = rows["expected"].isna()
    assert set(rows.loc[~reported, "verdict"]) == {"holds"}
    assert set(rows.loc[reported, "verdict"]) == {"reported"}
    assert rows.loc["plane-lazy-slope-cnn", "value"] == pytest.approx(-1, abs=0.02)
    assert rows.loc["plane-feature-slope-fcn", "value"] == pytest.approx(-4 / 3, abs=0.02)
    assert rows.loc["plane-crossover-cnn", "value"] == pytest.approx(10, rel=0.05)
    assert rows.loc["plane-width-slope-cnn", "value"] == pytest.approx(0, abs=0.05)
    assert rows.loc["plane-crossover-in-width-cnn", "value"] == pytest.approx(0, abs=0.05)
    assert rows.loc["plane-jamming-in-scale-fcn", "value"] == pytest.approx(1)
    assert rows.loc["plane-ensemble-error", "n"] == 2 * 4 * 7


@pytest.mark.parametrize(
    ("claim", "broken"),
    [
        ("plane-lazy-slope-cnn", {"change": lambda t, h: change_at(t, h, lazy=-0.5)}),
        ("plane-feature-slope-cnn", {"change": lambda t, h: change_at(t, h, feature=-1.0)}),
        ("plane-half-time-fcn", {"half": lambda t, h: 18 * t * (h / 40) ** 0.5}),
        ("plane-half-time-cnn", {"half": lambda t, h: 18 * t**1.3}),
        ("plane-variance-lazy", {"h_power": 0.2}),
        ("plane-variance-feature", {"h_power": 0.2}),
        ("plane-ensemble-error", {"gain": -0.001}),
    ],
)
def test_a_claim_does_not_hold_where_its_law_is_broken(claim, broken):
    rows = rows_of(*invented(**broken))
    assert rows.loc[claim, "verdict"] == "does not hold"


def test_one_ensemble_that_is_worse_is_enough(tables):
    cells, ensembles = tables
    ensembles = ensembles.copy()
    at = ensembles.index[ensembles["width"] == 40][0]
    ensembles.loc[at, "ensemble_error"] = ensembles.loc[at, "mean_error"] + 0.001
    row = rows_of(cells, ensembles).loc["plane-ensemble-error"]
    assert row["verdict"] == "does not hold"
    assert "55 of 56" in row["note"]


def test_the_slope_in_width_is_reported():
    rows = rows_of(*invented(change=lambda t, h: change_at(t, h, of_width=-0.5)))
    row = rows.loc["plane-width-slope-cnn"]
    assert row["value"] == pytest.approx(-0.5, abs=0.05)
    assert row["verdict"] == "reported"


def test_a_crossover_that_rises_with_the_width_is_reported():
    # Change (alpha_tilde/10)^-1 (h/40)^(1/2) is 1 at alpha_tilde = 10 (h/40)^(1/2).
    rows = rows_of(
        *invented(change=lambda t, h: change_at(t, h, feature=-1, lazy=-1, of_width=0.5))
    )
    assert rows.loc["plane-crossover-in-width-cnn", "value"] == pytest.approx(0.5, abs=0.03)
    few = invented(widths=(4, 8))
    assert rows_of(*few).loc["plane-crossover-in-width-cnn", "verdict"] == "not enough data"


def test_a_jamming_line_that_rises_with_the_scale_is_reported(tables):
    cells = tables[0].copy()
    jammed = (cells["alpha_tilde"] >= 100) & (cells["width"] < 30)
    cells.loc[jammed, "status"] = "capped"
    cells.loc[jammed, "mean_loss"] = 0.1
    cells.loc[jammed, "n_unsatisfied"] = cells.loc[jammed, "n_weights"] // 2
    row = rows_of(cells).loc["plane-jamming-in-scale-cnn"]
    assert row["value"] == pytest.approx((20 * 40 / (4 * 8)) ** 0.5)
    assert "4 to 8 at 0.001, 20 to 40 at 1000" in row["note"]
    # No width is jammed at the smallest alpha_tilde: h* is below the narrowest.
    free = cells["alpha_tilde"] < 1e-2
    low = cells.assign(status=cells["status"].where(~free, "fitted"))
    low["n_unsatisfied"] = low["n_unsatisfied"].where(~free, 0)
    row = rows_of(low).loc["plane-jamming-in-scale-cnn"]
    assert row["value"] == pytest.approx((20 * 40) ** 0.5 / 4)
    assert np.isnan(row["low"])
    assert "below 4 at 0.001" in row["note"]
    assert "1 of them a lower bound" in row["note"]
    fitting = cells.assign(status="fitted", n_unsatisfied=0)
    assert rows_of(fitting).loc["plane-jamming-in-scale-cnn", "verdict"] == "not enough data"


def test_members_that_did_not_fit_are_left_out_and_counted(tables):
    cells, ensembles = tables
    wild = cells.assign(
        kernel_change=cells["kernel_change"].where(cells["status"] == "fitted", 1e12)
    )
    rows = rows_of(wild, ensembles)
    assert rows.loc["plane-lazy-slope-cnn", "verdict"] == "holds"
    assert "left out: 8 capped networks" in rows.loc["plane-lazy-slope-cnn", "note"]
    lost = cells.assign(status="capped")
    rows = rows_of(lost, ensembles.assign(n_capped=1))
    assert "holds" not in set(rows["verdict"])
    assert rows.loc["plane-lazy-slope-cnn", "verdict"] == "not enough data"


def test_relu_does_not_enter_the_slopes(tables):
    cells, ensembles = tables
    relu = invented(activation="relu", change=lambda t, h: change_at(t, h, lazy=-0.5))
    rows = rows_of(pd.concat([cells, relu[0]]), pd.concat([ensembles, relu[1]]))
    assert rows.loc["plane-lazy-slope-cnn", "verdict"] == "holds"


def test_the_error_of_both_regimes_is_compared_at_the_widest_network(tables):
    cells = tables[0]
    feature = cells["alpha_tilde"] <= 1
    errors = np.where(feature, 0.3, 0.4) + np.where(cells["width"] == 160, 0.0, 0.01 * feature)
    errors += 1e-3 * cells["member"]
    row = rows_of(cells.assign(test_error=errors)).loc["plane-feature-or-lazy-cnn"]
    assert row["value"] == pytest.approx(-0.1)
    assert row["n"] == 4
    assert row["note"].endswith("width 160")
    jammed = cells.assign(status=np.where(feature, cells["status"], "capped"))
    assert np.isnan(rows_of(jammed).loc["plane-feature-or-lazy-cnn", "value"])


def test_what_the_first_eigenvectors_gain_is_reported_for_each_regime(tables):
    rows = rows_of(*tables, kernels_of(tables[0], gain=0.25))
    for target in ("labels", "level2"):
        row = rows.loc[f"plane-aligned-{target}-feature-cnn"]
        assert row["value"] == pytest.approx(0.2515)
        assert "from 0.100 to 0.352" in row["note"] or "from 0.100 to 0.351" in row["note"]
    assert rows.loc["plane-aligned-labels-lazy-cnn", "value"] == pytest.approx(0.0015)
    without = rows_of(*tables)
    assert without.loc["plane-aligned-labels-feature-cnn", "verdict"] == "not enough data"


@pytest.mark.parametrize("study", ["complexity", None])
def test_without_the_study_there_is_not_enough_data(tables, study):
    given = {} if study is None else {"plane_cells": tables[0].assign(study=study)}
    rows = scorecard(given, claims=CROSSOVER_CLAIMS)
    assert set(rows["verdict"]) == {"not enough data"}


def test_cells_without_ensembles_give_the_other_claims(tables):
    rows = rows_of(tables[0])
    assert rows.loc["plane-lazy-slope-cnn", "verdict"] == "holds"
    assert rows.loc["plane-variance-lazy", "verdict"] == "not enough data"
