"""Named nets in a stack: against one by one, and whatever else is in the stack.

On a GPU where there is one, else on the processor (docs/gpu.md).
"""

import json
import logging
import re
import runpy
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from train_curves import train_srhm

from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.networks.registry import NAMED
from srhm.results import outdated
from srhm.runtime.no_device import NoDevice
from srhm.training import stacked
from srhm.training.cell import TrainedCell, train_cell
from srhm.training.network import NetworkEngine
from srhm.training.protocol import Snapshot, Unresumable
from srhm.training.rounds import Work
from srhm.training.stacked import Stack, StackedTraining, StackLayout, make_stack, stack_size

LOG = logging.getLogger("test")
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
META = torch.device("meta")
# Channels of all slots are a multiple of 16: the vectors of a processor have no remainders, which
# it rounds in a way of their own, so that the slot makes no difference there.
SIZE = 4
OVERFLOWS = pytest.mark.filterwarnings("ignore:.*encountered.*:RuntimeWarning")
BATCH, MOMENTUM, RATES = 6, 0.9, (0.02, 0.05, 0.01)
CELL = {
    "net": "resnet18", "L": 2, "s": 2, "s0": 1, "v": 3, "m": 3, "n_c": 3, "sparsity": "A",
    "width": 4, "alpha": 1.0, "engine": "torch", "dtype": "float32", "whitening": False,
    "bias": False, "batch": "shuffled", "batch_size": BATCH, "learning_rate": 0.02,
    "momentum": MOMENTUM, "loss_threshold": 1e-9, "max_steps": 6, "n_checks": 1, "n_test": 30,
}  # fmt: skip
# All but two larger forms of EfficientNet, which take seconds.
NETS = [net for net in NAMED if net not in ("efficientnetb1", "efficientnetb2")]
# Epochs of their own length, rates of their own; one diverges, one is fitted after an epoch.
CELLS = [
    {**CELL, "P": 20, "seed": 0},
    {**CELL, "P": 14, "seed": 1, "learning_rate": 0.05},
    {**CELL, "P": 26, "seed": 0, "learning_rate": 1e30},
    {**CELL, "P": 20, "seed": 1, "loss_threshold": 9.0},
    {**CELL, "P": 13, "seed": 0, "n_checks": 2},
]
DIVERGING = 2
PARAMETERS = parameters_of(CELL)
SAMPLES = draw_samples(PARAMETERS, [0, 1], n_train=26, n_test=30)
TRAIN, TEST = SAMPLES[0, "train"], SAMPLES[0, "test"]
NAME = torch.cuda.get_device_name(DEVICE) if DEVICE.type == "cuda" else "cpu"
BENCHMARK = Path(__file__).resolve().parents[1] / "benchmarks" / "stacked.py"
# Seconds that a few cells may take; a deadlock is a failure, not a test that never ends.
PATIENCE = 100
OUTCOME = ("epochs", "steps", "train_loss", "test_error", "best_test_error", "best_step", "status")


def layout(net: str = "resnet18", **changes: Any) -> StackLayout:
    options: dict[str, Any] = {
        "parameters": PARAMETERS,
        "width": 4,
        "batch_size": BATCH,
        "momentum": MOMENTUM,
        "n_train": 26,
        "n_test": 30,
    }
    return StackLayout(net=net, **{**options, **changes})


def alone(net: str, seed: int, *, rate: float = RATES[0], **options: Any) -> NetworkEngine:
    """The engine that trains networks one by one."""
    return NetworkEngine(
        net,
        PARAMETERS,
        TRAIN,
        TEST,
        width=4,
        generator=generator(seed, role="initialisation"),
        batch_size=BATCH,
        rate=rate,
        momentum=MOMENTUM,
        **options,
    )


def entered(stack: Stack, seed: int, *, rate: float = RATES[0], **options: Any) -> int:
    start = alone(stack.layout.net, seed, dtype=stack.layout.dtype, **options).state()
    return stack.enter(start, TRAIN, TEST, rate=rate)


def orders(n_networks: int, n_steps: int) -> np.ndarray:
    stream = np.random.default_rng(n_networks)
    return stream.integers(len(TRAIN), size=(n_networks, n_steps * BATCH))


