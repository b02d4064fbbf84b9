"""Learning with the kernel at initialisation, and with that at the end of training, held fixed.

Training is gradient flow from F = 0 with the loss and the data of the cell. The kernel at
initialisation is the limit of lazy learning. The kernel at the end holds the features that were
learnt.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.flow.linearised import Gradients, linearised_flow
from srhm.flow.networks import Weights
from srhm.measure.members import WHEN, Member, members_of

# Evaluations of a flow of the cross-entropy, at most, and never more than the budget of the cell.
# On twelve kernels of CNN (h = 32, four classes, P = 144 to 512, alpha_tilde = 0.1 and 100, initial
# and end) the test errors after 300 and after 1000 evaluations were within 0.02: what comes later
# moves F far, but hardly its signs. A hinge has an end, all points satisfied, which on digits takes
# up to thousands (h = 10, P = 256): there the budget is the cell's.
MAX_EVALUATIONS = 300
POINTS_AT_ONCE = 250


def measure_frozen_kernels(
    entries: Sequence[Mapping[str, Any]],
    *,
    store: Path,
    log: logging.Logger,
    max_evaluations: int | None = None,
) -> list[dict[str, Any]]:
    """Rows of FROZEN_KERNELS without the curve.

    The kernel of f does not know alpha: one training with the initial kernel is that of all
    alpha_tilde. Where a cell diverged, its final kernel has the status "diverged" and no errors.
    max_evaluations: None: MAX_EVALUATIONS for the cross-entropy, and the cell's budget for others.

    Raises:
        MissingMember: if the store lacks a cell.
    """
    before: dict[tuple[int, int, int], dict[str, Any]] = {}
    table: list[dict[str, Any]] = []
    for member in members_of(entries, store=store):
        place = (member.cell["P"], *member.start)
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                nothing = {"test_error": float("nan"), "train_error": float("nan")}
                row = {"status": "diverged", "evaluations": 0, **nothing}
            elif when == "end":
                row = _row(member, weights, max_evaluations)
            else:
                if place not in before:
                    before[place] = _row(member, weights, max_evaluations)
                row = before[place]
            table.append({"key": member.key, "kernel": when, **row})
    counts = dict(Counter(row["status"] for row in table))
    log.info("%d rows of learning with frozen kernels: %s", len(table), counts)
    return table


def _row(member: Member, weights: Weights, max_evaluations: int | None) -> dict[str, Any]:
    network, data, loss = member.network, member.data, member.loss
    budget = member.cell["optimiser"]["max_evaluations"]
    if max_evaluations is None:
        max_evaluations = MAX_EVALUATIONS if member.cell["loss"] == "cross_entropy" else budget
    gradients = Gradients.at(network, weights, data.x_train)
    trained = linearised_flow(
        gradients,
        data.y_train,
        loss,
        max_evaluations=min(max_evaluations, budget),
    )

    wrong = loss.wrong(gradients.along(trained.state), data.y_train)
    test_wrong = 0
    for x, y in zip(
        data.x_test.split(POINTS_AT_ONCE), data.y_test.split(POINTS_AT_ONCE), strict=True
    ):
        F = Gradients.at(network, weights, x).along(trained.state)
        test_wrong += int(loss.wrong(F, y).sum())
    return {
        "status": str(trained.status[0]),
        "evaluations": int(trained.evaluations[0]),
        "test_error": test_wrong / len(data.y_test),
        "train_error": float(wrong.double().mean()),
    }
