"""SGD of layerwise training and of its two rivals, which the presets use, beside gradient flow.

At m = 3 of the default instance with the rates and batches of `config/quick.yaml`, from the same
weights on the same data; the tolerance is that of the same claim on P* across alpha_tilde.
"""

from pathlib import Path

import numpy as np
import pytest

from srhm.flow.cell import train_members
from srhm.flow.configuration import FlowSection
from srhm.flow.plan import plan

DEEP = {
    **{"net": "cnn", "L": 2, "v": 4, "s0": 1, "m": 3, "width": 64},
    **{"P": [128, 256, 512], "seeds": 4, "loss_threshold": 0.01, "measure": []},
}
SHALLOW = {**DEEP, "net": "fcn", "hidden_layers": 1, "width": 256, "P": [256, 512]}
SLOW = {"name": "sgd", "max_evaluations": 6000, "learning_rate": 0.02}
FAST = {"name": "sgd", "max_evaluations": 6000, "learning_rate": 0.2, "batch_size": 32}
FLOW = {"max_evaluations": 3000, "max_output_change": 1, "max_gradient_change": 1, "kink": 1}
KINDS = {
    "layerwise": ({**DEEP, "training": "layerwise"}, SLOW),
    "end to end": ({**DEEP, "training": "end_to_end"}, SLOW),
    "one hidden layer": ({**SHALLOW, "training": "end_to_end"}, FAST),
}
TOLERANCE = 0.05


def errors(group, optimiser):
    """Mean test error over seeds at each P, all of which fit."""
    section = {"n_test": 1000, "curves": [{**group, "optimiser": optimiser}]}
    planned = plan(FlowSection.model_validate(section), Path(), study="layerwise")
    (curve,) = planned.curves.values()
    cells = [entry["cell"] for entry in curve.entries]
    found = {}
    for P in group["P"]:
        rows = train_members([cell for cell in cells if cell["P"] == P]).rows
        assert {row["status"] for row in rows} == {"fitted"}
        found[P] = float(np.mean([row["test_error"] for row in rows]))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_sgd_and_the_flow_end_at_the_same_errors(kind):
    group, sgd = KINDS[kind]
    found, expected = errors(group, sgd), errors(group, FLOW)
    for P, error in found.items():
        print(f"\n{kind}, P = {P}: SGD {error:.3f}, flow {expected[P]:.3f}")
    for P, error in found.items():
        assert error == pytest.approx(expected[P], abs=TOLERANCE), P
