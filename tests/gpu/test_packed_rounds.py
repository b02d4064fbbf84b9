"""What is trained beside a network does not matter: bits, entry, retirement, divergence, memory."""

import logging
import re
import threading
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton", reason="the packed engine needs triton: make test-gpu-interpreter")

import torch
from numpy.testing import assert_array_equal
from small_networks import RATE, layout, on_gpu, pack, task
from train_curves import train_srhm

from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.results import outdated
from srhm.runtime.no_device import NoDevice
from srhm.training import packed
from srhm.training.cell import TrainedCell, geometry_of, train_cell
from srhm.training.packed import Pack, PackedTraining, PackLayout, make_pack, n_networks
from srhm.training.protocol import Snapshot
from srhm.training.rounds import Work
from srhm.training.sparse import SparseEngine

LOG = logging.getLogger("test")
CELL = {
    "net": "cnn",
    "L": 2,
    "s": 2,
    "s0": 0,
    "v": 3,
    "m": 3,
    "n_c": 3,
    "sparsity": "A",
    "width": 8,
    "alpha": 1.0,
    "dtype": "float32",
    "whitening": False,
    "bias": False,
    "batch": "shuffled",
    "batch_size": 4,
    "learning_rate": 0.01,
    "momentum": 0.9,
    "loss_threshold": 1e-3,
    "max_steps": 9,
    "n_checks": 1,
    "n_test": 20,
    "engine": "sparse",
}
# Sizes that are no multiples of the batch, rates of their own, one of them far too large.
CELLS = [
    {**CELL, "P": 10, "seed": 0},
    {**CELL, "P": 7, "seed": 1, "learning_rate": 0.03},
    {**CELL, "P": 13, "seed": 0, "learning_rate": 1e30},
    {**CELL, "P": 10, "seed": 1, "loss_threshold": 5.0},  # fitted after one epoch
]
DIVERGING = 2
OVERFLOWS = pytest.mark.filterwarnings("ignore:.*encountered.*:RuntimeWarning")
SAMPLES = draw_samples(parameters_of(CELL), [0, 1], n_train=13, n_test=20)
# Seconds that a few cells may take; a deadlock is a failure, not a test that never ends.
PATIENCE = 100
OUTCOME = ("epochs", "steps", "train_loss", "test_error", "best_test_error", "status")


def trained(cells: list[dict[str, Any]], size: int) -> list[TrainedCell]:
    """The cells as a pack of this size trains them, a thread each."""
    training = PackedTraining(cells, LOG, size=size, test_programs=2)
    found: dict[int, TrainedCell] = {}

    def work(i: int) -> None:
        cell = cells[i]
        sample = (SAMPLES[cell["seed"], "train"], SAMPLES[cell["seed"], "test"])
        found[i] = training.train(cell, *sample)

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(cells))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "networks wait for each other for ever"
    return [found[i] for i in range(len(cells))]


@pytest.fixture(scope="module")
def alone() -> list[TrainedCell]:
    with warnings.catch_warnings():  # any test may be the first that asks
        warnings.filterwarnings("ignore", ".*encountered.*", RuntimeWarning)
        return [trained([cell], 1)[0] for cell in CELLS]


def assert_same_bits(a: TrainedCell, b: TrainedCell) -> None:
    for name in OUTCOME:
        assert_array_equal(a.row[name], b.row[name], err_msg=name)
    for name in a.weights:
        assert_array_equal(a.weights[name], b.weights[name], err_msg=name)


@OVERFLOWS
@pytest.mark.parametrize("size", [4, 2])
def test_a_cell_is_the_same_bits_alone_and_in_a_pack(alone: list[TrainedCell], size: int) -> None:
    """With 2 slots for 4 cells, cells retire and others enter their slots."""
    for one, other in zip(alone, trained(CELLS, size), strict=True):
        assert_same_bits(one, other)


