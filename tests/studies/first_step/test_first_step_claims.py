"""Claims on the first step of gradient descent, on invented tables."""

import pandas as pd
from tables import first_step_table

from srhm.scorecard.card import scorecard
from srhm.studies.first_step.claims import CLAIMS


def verdicts(tables) -> pd.DataFrame:
    return scorecard(tables, CLAIMS).set_index("claim")


def test_claims_hold_on_a_table_that_follows_the_law():
    found = verdicts({"first_step": first_step_table()})
    for claim in ("first-step-law-lcn", "first-step-s0-exponent-lcn-L2",
                  "first-step-m-exponent-lcn-L3"):  # fmt: skip
        assert found.loc[claim, "verdict"] == "reproduced", claim


def test_claims_fail_on_a_table_that_does_not():
    table = first_step_table()
    # As if the LCN were a CNN: one power of s_0+1 whatever L is.
    other = table.assign(net=table["net"].map({"lcn": "cnn", "cnn": "lcn"}))
    exponents = [f"first-step-s0-exponent-lcn-L{L}" for L in (2, 3)]
    found = verdicts({"first_step": other}).loc[exponents, "verdict"]
    assert found.tolist() == ["differs"] * 2
    steeper = verdicts({"first_step": table.assign(n_equal=table["n_equal"] ** 1.2)})
    assert steeper.loc["first-step-law-lcn", "verdict"] == "differs"
