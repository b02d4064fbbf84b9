"""Claims on P* across alpha_tilde, on invented tables."""

from math import log

import numpy as np
import pytest
from assertions import WITHIN
from complexity_tables import complexity_of, with_complexity
from tables import flow_tables, joined

from srhm.scorecard.card import scorecard
from srhm.studies.complexity.claims import CLAIMS

GRAMMARS = (("lcn", 0), ("lcn", 1), ("cnn", 0), ("cnn", 1), ("cnn", 2), ("cnn", 3))


@pytest.fixture(scope="module")
def tables():
    return with_complexity(flow_tables(GRAMMARS, spread=0.03))


def measured(tables):
    found = scorecard(tables, CLAIMS)
    return found.set_index("claim")


def test_claims_find_the_law_that_the_tables_follow(tables):
    found = measured(tables)
    assert found.loc["empty-places-cnn-feature", "value"] == pytest.approx(2)
    assert found.loc["empty-places-cnn-feature", "verdict"] == "reproduced"
    assert "3 curves" in found.loc["empty-places-cnn-feature", "note"]
    assert (
        "left out: 1 with P* above a tenth of the data"
        in found.loc["empty-places-cnn-feature", "note"]
    )
    # Two s_0 are no three points.
    assert found.loc["empty-places-lcn-feature", "verdict"] == "inconclusive"
    assert found.loc["empty-places-cnn-lazy", "verdict"] == "inconclusive"
    assert "4 not reached" in found.loc["empty-places-cnn-lazy", "note"]


def test_lazy_over_feature_is_a_lower_bound_where_lazy_is_not_reached(tables):
    row = measured(tables).loc["lazy-over-feature-cnn"]
    # The largest P is 8 predictions, P* of feature learning 2.
    assert row["value"] == pytest.approx(4, rel=0.01)
    assert "4 lower bounds" in row["note"]
    assert row["verdict"] == "no expectation"


def test_lazy_networks_that_fit_are_told_from_capped_ones(tables):
    cells = tables["cells"].copy()
    lazy = (cells["net"] == "cnn") & (cells["alpha_tilde"] == 1000)
    steps = cells["P"] / cells.groupby("curve")["P"].transform("min")
    # P* of feature learning is 4 steps: one P beyond it where all fit, one with a capped network.
    cells.loc[lazy, "test_error"] = 0.9
    cells.loc[lazy & (steps > 7), ["status", "test_error"]] = ["fitted", 0.5]
    cells.loc[lazy & (steps > 15) & (cells["seed"] == 0), "status"] = "capped"
    cells.loc[lazy & (steps < 7), "status"] = "fitted"
    own = cells[(cells["net"] == "cnn") & ((steps < 3) | (steps > 5))]
    found = measured(with_complexity({**tables, "cells": own}))
    row = found.loc["lazy-error-beyond"]
    assert row["value"] == pytest.approx(0.5)
    assert row["n"] == own["curve"].nunique()
    assert f"{own['curve'].nunique()} P at which some are capped" in row["note"]
    # Nothing is known where feature learning has not come to 10 %.
    late = cells[(cells["alpha_tilde"] == 1000) | (steps < 3)]
    row = measured(with_complexity({**tables, "cells": late})).loc["lazy-error-beyond"]
    assert row["verdict"] == "inconclusive"


def test_the_onset_claim_tells_joint_from_late():
    together = measured(with_complexity(flow_tables(GRAMMARS, tildes=(0.1, 1000.0))))
    assert together.loc["s-onset-feature", "value"] == pytest.approx(0, abs=1e-9)
    assert together.loc["s-onset-feature", "verdict"] == "reproduced"
    assert "6 in which neither is reached" in together.loc["s-onset-lazy", "note"]
    late = measured(with_complexity(flow_tables(GRAMMARS, tildes=(0.1, 1000.0), late=1.8)))
    assert late.loc["s-onset-feature", "value"] == pytest.approx(log(1.8))
    assert late.loc["s-onset-feature", "verdict"] == "differs"


def test_a_law_with_another_exponent_does_not_hold():
    def law(tilde):
        return 2.0

    # P* that does not know s_0: the prediction grows as (s_0+1)^2.
    made = flow_tables(GRAMMARS, tildes=(0.1,), law=law)
    table = complexity_of(made)
    table["P_star"] = np.where(table["P_star"].notna(), 300.0, np.nan)
    found = measured({**made, "sample_complexity": table})
    assert found.loc["empty-places-cnn-feature", "value"] == pytest.approx(0)
    assert found.loc["empty-places-cnn-feature", "verdict"] == "differs"


def test_claims_on_kernels_compare_test_errors(tables):
    found = measured(tables)
    assert found.loc["kernel-at-end", "value"] == pytest.approx(0)
    assert found.loc["kernel-at-end", "verdict"] == "reproduced"
    # Lazy networks end at 0.75, the kernel at initialisation at 0.6.
    assert found.loc["kernel-at-start-lazy", "value"] == pytest.approx(0.15)
    assert found.loc["kernel-at-start-lazy", "verdict"] == "differs"


def test_sgd_is_compared_where_both_were_trained():
    flow = flow_tables([("cnn", 1)], tildes=(0.1, 10.0))
    near = flow_tables([("cnn", 1)], tildes=(0.1,), optimiser="sgd")
    far = flow_tables([("cnn", 1)], tildes=(0.1,), optimiser="sgd", law=lambda tilde: 8.0)
    assert (
        measured(with_complexity(joined(flow, near))).loc["sgd-agrees", "verdict"] == "reproduced"
    )
    row = measured(with_complexity(joined(flow, far))).loc["sgd-agrees"]
    assert row["verdict"] == "differs" or row["value"] > 0.1
    assert measured(with_complexity(flow)).loc["sgd-agrees", "verdict"] == "inconclusive"


def test_stability_before_training_and_its_change(tables):
    found = measured(tables)
    assert found.loc["r-before-training", "value"] == pytest.approx(log(0.9))
    assert found.loc["r-before-training", "verdict"] in WITHIN
    assert found.loc["r-change-feature", "value"] == pytest.approx(-log(1 + 6 * 4))
    assert found.loc["r-change-lazy", "value"] == pytest.approx(0)


def test_error_and_stability_are_correlated_where_both_fall(tables):
    found = measured(tables)
    assert found.loc["error-and-r", "value"] > 0.5
    assert found.loc["error-and-r", "low"] < found.loc["error-and-r", "value"]