@OVERFLOWS
def test_rows_are_those_of_the_sparse_engine(alone: list[TrainedCell]) -> None:
    for cell, ours in zip(CELLS, alone, strict=True):
        sample = (SAMPLES[cell["seed"], "train"], SAMPLES[cell["seed"], "test"])
        theirs = train_cell(cell, *sample, make_engine=SparseEngine)
        assert ours.row["status"] == theirs.row["status"]
        assert ours.row["epochs"] == theirs.row["epochs"]
        assert ours.row["steps"] == theirs.row["steps"]
        if cell is not CELLS[DIVERGING]:
            assert ours.row["train_loss"] == pytest.approx(theirs.row["train_loss"], rel=1e-4)
            assert ours.row["test_error"] == pytest.approx(theirs.row["test_error"], abs=0.051)
            for name, weights in theirs.weights.items():
                assert_array_equal(np.abs(ours.weights[name] - weights) < 1e-4, True)


@OVERFLOWS
def test_a_diverging_cell_says_so_and_harms_no_other(alone: list[TrainedCell]) -> None:
    statuses = [cell.row["status"] for cell in alone]
    assert statuses == ["capped", "capped", "diverged", "fitted"]
    assert np.isnan(alone[DIVERGING].row["test_error"])
    assert all(np.isfinite(alone[i].row["test_error"]) for i in (0, 1, 3))


def test_rounds_of_any_length_give_the_same_bits() -> None:
    one = task("cnn", 2, 2, 1)
    _, start, train, test = one
    order = np.arange(19)
    found = []
    for cuts in ([], [4, 16]):
        packed_ = pack(one)
        slot = packed_.enter(start, train, test, rate=RATE)
        summed = 0.0
        for points in np.split(order, cuts):
            (summed,) = packed_.train([Work(slot, points, summed)])
        found.append((summed, packed_.state(slot)))
    assert found[0][0] == found[1][0]
    for name, array in found[0][1].items():
        assert_array_equal(array, found[1][1][name])


def test_programs_have_memory_of_their_own_and_read_nothing_that_nobody_wrote() -> None:
    """The interpreter runs programs one after the other: what they share would not show in it."""
    one = task("cnn", 2, 2, 1)
    _, start, train, test = one
    clean, poisoned = pack(one, 3), pack(one, 3)
    untouched = {"whole": -1, "real": float("nan")}
    for room in (poisoned._room, poisoned._test_room):
        for name, value in untouched.items():
            room[name].fill_(value)
    found = []
    for own in (clean, poisoned):
        slots = [own.enter(start, train, test, rate=rate) for rate in (RATE, 3 * RATE)]
        works = [Work(slot, np.arange(slot, slot + 11), 0.0) for slot in slots]
        found.append((own.train(works), own.test_errors(slots), [own.state(s) for s in slots]))
    assert found[0][:2] == found[1][:2]
    for ours, theirs in zip(found[0][2], found[1][2], strict=True):
        for name, array in ours.items():
            assert_array_equal(array, theirs[name])
    real, whole = poisoned._room["real"], poisoned._room["whole"]
    for program in (0, 1):
        assert torch.isfinite(real[program]).sum() > 0.5 * real.shape[1]
        assert (whole[program] >= 0).any()
    assert real[2].isnan().all()
    assert (whole[2] == -1).all()
    assert not torch.equal(real[0], real[1])


def test_a_network_goes_on_from_its_state_in_another_pack() -> None:
    one = task("lcn", 2, 2, 1)
    _, start, train, test = one
    first, second = pack(one, 2), pack(one, 2)
    slot = first.enter(start, train, test, rate=RATE)
    first.train([Work(slot, np.arange(8), 0.0)])
    second.enter(start, train, test, rate=RATE)
    other = second.enter(start, train, test, rate=RATE)
    second.restore(other, first.state(slot))
    assert first.train([Work(slot, np.arange(8, 14), 0.0)]) == second.train(
        [Work(other, np.arange(8, 14), 0.0)]
    )
    for name, array in first.state(slot).items():
        assert_array_equal(array, second.state(other)[name])


