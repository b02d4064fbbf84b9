"""Which networks are jammed, and the smallest that fits, on invented tables."""

import pandas as pd
import pytest
from tables import JAMMING_SIZES, N_MEMBERS, WEIGHTS, jamming_cell, jamming_cells, spectra

from srhm.statistics.jamming import (
    at_jamming,
    first_jammed,
    hessian_modes,
    smallest_that_fit,
    with_jamming,
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "capped", "n_unsatisfied": 40, "mean_loss": 1e-3}, True),
        # A point or two that no neuron sees.
        ({"status": "capped", "n_unsatisfied": 12, "mean_loss": 1e-3}, False),
        # Converging to zero loss when the budget ended.
        ({"status": "capped", "n_unsatisfied": 40, "mean_loss": 1e-18}, False),
        ({"status": "fitted"}, False),
        # Misclassified points do not jump at N*.
        ({"status": "capped", "n_unsatisfied": 12, "mean_loss": 0.3, "loss": "logistic"}, True),
    ],
)
def test_more_than_a_tenth_of_n_unsatisfied_points_with_a_loss_are_jammed(changes, expected):
    (row,) = with_jamming(pd.DataFrame([jamming_cell(**changes)])).to_dict("records")
    assert row["jammed"] is expected
    assert row["load"] == 1


def test_diverged_cells_have_no_unsatisfied_points_to_count():
    assert with_jamming(pd.DataFrame([jamming_cell(status="diverged", n_unsatisfied=128)])).empty


def test_n_star_lies_between_the_last_jammed_width_and_the_next():
    found = smallest_that_fit(jamming_cells())
    assert list(found["P"]) == list(JAMMING_SIZES)
    assert set(found["status"]) == {"reached"}
    for _, row in found.iterrows():
        threshold = row["P"] / 2
        assert row["N_low"] < threshold <= row["N_high"]
        assert row["N_low"] == WEIGHTS * row["h_low"]
        assert row["N_star"] == pytest.approx((row["N_low"] * row["N_high"]) ** 0.5)
    assert set(found["n_members"]) == {5 * N_MEMBERS}


def test_n_star_is_the_last_change_from_the_widest_down():
    # A narrow width that fits by chance does not hide a wider one that is jammed.
    table = jamming_cells()
    lucky = (table["P"] == 512) & (table["width"] == 2)
    table.loc[lucky, ["status", "n_unsatisfied", "mean_loss"]] = ["fitted", 0, 0.0]
    assert smallest_that_fit(table).equals(
        smallest_that_fit(jamming_cells()).assign(
            n_capped=lambda t: t["n_capped"] - [0, 0, N_MEMBERS]
        )
    )


@pytest.mark.parametrize(
    ("n_star", "status"), [(0.05, "below_range"), (1000.0, "above_range"), (0.5, "reached")]
)
def test_n_star_beyond_the_widths_is_a_bound(n_star, status):
    found = smallest_that_fit(jamming_cells(n_star=n_star, power=0))
    assert set(found["status"]) == {status}
    assert found["N_low"].isna().all() == (status == "below_range")
    assert found["N_high"].isna().all() == (status == "above_range")
    assert found["N_star"].isna().all() == (status != "reached")


def test_one_width_has_no_n_star_and_no_cells_have_none():
    assert smallest_that_fit(jamming_cells().query("width == 8")).empty
    assert smallest_that_fit(pd.DataFrame()).empty


def test_unlike_cells_do_not_share_an_n_star():
    both = pd.concat([jamming_cells(), jamming_cells(labels="shuffled", n_star=1.0)])
    found = smallest_that_fit(both)
    assert len(found) == 2 * len(JAMMING_SIZES)
    stars = found.groupby("labels")["N_star"].mean()
    assert stars["shuffled"] == pytest.approx(2 * stars["parity"])


def test_the_first_jammed_load_is_that_of_a_majority():
    table = jamming_cells(data="random", net="fcn")
    one = table.index[(table["width"] == 16) & (table["P"] == 256)][0]
    table.loc[one, ["status", "n_unsatisfied", "mean_loss"]] = ["capped", 200, 0.1]
    found = first_jammed(table).set_index("width")
    assert found.loc[4, "load"] == 4.0
    assert found.loc[4, "unsatisfied"] == pytest.approx(0.75)
    assert not {16, 32} & set(found.index)


def test_the_spectra_shown_are_those_of_least_loss():
    table = pd.concat([jamming_cells(), jamming_cells(data="random", net="fcn", activation="tanh")])
    found = at_jamming(table)
    assert len(found) == 2
    jammed = with_jamming(table).query("jammed")
    assert (found["mean_loss"] == jammed["mean_loss"].min()).all()


def test_modes_need_exact_spectra_of_all_parts():
    table = jamming_cells()
    _, summaries = spectra(table, negative=0.25)
    row = with_jamming(table).query("jammed").iloc[0]
    found = hessian_modes(row, summaries)
    assert found is not None
    assert found.zero == found.predicted == row["n_weights"] - row["n_unsatisfied"]
    assert found.negative_hp == pytest.approx(0.25)
    assert hessian_modes(row, spectra(table, method="lanczos")[1]) is None
    assert hessian_modes(row, summaries[summaries["part"] != "Hp"]) is None
