"""Two small flow curves on a device and on the processor, compared; both in double precision.

What is told of each: see `srhm.runtime.trial_process`.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from srhm.flow.configuration import FlowSection
from srhm.flow.members import TrainedMembers, train_members
from srhm.flow.plan import plan

MEMBERS, EVALUATIONS, WIDTH, P = 8, 100, 32, 64
CURVES = {
    "CNN, gradient flow": {"net": "cnn", "optimiser": {"max_evaluations": EVALUATIONS}},
    "FCN, Adam": {"net": "fcn", "optimiser": {"name": "adam", "max_evaluations": EVALUATIONS}},
}
# Distance over size of weights and outputs: sums in other orders, and what training makes of it.
ALLOWED = 1e-6


def _cells_of(group: dict[str, Any]) -> list[dict[str, Any]]:
    """Members of one cell of a group, none of which fits its data before its budget is spent."""
    rest = {"L": 2, "v": 4, "s0": 1, "width": WIDTH, "P": P, "loss_threshold": 1e-12}
    section = FlowSection.model_validate({"n_test": 100, "curves": [{**rest, **group}]})
    (curve,) = plan(section, Path(), study="trial").curves.values()
    return [{**curve.entries[0]["cell"], "member": member} for member in range(MEMBERS)]


def flow_trial(device: str) -> Iterator[dict[str, Any]]:
    """Rows of members of a flow, all at once."""
    for name, group in CURVES.items():
        cells = _cells_of(group)
        _trained(cells[:1], device)  # loads the libraries
        there, seconds = _trained(cells, device)
        here, on_processor = _trained(cells, "cpu")
        yield {
            "network": name,
            "trained": MEMBERS,
            "steps": EVALUATIONS,
            "seconds": seconds,
            "on_processor": on_processor,
            "differences": _differences(there, here),
        }


def _trained(cells: list[dict[str, Any]], device: str) -> tuple[TrainedMembers, float]:
    """Members, and the seconds that it took to train them."""
    clock = time.perf_counter()
    found = train_members(cells, device=device)
    return found, time.perf_counter() - clock


def _differences(there: TrainedMembers, here: TrainedMembers) -> dict[str, tuple[float, float]]:
    spent = np.array([[row["evaluations"] for row in found.rows] for found in (there, here)])
    arrays = {
        name: (there.weights[name].numpy(), here.weights[name].numpy()) for name in here.weights
    }
    outputs = (there.test_outputs.numpy(), here.test_outputs.numpy())
    return {
        "weights": (max(_apart(*pair) for pair in arrays.values()), ALLOWED),
        "outputs": (_apart(*outputs), ALLOWED),
        "evaluations": (float(np.ptp(spent, axis=0).max()), 0.0),
    }


def _apart(one: Any, other: Any) -> float:
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))