def assert_same_state(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize(
    ("net", "whitening"), [*((net, False) for net in NETS), ("vgg11_bn", True)]
)
def test_networks_of_a_stack_move_as_one_by_one(net: str, whitening: bool) -> None:
    """Weights, batch norm's buffers, momenta and masks, at rates of their own.

    From one state in each step: batch norm of six points makes a small difference fifty times
    larger in a step of EfficientNet.
    """
    options: dict[str, Any] = {"dtype": np.float64, "whitening": whitening}
    stack = Stack(layout(net, **options), 4, device=DEVICE)
    ones = [alone(net, seed, rate=rate, **options) for seed, rate in enumerate(RATES)]
    slots = [entered(stack, seed, rate=rate) for seed, rate in enumerate(RATES)]
    before = stack.weights(slots[0])
    for points in np.split(orders(3, 3), 3, axis=1):
        found = stack.train([Work(slot, p, 0.0) for slot, p in zip(slots, points, strict=True)])
        for slot, one, own, loss in zip(slots, ones, points, found, strict=True):
            assert loss == pytest.approx(one.steps(own), rel=1e-9)
            state = stack.state(slot)
            del state[stacked.DEVICE]
            expected = one.state()
            assert state.keys() == expected.keys()
            assert_array_equal(state["stream"], expected["stream"])
            for name, array in expected.items():
                assert state[name].dtype == array.dtype
                scale = np.abs(array).max(initial=1e-3)
                assert_allclose(state[name], array, rtol=0, atol=1e-9 * scale, err_msg=name)
            one.restore(state)
    assert stack.test_errors(slots) == [one.test_error() for one in ones]
    moved = [np.abs(array - before[name]).max() for name, array in stack.weights(slots[0]).items()]
    assert max(moved) > 0.01


def trained(cells: list[dict[str, Any]], size: int = SIZE) -> list[TrainedCell]:
    """The cells as a stack of this size trains them, a thread each."""
    training = StackedTraining(cells, LOG, device=DEVICE, size=size)
    found: dict[int, TrainedCell] = {}

    def work(i: int) -> None:
        seed = cells[i]["seed"]
        found[i] = training.train(cells[i], SAMPLES[seed, "train"], SAMPLES[seed, "test"])

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(cells))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "networks wait for each other for ever"
    return [found[i] for i in range(len(cells))]


@pytest.fixture(scope="module")
def together() -> list[TrainedCell]:
    """Five cells in a stack of four: a cell retires, and another enters its slot."""
    return trained(CELLS)


def assert_same_bits(a: TrainedCell, b: TrainedCell) -> None:
    for name in (*OUTCOME, "versions"):
        assert_array_equal(a.row[name], b.row[name], err_msg=name)
    assert_same_state(a.weights, b.weights)


@pytest.mark.parametrize("i", range(len(CELLS)))
def test_a_cell_is_the_same_bits_alone_in_its_stack_and_in_company(
    together: list[TrainedCell], i: int
) -> None:
    (other,) = trained([CELLS[i]])
    assert_same_bits(together[i], other)


@OVERFLOWS
@pytest.mark.parametrize("net", ["vgg11_bn", "resnet18", "efficientnetb0"])
def test_rows_are_those_of_one_by_one(net: str) -> None:
    """In double precision and at small rates, so that differences of rounding stay small."""
    rates = [1e-3, 1e-4, 1e30, 1e-3, 1e-4]
    cells = [
        {**cell, "net": net, "dtype": "float64", "learning_rate": rate}
        for cell, rate in zip(CELLS, rates, strict=True)
    ]
    for cell, ours in zip(cells, trained(cells), strict=True):
        sample = (SAMPLES[cell["seed"], "train"], SAMPLES[cell["seed"], "test"])
        theirs = train_cell(cell, *sample, make_engine=NetworkEngine)
        assert ours.row.keys() == {*theirs.row, "versions"}
        for name in theirs.row.keys() - {"train_loss"}:
            assert_array_equal(ours.row[name], theirs.row[name], err_msg=name)
        assert ours.weights.keys() == theirs.weights.keys()
        if cell["learning_rate"] < 1:
            assert ours.row["train_loss"] == pytest.approx(theirs.row["train_loss"], rel=1e-7)
            for name, weights in theirs.weights.items():
                assert_allclose(ours.weights[name], weights, rtol=1e-4, atol=1e-5, err_msg=name)


