"""Claims on jamming, on invented tables."""

import pandas as pd
import pytest
from assertions import WITHIN
from tables import all_kinds, jamming_cells, spectra

from srhm.scorecard.card import scorecard
from srhm.statistics.jamming import with_jamming
from srhm.studies.jamming.claims import CLAIMS


def tables(*, negative=(0.5, 0.43), unsatisfied=None, labels=None, growth=1.0):
    """Networks of every kind; negative modes of ReLU and of tanh; N_Δ/N of the jammed."""
    cells = pd.concat(
        [all_kinds().query("labels != 'shuffled'"),
         jamming_cells(labels="shuffled", n_star=1.0, power=growth)], ignore_index=True
    )  # fmt: skip
    if unsatisfied:
        jammed = with_jamming(cells)["jammed"]
        cells.loc[jammed, "n_unsatisfied"] = (unsatisfied * cells["n_weights"]).astype(int)
    srhm = cells["data"] == "srhm"
    cells.loc[srhm, "labels"] = cells.loc[srhm, "labels"].replace(labels or {})
    summaries = [
        spectra(part, negative=negative[activation == "tanh"])[1]
        for activation, part in cells.groupby("activation")
    ]
    return {
        "cells": cells,
        "hessian_summaries": pd.concat(summaries, ignore_index=True),
    }


def card(given):
    return scorecard(given, CLAIMS).set_index("claim")


def test_claims_hold_where_the_tables_follow_them():
    found = card(tables())
    assert set(found["verdict"]) <= WITHIN
    assert found.loc["hp-negative-tanh-random", "value"] == pytest.approx(0.43, abs=0.01)
    assert found.loc["unsatisfied-at-jamming-random", "value"] == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize(
    ("identifier", "laws"),
    [
        ("hp-negative-relu-random", {"negative": (0.3, 0.43)}),
        ("hp-negative-tanh-random", {"negative": (0.5, 0.3)}),
        ("hp-negative-relu-srhm", {"negative": (0.3, 0.43)}),
        ("unsatisfied-at-jamming-random", {"unsatisfied": 0.4}),
        ("n-star-true-over-shuffled", {"labels": {"parity": "shuffled", "shuffled": "parity"}}),
    ],
)
def test_a_claim_does_not_hold_where_its_law_is_broken(identifier, laws):
    assert card(tables(**laws)).loc[identifier, "verdict"] == "differs"


def test_claims_without_tables_lack_data():
    assert set(card({})["verdict"]) == {"inconclusive"}
