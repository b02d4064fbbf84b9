"""The sparse engine against autograd, and what makes it safe to use: threads, caches, memory."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from small_tasks import Task, task

import srhm
from srhm.training.reference import ReferenceEngine
from srhm.training.sparse import SparseEngine

PACKAGE = Path(srhm.__file__).parent
# ‖w - w_oracle‖ / ‖w_oracle - w_0‖ of each layer, from the same float32 initial values.
LARGEST_DEVIATION = {np.float32: 1e-3, np.float64: 1e-10}
# Steps of a trajectory, each of which is compared.
N_STEPS = 200


def deviations(
    engine: SparseEngine, oracle: ReferenceEngine, start: dict[str, np.ndarray]
) -> list[float]:
    """Relative deviation from the oracle, for each layer."""
    ours, theirs = engine.weights(), oracle.weights()
    return [
        float(np.linalg.norm(ours[name] - w) / np.linalg.norm(w - start[name]))
        for name, w in theirs.items()
    ]


def options(width: int, **changes: Any) -> dict[str, Any]:
    """Batch of 4, the paper's rate."""
    return {"batch_size": 4, "rate": 0.01 * width, "momentum": 0.9} | changes


CASES = [
    (net, depth, branching, n_empty)
    for net in ("lcn", "cnn", "fcn")
    for depth, branching, n_empty in [
        (1, 2, 1),
        (1, 3, 3),
        (2, 2, 0),
        (2, 2, 3),
        (2, 3, 1),
        (3, 2, 1),
        (3, 2, 3),
        (3, 3, 0),
    ]
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("net", "depth", "branching", "n_empty"), CASES)
def test_weights_and_losses_follow_autograd(
    net: str, depth: int, branching: int, n_empty: int, dtype: type
) -> None:
    width = 19
    shape, start, train, test = task(net, depth, branching, n_empty, width=width)
    arguments = (shape, start, train, test)
    engine = SparseEngine(*arguments, **options(width), dtype=dtype)
    oracle = ReferenceEngine(*arguments, **options(width), dtype=dtype)
    stream = np.random.default_rng(5)
    for step in range(N_STEPS):
        size = 3 if step % 50 == 49 else 4  # the last batch of an epoch may be short
        order = stream.integers(len(train), size=size)
        expected = oracle.steps(order)
        assert engine.steps(order) == pytest.approx(expected, rel=LARGEST_DEVIATION[dtype])
        assert max(deviations(engine, oracle, start)) < LARGEST_DEVIATION[dtype]
    assert engine.test_error() == pytest.approx(oracle.test_error(), abs=0.011)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
@pytest.mark.parametrize("batch_size", [1, 13, 40])
def test_any_size_of_batch_follows_autograd(net: str, batch_size: int, dtype: type) -> None:
    shape, start, train, test = task(net, 2, 2, 1, width=33)
    choice = options(33, batch_size=batch_size, dtype=dtype)
    engine = SparseEngine(shape, start, train, test, **choice)
    oracle = ReferenceEngine(shape, start, train, test, **choice)
    order = np.random.default_rng(5).integers(len(train), size=200 * batch_size)
    assert engine.steps(order) == pytest.approx(oracle.steps(order), rel=1e-4)
    assert max(deviations(engine, oracle, start)) < LARGEST_DEVIATION[dtype]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_rows_that_rest_for_long_follow_autograd(momentum: float, dtype: type) -> None:
    shape, start, train, test = task("lcn", 2, 2, 3, width=16)
    choice = options(16, momentum=momentum, dtype=dtype)
    engine = SparseEngine(shape, start, train, test, **choice)
    oracle = ReferenceEngine(shape, start, train, test, **choice)
    stream = np.random.default_rng(5)
    few, others = train.positions[:, 0] < 16, np.flatnonzero(train.positions[:, 0] >= 16)
    assert 0 < few.sum() < len(train)  # two sets with no weight of the first leaf in common
    for steps, points in [(20, np.flatnonzero(few)), (720, others), (20, np.flatnonzero(few))]:
        order = stream.choice(points, size=4 * steps)
        assert engine.steps(order) == pytest.approx(oracle.steps(order), rel=1e-4)
        assert max(deviations(engine, oracle, start)) < LARGEST_DEVIATION[dtype]


def test_results_are_the_same_bits_in_threads_and_alone() -> None:
    tasks = [task(net, 2, 2, 1, width=width) for net in ("lcn", "cnn") for width in (32, 48)]

    def trained(one: Task) -> tuple[float, float, dict[str, np.ndarray]]:
        shape, start, train, test = one
        engine = SparseEngine(shape, start, train, test, **options(shape.width))
        loss = engine.steps(np.random.default_rng(5).integers(len(train), size=8000))
        return loss, engine.test_error(), engine.weights()

    alone = [trained(one) for one in tasks]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(trained, tasks))
    for a, b in zip(alone, together, strict=True):
        assert a[:2] == b[:2]
        for name in a[2]:
            assert_array_equal(a[2][name], b[2][name])


CATCH_UP = """
import numpy as np
from srhm.training import sparse_kernels as k
one = np.ones((1, 3), np.float32)
state = k.State(one, one, np.zeros(1, np.int32), one, one)
rates = k.Rates(np.float32(1), np.float32(0), one[0], one[0])
rows = one.copy()
k.catch_up(rows, 5, state, rates)
print(rows[0, 0], sum(k.catch_up.stats.cache_hits.values()))
"""


def test_an_edited_kernel_never_meets_old_machine_code(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "srhm", ignore=shutil.ignore_patterns("__pycache__"))
    source = tmp_path / "srhm" / "training" / "sparse_kernels.py"
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def run() -> list[str]:
        command = [sys.executable, "-c", CATCH_UP]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.split()

    assert run() == ["0.0", "0"]
    assert run() == ["0.0", "1"]  # kept
    before = source.stat()
    text = source.read_text()
    edited = text.replace(
        "weights[row, h] -= lag * state.momenta", "weights[row, h] += lag * state.momenta"
    )
    assert edited != text
    source.write_text(edited)
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time
    assert run() == ["2.0", "0"]
