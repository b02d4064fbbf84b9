"""A training that is interrupted and resumed gives the bits of one that was not."""

import json
import logging
from itertools import product

import numpy as np
import pytest

from srhm.jobs.stopping import StopRequest
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.store.atomic import StorageError
from srhm.training.checkpoints import (
    Keeper,
    checkpoint_of,
    resume,
    write_checkpoint,
)
from srhm.training.protocol import Snapshot, TrainingPlan, points_per_batch, train
from srhm.training.reference import ReferenceEngine
from srhm.training.sparse import SparseEngine

LOG = logging.getLogger("srhm.tests")
KEY = "ab0123456789"
# An epoch is 25 steps and a part of one; checks fall inside epochs.
PLAN = TrainingPlan(batch="shuffled", batch_size=4, loss_threshold=1e-6, max_steps=560, n_checks=3)


class Sudden(Exception):
    """An interruption."""


@pytest.fixture(scope="module")
def training(make_sample):
    """Function that trains a small network: (engine class, plan, options of train) -> results."""
    grammar, data, test = make_sample(n_train=102)
    shape = geometry("cnn", grammar.parameters, width=8)
    weights = initial_weights(shape, generator=generator(0, role="initialisation"))

    def run(make_engine, plan=PLAN, *, momentum=0.9, **options):
        size = points_per_batch(plan, n_classes=3)
        engine = make_engine(
            shape, weights, data, test, batch_size=size, rate=0.1, momentum=momentum
        )
        engine.steps_at_once = 10
        outcome = train(
            engine,
            data.labels,
            plan,
            n_classes=3,
            generator=generator(0, role="order"),
            **options,
        )
        return outcome, engine.weights()

    return run


def interrupted_at(call, seen):
    """A pause that interrupts at the given call, after it has kept a snapshot in `seen`."""

    def pause(snapshot):
        pause.calls += 1
        if pause.calls == call:
            taken = snapshot()
            copies = {name: array.copy() for name, array in taken.engine.items()}
            # By way of text, as a checkpoint is kept.
            seen.append(Snapshot(json.loads(json.dumps(taken.position)), copies))
            raise Sudden

    pause.calls = 0
    return pause


def assert_same(one, other):
    assert repr(one[0]) == repr(other[0])
    assert one[1].keys() == other[1].keys()
    for name, array in one[1].items():
        assert array.tobytes() == other[1][name].tobytes(), name


@pytest.mark.parametrize(
    ("make_engine", "batch", "drop_incomplete"),
    [
        *product([SparseEngine], ["shuffled", "balanced"], [False, True]),
        (ReferenceEngine, "shuffled", False),
    ],
)
def test_every_interruption_of_every_order_can_be_resumed(
    training, make_engine, batch, drop_incomplete
):
    plan = TrainingPlan(
        batch=batch,
        batch_size=4,
        loss_threshold=1e-6,
        max_steps=61,
        n_checks=2,
        drop_incomplete=drop_incomplete,
    )
    undisturbed = training(make_engine, plan)
    n_calls = 0
    for call in range(1, 100):
        seen = []
        try:
            training(make_engine, plan, pause=interrupted_at(call, seen))
        except Sudden:
            n_calls = call
            assert_same(training(make_engine, plan, start=seen[0]), undisturbed)
    assert n_calls >= 6  # the last one after the last step: nothing is left but the last look


@pytest.mark.parametrize("make_engine", [SparseEngine, ReferenceEngine])
def test_the_state_of_another_network_is_refused(training, make_engine):
    seen = []
    with pytest.raises(Sudden):
        training(make_engine, pause=interrupted_at(2, seen))
    name = next(iter(seen[0].engine))
    cut = {**seen[0].engine, name: seen[0].engine[name][..., :-1]}
    with pytest.raises(ValueError, match="does not fit"):
        training(make_engine, start=Snapshot(seen[0].position, cut))
    unknown = {**seen[0].engine, "layer9": np.zeros(3)}
    with pytest.raises(ValueError, match="layer9"):
        training(make_engine, start=Snapshot(seen[0].position, unknown))


def snapshot():
    position = {"epochs": 3, "summed": 0.1 + 0.2, "loss": float("nan"), "generator": {"a": 2**127}}
    return Snapshot(position, {"layer1": np.arange(5.0)}, 12.5)


@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda b: b[:-1] + bytes([b[-1] ^ 1])])
def test_a_damaged_checkpoint_is_named_and_the_cell_begins_anew(tmp_path, caplog, damage):
    path = write_checkpoint(tmp_path, KEY, snapshot())
    path.write_bytes(damage(path.read_bytes()))
    assert resume(tmp_path, KEY, log=LOG) is None
    assert f"the cell begins anew: {path}" in caplog.text
    assert not path.exists()


def test_a_checkpoint_is_written_when_the_interval_is_over(tmp_path):
    now = [0.0]
    keeper = Keeper(tmp_path, KEY, StopRequest(), log=LOG, interval=120, clock=lambda: now[0])
    taken = []

    def take():
        taken.append(now[0])
        return snapshot()

    for now[0] in (10.0, 119.0, 121.0, 200.0, 240.0, 242.0):
        keeper(take)
    assert taken == [121.0, 242.0]
    assert checkpoint_of(tmp_path, KEY).is_file()


def test_a_checkpoint_that_cannot_be_read_now_stays_and_stops_the_training(tmp_path, monkeypatch):
    path = write_checkpoint(tmp_path, KEY, Snapshot({"step": 3}, {}))

    def shut(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(type(path), "open", shut)
        with pytest.raises(StorageError, match=f"Permission denied.*{KEY}"):
            resume(tmp_path, KEY, log=LOG)
    assert resume(tmp_path, KEY, log=LOG).position == {"step": 3}
