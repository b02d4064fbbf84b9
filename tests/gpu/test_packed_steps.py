"""Weights, momenta, losses and test errors of the packed engine against autograd."""

import numpy as np
import pytest

pytest.importorskip("triton", reason="the packed engine needs triton: make test-gpu-interpreter")

from small_networks import RATE, pack, present_momenta, task
from small_tasks import Task

from srhm.training.reference import ReferenceEngine
from srhm.training.rounds import Work

# As of the sparse engine: ‖w - w_oracle‖ / ‖w_oracle - w_0‖ of each layer.
LARGEST_DEVIATION = {np.float32: 1e-3, np.float64: 1e-10}
N_STEPS = 7
CASES = [
    (net, depth, branching, n_empty)
    for net in ("lcn", "cnn", "fcn")
    for depth, branching, n_empty in [
        (1, 2, 1),
        (1, 3, 2),
        (2, 2, 0),
        (2, 2, 2),
        (2, 3, 1),
        (3, 2, 1),
        (3, 3, 0),
    ]
]


def oracle_of(one: Task, dtype: type, batch_size: int = 4) -> ReferenceEngine:
    return ReferenceEngine(*one, batch_size=batch_size, rate=RATE, momentum=0.9, dtype=dtype)


def deviation(ours: np.ndarray, theirs: np.ndarray, start: np.ndarray) -> float:
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs - start))


def momenta_of(oracle: ReferenceEngine) -> np.ndarray:
    """Momenta of all hidden layers as rows."""
    state = oracle.state()
    names = sorted(n for n in state if n.startswith("momentum of") and "layer" in n)
    return np.concatenate([state[name].reshape(-1, state[name].shape[-1]) for name in names])


@pytest.mark.parametrize(("net", "depth", "branching", "n_empty"), CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_and_momenta_follow_autograd(
    net: str, depth: int, branching: int, n_empty: int, dtype: type
) -> None:
    one = task(net, depth, branching, n_empty)
    _, start, train, test = one
    packed, oracle = pack(one, dtype=dtype), oracle_of(one, dtype)
    slot = packed.enter(start, train, test, rate=RATE)
    stream = np.random.default_rng(5)
    for step in range(N_STEPS):
        size = 3 if step == 3 else 4  # the last batch of an epoch may be short
        order = stream.integers(len(train), size=size)
        expected = oracle.steps(order)
        (found,) = packed.train([Work(slot, order, 0.0)])
        assert found == pytest.approx(expected, rel=LARGEST_DEVIATION[dtype])
    for name, theirs in oracle.weights().items():
        ours = packed.weights(slot)[name]
        assert deviation(ours, theirs, start[name]) < LARGEST_DEVIATION[dtype], name
    theirs = momenta_of(oracle)
    ours = present_momenta(packed.state(slot))
    assert deviation(ours, theirs, np.zeros_like(theirs)) < LARGEST_DEVIATION[dtype]


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_test_errors_are_those_of_the_dense_network(net: str) -> None:
    one = task(net, 2, 2, 1)
    _, start, train, test = one
    packed, oracle = pack(one), oracle_of(one, np.float64)
    slot = packed.enter(start, train, test, rate=RATE)
    order = np.arange(12)
    oracle.steps(order)
    packed.train([Work(slot, order, 0.0)])
    assert packed.test_errors([slot]) == [oracle.test_error()]
    assert 0 < oracle.test_error() < 1


def test_a_tie_is_an_error() -> None:
    one = task("cnn", 1, 2, 1)
    _, start, train, test = one
    packed = pack(one)
    silent = {**start, "readout": np.zeros_like(start["readout"])}
    assert packed.test_errors([packed.enter(silent, train, test, rate=RATE)]) == [1.0]


@pytest.mark.parametrize(("net", "batch_size"), [("cnn", 1), ("cnn", 13), ("fcn", 6), ("lcn", 9)])
def test_any_size_of_batch_and_of_group_follows_autograd(net: str, batch_size: int) -> None:
    one = task(net, 2, 2, 1)
    _, start, train, test = one
    packed, oracle = pack(one, batch_size=batch_size), oracle_of(one, np.float64, batch_size)
    slot = packed.enter(start, train, test, rate=RATE)
    order = np.random.default_rng(5).integers(len(train), size=2 * batch_size + batch_size // 2)
    assert packed.train([Work(slot, order, 0.0)]) == [pytest.approx(oracle.steps(order))]
    for name, theirs in oracle.weights().items():
        assert deviation(packed.weights(slot)[name], theirs, start[name]) < 1e-10


def test_channels_beyond_the_width_stay_zero() -> None:
    one = task("lcn", 2, 2, 1)
    shape, start, train, test = one
    packed = pack(one)
    slot = packed.enter(start, train, test, rate=RATE)
    packed.train([Work(slot, np.arange(12), 0.0)])
    for name in ("rows", "readout"):
        array = packed._networks[name]
        assert array.shape[-1] > shape.width
        assert array[..., : shape.width].any()
        assert not array[..., shape.width :].any()
