"""Cells of every kind of `srhm.flow`, and their trainings, for the tests that share them."""

from functools import cache

import pytest
from train_curves import flow_curves

from srhm.flow.cell import train_members

SRHM = {"net": "cnn", "L": 2, "v": 3, "s0": 1, "width": 5, "P": 12}
HINGE = {"labels": "parity", "loss": "soft_hinge"}
RANDOM = {
    **{"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2},
    **{"width": 4, "P": 10, "alpha": 1, "labels": "parity", "loss": "quadratic_hinge"},
    **{"bias": True, "subtract_initial": False},
}
# Every optimiser, loss, kind of data and of training; budgets that some members reach.
KINDS = {
    "flow": {**SRHM, "alpha_tilde": [0.1, 100], "optimiser": {"max_evaluations": 80}},
    "softplus": {**SRHM, **HINGE, "activation": "softplus", "optimiser": {"max_evaluations": 400}},
    "adam": {**RANDOM, "optimiser": {"name": "adam", "max_evaluations": 120}},
    "orthogonal": {**RANDOM, "initialisation": "orthogonal",
                   "optimiser": {"name": "adam", "max_evaluations": 50}},
    "digits": {**RANDOM, "data": "digits_pca", "d": None, "history": True,
               "optimiser": {"name": "adam", "max_evaluations": 40}},
    "stripe": {**RANDOM, "data": "stripe", "history": True, "loss": "soft_hinge",
               "subtract_initial": True, "optimiser": {"max_evaluations": 40}},
    "sgd": {**SRHM, "net": "lcn", "alpha_tilde": [1, 10], "loss_threshold": 0.3,
            "optimiser": {"name": "sgd", "max_evaluations": 255, "check_every": 10,
                          "batch_size": 5}},
    "layerwise": {**SRHM, **HINGE, "training": "layerwise", "optimiser": {"max_evaluations": 60}},
    "decay": {**SRHM, "net": "fcn", "hidden_layers": 3, "weight_decay": 0.01,
              "subtract_initial": False, "optimiser": {"name": "adam", "max_evaluations": 60}},
}  # fmt: skip


def entries_of(group):
    """Entries of the curve that a group of a configuration asks for."""
    (curve,) = flow_curves(group)
    return list(curve.entries)


def cells_of(group):
    """Coordinates of its cells."""
    return [entry["cell"] for entry in entries_of(group)]


class Sudden(Exception):
    """An interruption."""


def interrupted(cells, call, **options):
    """What a pause was given at its n-th call; options: of `train_members`."""
    calls = 0

    def pause(arrays):
        nonlocal calls
        calls += 1
        if calls == call:
            taken.update({name: array.copy() for name, array in arrays().items()})
            raise Sudden

    taken = {}
    with pytest.raises(Sudden):
        train_members(cells, pause=pause, **options)
    return dict(sorted(taken.items()))  # a file has them in another order


def assert_same(one, other):
    """Two trainings have the same rows, and weights and outputs with the same bits."""
    assert repr(one.rows) == repr(other.rows)
    assert one.test_outputs.numpy().tobytes() == other.test_outputs.numpy().tobytes()
    for own, its in zip(one.histories, other.histories, strict=True):
        assert repr(own) == repr(its)
    for name, array in one.weights.items():
        assert array.numpy().tobytes() == other.weights[name].numpy().tobytes(), name


@cache
def undisturbed(name):
    """Cells of one kind, and their training."""
    cells = cells_of(KINDS[name])
    return cells, train_members(cells)
