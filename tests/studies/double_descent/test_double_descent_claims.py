"""Claims on double descent, on invented tables."""

import numpy as np
import pytest
from tables import jamming_cells, jamming_ensembles

from srhm.scorecard.card import scorecard
from srhm.studies.double_descent.claims import CLAIMS


@pytest.fixture(scope="module")
def tables():
    cells = jamming_cells(study="double_descent")
    return {"cells": cells, "ensembles": jamming_ensembles(cells)}


def rows_of(tables, *names):
    claims = [c for c in CLAIMS if c.identifier in names or not names]
    return scorecard(tables, claims).set_index("claim")


def test_claims_hold_where_the_tables_follow_them(tables):
    assert rows_of(tables)["verdict"].to_dict() == {
        "norm-peak": "holds",
        "ensemble-above-single": "holds",
        "ensemble-flat": "reported",
    }


def test_claims_without_tables_lack_data():
    assert set(rows_of({})["verdict"]) == {"not enough data"}


def test_an_ensemble_that_errs_more_breaks_its_claim_above_h_star_only(tables):
    def worse(where, *sizes):
        def change(table):
            rows = table["width"].isin(where) & table["P"].isin(sizes)
            table.loc[rows, "ensemble_error"] = table.loc[rows, "mean_error"] + 0.01
            return table

        name = "ensemble-above-single"
        return rows_of(tables | {"ensembles": change(tables["ensembles"].copy())}, name).loc[
            name, "verdict"
        ]

    assert worse([2, 4, 8], 512) == "holds"  # h* is between 8 and 16
    everywhere = sorted(set(tables["ensembles"]["width"]))
    assert worse(everywhere, *set(tables["ensembles"]["P"])) == "does not hold"


def test_a_norm_that_peaks_elsewhere_breaks_its_claim(tables):
    def elsewhere(table):  # at N = P: the second width above h*
        return table.assign(test_norm=np.exp(-np.log(table["n_weights"] / table["P"]).abs()))

    name = "norm-peak"
    row = rows_of(tables | {"cells": elsewhere(tables["cells"])}, name).loc[name]
    assert row["value"] == pytest.approx(np.log(8**0.5))
    assert row["verdict"] == "does not hold"
