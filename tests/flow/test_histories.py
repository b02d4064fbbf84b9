"""Loss and errors against time, as cells keep them: by shorter trainings, and in the store."""

import pytest
from flow_kinds import RANDOM, SRHM, cells_of

from srhm.flow.cell import HISTORY, train_members

FLOW = {**SRHM, "labels": "parity", "loss": "soft_hinge", "activation": "softplus", "seeds": 2,
        "alpha_tilde": [0.1, 10], "optimiser": {"max_evaluations": 60}}  # fmt: skip
# A last rate that is the first: a shorter budget is the beginning of a longer one.
STEADY = {"name": "adam", "max_evaluations": 60, "first_rate": 0.01, "last_rate": 0.01}
ADAM = {**RANDOM, "seeds": 2, "optimiser": STEADY}
SGD = {**SRHM, "seeds": 2, "optimiser": {"name": "sgd", "max_evaluations": 60, "check_every": 10}}


def rows_of(history):
    return [dict(zip(HISTORY, numbers, strict=True)) for numbers in history.tolist()]


@pytest.mark.parametrize("group", [FLOW, ADAM, SGD], ids=["flow", "adam", "sgd"])
def test_each_row_of_a_history_is_the_end_of_a_training_that_stops_there(group):
    cells = cells_of({**group, "history": True})
    trained = train_members(cells)
    own = [rows_of(history) for history in trained.histories]
    for k in (1, 3, 4):
        at = int(own[0][k]["evaluations"])
        shorter = {**cells[0]["optimiser"], "max_evaluations": at}
        stopped = train_members([{**cell, "optimiser": shorter} for cell in cells])
        for rows, expected in zip(own, stopped.rows, strict=True):
            if expected["status"] == "capped":
                assert rows[k] == pytest.approx({name: expected[name] for name in HISTORY})
