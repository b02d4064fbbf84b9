"""Claims on double descent, on invented tables."""

import numpy as np
import pytest
from tables import jamming_cells, jamming_ensembles

from srhm.scorecard.card import scorecard
from srhm.studies.double_descent.claims import CLAIMS

CELLS = jamming_cells(study="double_descent")


def card(*, norm=None, gain=0.02, below=0.02):
    """The claims where ensembles err less by gain from h* on, and by another number below it."""
    cells = CELLS if norm is None else CELLS.assign(test_norm=norm(CELLS["n_weights"] / CELLS["P"]))
    ensembles = jamming_ensembles(CELLS, gain=gain)
    is_below = 16 * ensembles["width"] < 0.5 * ensembles["P"]
    error = ensembles["mean_error"] - below
    ensembles["ensemble_error"] = ensembles["ensemble_error"].mask(is_below, error)
    return scorecard({"cells": cells, "ensembles": ensembles}, CLAIMS).set_index("claim")


def test_claims_hold_where_the_tables_follow_them():
    assert card(below=-0.01)["verdict"].to_dict() == {
        "norm-peak": "reproduced",
        "ensemble-above-single": "no expectation",
        "ensemble-flat": "no expectation",
    }


def test_an_ensemble_that_errs_more_is_reported():
    assert card(gain=-0.01).loc["ensemble-above-single", "low"] > 0


def test_a_norm_that_peaks_elsewhere_breaks_its_claim():
    row = card(norm=lambda ratio: np.exp(-np.log(ratio).abs())).loc["norm-peak"]
    assert row["value"] == pytest.approx(np.log(8**0.5))  # at N = P, the second width above h*
    assert row["verdict"] == "differs"


def test_claims_without_tables_lack_data():
    assert set(scorecard({}, CLAIMS)["verdict"]) == {"inconclusive"}