def test_a_state_is_that_of_the_sparse_engine_and_of_one_kind_of_device() -> None:
    one = task("cnn", 2, 2, 1)
    _, start, train, test = one
    sparse = SparseEngine(*one, batch_size=4, rate=RATE, momentum=0.9, dtype=np.float64)
    packed_ = pack(one)
    slot = packed_.enter(start, train, test, rate=RATE)
    own = packed_.state(slot)[packed.DEVICE]
    sparse.steps(np.arange(8))
    packed_.restore(slot, {**sparse.state(), packed.DEVICE: own})
    assert packed_.train([Work(slot, np.arange(8, 16), 0.0)]) == [
        pytest.approx(sparse.steps(np.arange(8, 16)), rel=1e-10)
    ]
    state = packed_.state(slot)
    assert {n: (a.shape, a.dtype) for n, a in state.items() if n != packed.DEVICE} == {
        n: (a.shape, a.dtype) for n, a in sparse.state().items()
    }
    with pytest.raises(ValueError, match="does not fit"):
        packed_.restore(slot, {**state, "weights": state["weights"][1:]})
    other = np.frombuffer(b"elsewhere", dtype=np.uint8)
    with pytest.raises(ValueError, match="it was made on elsewhere, not on"):
        packed_.restore(slot, {**state, packed.DEVICE: other})
    for engine, states in (
        (sparse.restore, state),
        (partial(packed_.restore, slot), sparse.state()),
    ):
        with pytest.raises(ValueError, match="is not one of"):
            engine(states)


def test_a_used_slot_is_as_good_as_new() -> None:
    one = task("cnn", 2, 2, 1)
    _, start, train, test = one
    used, new = pack(one), pack(one)
    slot = used.enter(start, train, test, rate=RATE)
    used.train([Work(slot, np.arange(8), 0.0)])
    with pytest.raises(ValueError, match="all 1 slots of the pack are taken"):
        used.enter(start, train, test, rate=RATE)
    used.retire(slot)
    order = np.arange(8, 12)
    found = [
        p.train([Work(p.enter(start, train[:12], test, rate=2 * RATE), order[:4] - 4, 0.0)])
        for p in (used, new)
    ]
    assert found[0] == found[1]
    for name, array in used.state(0).items():
        assert_array_equal(array, new.state(0)[name])


def test_an_interrupted_cell_leaves_the_others_running(alone: list[TrainedCell]) -> None:
    """A thread that raises retires its network; whoever waits for it goes on."""
    training = PackedTraining(CELLS[:2], LOG, size=2, test_programs=2)
    snapshots: list[Snapshot] = []

    class Ended(Exception):
        pass

    def pause(snapshot: Any) -> None:
        snapshots.append(snapshot())
        raise Ended

    def ended() -> None:
        with pytest.raises(Ended):
            training.train(CELLS[1], SAMPLES[1, "train"], SAMPLES[1, "test"], pause=pause)

    thread = threading.Thread(target=ended, daemon=True)
    thread.start()
    other = training.train(CELLS[0], SAMPLES[0, "train"], SAMPLES[0, "test"])
    thread.join(PATIENCE)
    assert_same_bits(other, alone[0])
    resumed = training.train(CELLS[1], SAMPLES[1, "train"], SAMPLES[1, "test"], start=snapshots[0])
    assert_same_bits(resumed, alone[1])


def test_a_fault_of_the_device_reaches_everybody_who_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    training = PackedTraining(CELLS[:1], LOG, size=1, test_programs=2)

    def fail(*_: Any) -> None:
        raise RuntimeError("the device is gone")

    monkeypatch.setattr(Pack, "train", fail)
    with pytest.raises(RuntimeError, match="the device is gone"):
        training.train(CELLS[0], SAMPLES[0, "train"], SAMPLES[0, "test"])


