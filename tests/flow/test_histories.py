"""Loss and errors against time, as cells keep them: by shorter trainings, and in the store."""

import numpy as np
import pytest
from flow_kinds import RANDOM, SRHM, assert_same, cells_of

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


@pytest.mark.parametrize("group", [FLOW, ADAM, SGD], ids=["flow", "adam", "sgd"])
def test_a_history_changes_no_training_and_ends_where_it_does(group):
    cells = cells_of(group)
    without = train_members(cells)
    assert without.histories == [None] * len(cells)
    kept = train_members([{**cell, "history": True} for cell in cells])
    for history, row in zip(kept.histories, kept.rows, strict=True):
        first, *_, last = rows_of(history)
        assert last == {name: row[name] for name in HISTORY}
        assert (first["time"], first["evaluations"]) == (0, 0 if group is SGD else 1)
        assert (np.diff(history[:, 0]) > 0).all()
        assert (np.diff(history[:, 1]) >= 0).all()
        assert len(history) <= 20  # ten for each of 1 to 10 and 10 to 60 evaluations
        assert np.isfinite(history).all()
    kept.histories[:] = without.histories
    assert_same(kept, without)
