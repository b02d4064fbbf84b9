"""Claims on double descent, on invented tables."""

import numpy as np
import pytest
from assertions import WITHIN
from tables import jamming_cells

from srhm.scorecard.card import scorecard
from srhm.studies.double_descent.claims import CLAIMS

CELLS = jamming_cells(study="double_descent")


def norm_peak(cells):
    return scorecard({"cells": cells}, CLAIMS).set_index("claim").loc["norm-peak"]


def test_the_claim_holds_where_the_norm_peaks_at_h_star():
    assert norm_peak(CELLS)["verdict"] in WITHIN


def test_a_norm_that_peaks_elsewhere_breaks_its_claim():
    ratio = CELLS["n_weights"] / CELLS["P"]
    row = norm_peak(CELLS.assign(test_norm=np.exp(-np.log(ratio).abs())))
    assert row["value"] == pytest.approx(np.log(8**0.5))  # at N = P, the second width above h*
    assert row["verdict"] == "differs"


def test_claims_without_tables_lack_data():
    assert set(scorecard({}, CLAIMS)["verdict"]) == {"inconclusive"}