def test_a_pack_is_as_large_as_memory_allows(caplog: pytest.LogCaptureFixture) -> None:
    shape = layout(task("cnn", 2, 2, 1))
    fixed, each = shape.bytes_of_evaluation(), shape.bytes_of_network()
    free = (fixed + 3.5 * each) / packed.SHARE_OF_MEMORY
    assert n_networks(shape, 10, free=int(free)) == 3
    assert n_networks(shape, 2, free=int(free)) == 2
    with pytest.raises(MemoryError, match="of the device are free"):
        n_networks(shape, 1, free=fixed)


def test_the_bytes_of_a_network_are_those_of_its_arrays() -> None:
    one = task("cnn", 2, 2, 1)
    small, large = pack(one, 1), pack(one, 4)

    def n_bytes(p: Pack) -> int:
        held: list[Mapping[str, torch.Tensor]] = [p._networks, p._room, p._test_room]
        return sum(a.numel() * a.element_size() for arrays in held for a in arrays.values())

    order = 4 * packed.STEPS_OF_A_ROUND * 4
    assert n_bytes(large) - n_bytes(small) == 3 * (layout(one).bytes_of_network() - order)


def test_too_little_memory_makes_the_pack_smaller_aloud(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Crowded(Pack):
        def __init__(self, shape: PackLayout, size: int, **options: Any) -> None:
            if size > 2:
                raise torch.cuda.OutOfMemoryError
            super().__init__(shape, size, **options)

    monkeypatch.setattr(packed, "Pack", Crowded)
    assert make_pack(layout(task("cnn", 1, 2, 1)), 9, log=LOG).size == 2
    assert "out of memory with 9 networks at a time, now 4" in caplog.text


@pytest.mark.skipif(on_gpu(), reason="there is a GPU")
def test_no_device_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "0")
    with pytest.raises(NoDevice, match="torch sees no CUDA device; 'cpu' trains without one"):
        make_pack(layout(task("cnn", 1, 2, 1)), 1, log=LOG)


def test_a_pack_is_of_one_shape() -> None:
    assert geometry_of(CELL).width == 8
    with pytest.raises(ValueError, match="one shape"):
        PackedTraining([CELLS[0], {**CELLS[0], "width": 16}], LOG, size=1)


def entry_of(cell: dict[str, Any]) -> dict[str, Any]:
    return {"key": f"{cell['P']:02d}{cell['seed']}" * 8, "source": "0" * 12, "cell": cell}


def test_a_curve_is_trained_on_the_gpu_of_its_job_and_taken_by_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    # One look, at the end of one epoch: the interpreter is slow.
    entries = [entry_of({**CELL, "P": 8, "seed": seed, "loss_threshold": 9.0}) for seed in (0, 1)]
    entries = [{**e, "cell": {**e["cell"], "n_checks": 0}} for e in entries]
    (ours, _) = train_srhm(entries, SAMPLES, store=tmp_path, gpu=1)
    assert " packed " in ours.row["versions"]
    assert ours.row["source"] == "0" * 12
    assert "2 to train" in caplog.text
    caplog.clear()
    (taken, _) = train_srhm(entries, SAMPLES, store=tmp_path, gpu=0)
    assert taken.row == ours.row
    assert "0 to train" in caplog.text
    caplog.clear()
    monkeypatch.setattr(outdated, "ON_GPU", re.compile("(packed) ([0-9a-f]{3})"))  # other code
    (again, _) = train_srhm(entries, SAMPLES, store=tmp_path, gpu=0)
    assert "trained on a GPU by other code" in caplog.text
    assert "2 to train" in caplog.text
    assert " packed " not in again.row["versions"]
    assert again.row["steps"] == ours.row["steps"]
    assert again.row["train_loss"] == pytest.approx(ours.row["train_loss"], rel=1e-4)