def test_a_diverging_cell_says_so_and_harms_no_other(together: list[TrainedCell]) -> None:
    statuses = [cell.row["status"] for cell in together]
    assert statuses == ["capped", "capped", "diverged", "fitted", "capped"]
    assert np.isnan(together[DIVERGING].row["test_error"])
    assert all(np.isfinite(c.row["test_error"]) for c in together if c.row["status"] != "diverged")


def test_a_row_names_the_code_the_device_and_the_size_of_the_stack(
    together: list[TrainedCell],
) -> None:
    row = together[0].row
    assert re.search(rf", stacked [0-9a-f]{{12}} of {SIZE} on {NAME}$", row["versions"])
    assert together[0].timing["processor"] == NAME


@pytest.mark.parametrize("net", ["vgg11_bn", "efficientnetb0"])
def test_the_slot_does_not_matter_nor_how_rounds_cut_the_steps(net: str) -> None:
    points = orders(2, 4)
    first, second = (Stack(layout(net), 4, device=DEVICE) for _ in range(2))
    a = entered(first, 0)
    (whole,) = first.train([Work(a, points[0], 0.0)])
    for seed in (1, 2):
        entered(second, seed)
    b = entered(second, 0)
    assert a != b
    others = [Work(slot, points[1], 0.0) for slot in set(range(4)) - set(second._free) - {b}]
    summed = 0.0
    for cut in (slice(0, BATCH), slice(BATCH, 4 * BATCH)):
        works = [Work(w.slot, w.points[cut], 0.0) for w in others]
        summed = second.train([*works, Work(b, points[0][cut], summed)])[-1]
    assert summed == whole
    assert_same_state(first.state(a), second.state(b))


def test_a_network_that_is_left_with_infinite_weights_harms_nobody_and_leaves_nothing() -> None:
    points = orders(2, 3)
    clean, other = (Stack(layout(), SIZE, device=DEVICE) for _ in range(2))
    a = entered(clean, 0)
    wild, b = entered(other, 1, rate=1e30), entered(other, 0)
    other.train([Work(wild, points[1], 0.0), Work(b, points[0], 0.0)])
    assert not np.isfinite(other.weights(wild)["classifier.weight"]).all()
    clean.train([Work(a, points[0], 0.0)])
    assert_same_state(clean.state(a), other.state(b))
    other.retire(wild)
    other.train([Work(b, points[0], 0.0)])
    parameters = dict(other._template.named_parameters())
    assert all((other.weights(wild)[name] == 0).all() for name in parameters)
    again = entered(other, 0)
    assert again == wild
    start = alone(CELL["net"], 0).state()
    assert_same_state({name: other.state(again)[name] for name in start}, start)


def test_all_networks_of_a_stack_make_each_step() -> None:
    stack = Stack(layout(), 2, device=DEVICE)
    slots = [entered(stack, seed) for seed in (0, 1)]
    points = orders(2, 2)
    for works in (
        [Work(slots[0], points[0], 0.0)],
        [Work(slots[0], points[0], 0.0), Work(slots[1], points[1][:BATCH], 0.0)],
        [Work(slot, points[0][:-1], 0.0) for slot in slots],
    ):
        with pytest.raises(ValueError, match="all networks of a stack make each step"):
            stack.train(works)


def test_a_stack_is_of_one_architecture_and_size() -> None:
    with pytest.raises(ValueError, match="cells of one stack share"):
        StackedTraining([CELLS[0], {**CELLS[0], "width": 8}], LOG, device=DEVICE, size=1)
    stack = Stack(layout(n_train=20), 1, device=DEVICE)
    with pytest.raises(ValueError, match="the stack was made for 20 and 30"):
        entered(stack, 0)
    stack = Stack(layout(), 1, device=DEVICE)
    entered(stack, 0)
    with pytest.raises(ValueError, match="all 1 slots of the stack are taken"):
        entered(stack, 0)


def test_an_interrupted_cell_goes_on_with_the_same_bits_and_the_others_meanwhile(
    together: list[TrainedCell],
) -> None:
    training = StackedTraining(CELLS, LOG, device=DEVICE, size=SIZE)
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
    assert_same_bits(other, together[0])
    (snapshot,) = snapshots
    # As a checkpoint is written, which gives single numbers an axis.
    engine = {name: np.ascontiguousarray(array) for name, array in snapshot.engine.items()}
    start = Snapshot(snapshot.position, engine, snapshot.seconds)
    resumed = training.train(CELLS[1], SAMPLES[1, "train"], SAMPLES[1, "test"], start=start)
    assert_same_bits(resumed, together[1])


def test_a_training_has_the_bits_of_one_device_and_one_size_of_stack() -> None:
    stack, larger = (Stack(layout(), size, device=DEVICE) for size in (2, 4))
    slot, other = entered(stack, 0), entered(larger, 0)
    state = stack.state(slot)
    with pytest.raises(ValueError, match=r"2 at a time, not on \w+, 4 at a time"):
        larger.restore(other, state)
    with pytest.raises(ValueError, match="is not one of this stack: device"):
        stack.restore(slot, alone(CELL["net"], 0).state() | momenta_of(state))
    with pytest.raises(ValueError, match="is not one of this network: device"):
        alone(CELL["net"], 0).restore(state)
    with pytest.raises(ValueError, match=r"classifier.bias.*does not fit"):
        stack.restore(slot, {**state, "classifier.bias": np.zeros(7)})
    cell = CELLS[0]
    with pytest.raises(Unresumable, match=r"2 at a time, not on \w+, 4 at a time"):
        StackedTraining([cell], LOG, device=DEVICE, size=SIZE).train(
            cell, TRAIN, TEST, start=snapshot_of(cell, state)
        )


def momenta_of(state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array for name, array in state.items() if name.startswith("momentum of ")}


def snapshot_of(cell: dict[str, Any], state: dict[str, np.ndarray]) -> Snapshot:
    order = generator(cell["seed"], role="order")
    return Snapshot({"generator": dict(order.bit_generator.state)}, state)


def test_the_size_of_a_stack_follows_from_its_architecture_and_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert stack_size(layout()) == stack_size(layout(n_train=10**6)) == stacked.MOST_NETWORKS
    monkeypatch.setattr(stacked, "MOST_BYTES", 5 * 10**6)
    sizes = [stack_size(layout("vgg11_bn", width=width)) for width in (4, 8, 16)]
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] == 1
    assert all(size & (size - 1) == 0 for size in sizes)
    assert stack_size(layout("vgg11_bn", width=8, batch_size=64)) < sizes[1]


def test_too_little_memory_halves_the_stack_aloud(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    step, tried = Stack._step, []

    def crowded(stack: Stack, *arguments: Any) -> torch.Tensor:
        tried.append(stack.size)
        if stack.size > 2:
            raise torch.cuda.OutOfMemoryError
        return step(stack, *arguments)

    monkeypatch.setattr(Stack, "_step", crowded)
    assert make_stack(layout(), 8, device=DEVICE, log=LOG).size == 2
    assert tried == [8, 4, 2]
    assert "out of memory with 8 networks at a time, now 4" in caplog.text
    assert "out of memory with 4 networks at a time, now 2" in caplog.text
    (cell,) = trained([CELLS[3]], size=4)
    assert f" of 2 on {NAME}" in cell.row["versions"]
    monkeypatch.setattr(
        Stack, "_step", lambda *_: (_ for _ in ()).throw(torch.cuda.OutOfMemoryError)
    )
    with pytest.raises(torch.cuda.OutOfMemoryError):
        make_stack(layout(), 2, device=DEVICE, log=LOG)


def test_a_rehearsal_leaves_nothing_behind() -> None:
    plain = Stack(layout(), 2, device=DEVICE)
    rehearsed = make_stack(layout(), 2, device=DEVICE, log=LOG)
    for stack in (plain, rehearsed):
        stack.train([Work(entered(stack, 0), orders(1, 2)[0], 0.0)])
    (slot,) = set(range(2)) - set(plain._free)
    assert_same_state(plain.state(slot), rehearsed.state(slot))


def test_a_fault_of_the_device_reaches_everybody_who_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    training = StackedTraining(CELLS[:1], LOG, device=DEVICE, size=1)

    def fail(*_: Any) -> None:
        raise RuntimeError("the device is gone")

    monkeypatch.setattr(Stack, "train", fail)
    with pytest.raises(RuntimeError, match="the device is gone"):
        training.train(CELLS[0], TRAIN, TEST)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(NoDevice, match="torch sees no CUDA device"):
        StackedTraining(CELLS, LOG)
    with pytest.raises(NoDevice, match="torch sees no CUDA device"):
        train_srhm([entry_of(CELLS[0])], SAMPLES, store=tmp_path, gpu=1)


def test_no_tensor_is_made_where_torch_would_make_it_by_default() -> None:
    """A factory without a device makes a tensor without storage here, which no other accepts."""
    cell = CELLS[0]
    (expected,) = trained([cell])
    with META:
        training = StackedTraining([cell], LOG, device=DEVICE, size=SIZE)
        found = training.train(cell, TRAIN, TEST)
    assert_same_bits(found, expected)


@pytest.mark.parametrize("net", ["vgg11", "resnet18", "efficientnetb0"])
def test_nothing_of_a_stack_is_on_the_processor_when_it_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch, net: str
) -> None:
    """The device "meta" refuses tensors of the processor, as a GPU does; it computes nothing."""
    fetched = []

    def fetch(_: Stack, tensor: torch.Tensor) -> np.ndarray:
        fetched.append(tensor.device)
        return np.ones(tensor.shape)

    monkeypatch.setattr(Stack, "_fetched", fetch)
    stack = make_stack(layout(net), 2, device=META, log=LOG)
    slot = entered(stack, 0)
    assert stack.train([Work(slot, orders(1, 2)[0], 0.0)]) == [1.0]
    assert stack.test_errors([slot]) == [1 - 1 / 30]
    stack.state(slot)
    stack.weights(slot)
    stack.retire(slot)
    assert set(fetched) == {META}
    with pytest.raises(RuntimeError, match="device"):  # as this test would find it
        stack._inputs(torch.zeros(3, 16, dtype=torch.int16)) + torch.zeros(3, 3, 16)


def entry_of(cell: dict[str, Any]) -> dict[str, Any]:
    return {"key": f"{cell['P']:02d}{cell['seed']}" * 8, "source": "0" * 12, "cell": cell}


def test_a_curve_is_trained_on_the_gpu_of_its_job_and_taken_by_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(stacked, "device_for_stacks", lambda: DEVICE)
    monkeypatch.setattr(stacked, "MOST_NETWORKS", 2)
    cell = {**CELL, "net": "resnet18", "learning_rate": 1e-3}
    entries = [entry_of({**cell, "P": P, "seed": seed}) for P in (13, 20) for seed in (0, 1)]
    train = partial(train_srhm, entries, SAMPLES, store=tmp_path)
    ours = train(gpu=1)
    assert all(" stacked " in cell.row["versions"] for cell in ours)
    assert "4 to train" in caplog.text
    caplog.clear()
    for gpu in (0, 1):
        assert [cell.row for cell in train(gpu=gpu)] == [cell.row for cell in ours]
    assert "0 to train" in caplog.text
    caplog.clear()
    # As stored by other code.
    monkeypatch.setattr(outdated, "ON_GPU", re.compile("(stacked) ([0-9a-f]{3})"))
    again = train(gpu=0)
    assert "trained on a GPU by other code" in caplog.text
    assert "4 to train" in caplog.text
    assert not any(" stacked " in cell.row["versions"] for cell in again)
    for one, other in zip(again, ours, strict=True):
        assert one.row["steps"] == other.row["steps"]
        assert one.row["train_loss"] == pytest.approx(other.row["train_loss"], rel=1e-4)


def test_the_benchmark_runs_through_on_a_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stacked.json"
    sizes = ["--width", "4", "--sizes", "1", "2", "--steps", "1", "--seconds", "0", "--repeats"]
    options = ["--device", "cpu", "--nets", "vgg11_bn", *sizes, "2", "--output", str(file)]
    monkeypatch.setattr(sys, "argv", [str(BENCHMARK), *options])
    runpy.run_path(str(BENCHMARK), run_name="__main__")
    found = json.loads(file.read_text())
    assert found["machine"]["device"] == "cpu"
    assert "torch" in found["machine"]["versions"]
    (row,) = found["rows"]
    assert (row["net"], row["H"], row["size_of_the_rule"]) == ("vgg11_bn", 4, 16)
    for rates in (*row["stacked"].values(), row["one_by_one"], row["processor"]):
        assert len(rates) == 2
        assert min(rates) > 0
    assert row["stacked"].keys() == {"1", "2"}
