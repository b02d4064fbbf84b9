"""Time of one step of SGD: sparse engine, dense PyTorch module, reference engine, a thread each.

    python benchmarks/step_time.py [--quick]

prints and writes results/benchmarks/step_time.md and .json. The engines take turns, so that a busy
machine is busy for all of them; ratios are of the fastest repeats. Before that the sparse engine
trains for a while, and all engines start from its weights, because the number of active channels
decides the cost of a step.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when torch and numpy are imported

import numba
import numpy as np
import torch
from dense_module import DenseEngine

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_weights
from srhm.store.provenance import versions
from srhm.training.cell import processor
from srhm.training.reference import ReferenceEngine
from srhm.training.sparse import SparseEngine
from srhm.training.sparse_kernels import aligned

FOLDER = Path("results/benchmarks")
BATCH, N_FEATURES, MOMENTUM, LEARNING_RATE = 4, 8, 0.9, 0.01
TRAINED_STEPS = {64: 4000, 128: 4000, 512: 1000}
# A repeat lasts about this long.
SECONDS = 0.04
COUNTED_STEPS = 50


def cell(net: str, depth: int, n_empty: int, width: int, n_train: int) -> dict[str, Any]:
    """Coordinates of one row of the table."""
    return {"net": net, "L": depth, "s0": n_empty, "H": width, "P": n_train}


def cells() -> list[dict[str, Any]]:
    """The grid of the table, then the dependence on P."""
    grid = [
        cell(net, depth, n_empty, width, 2000)
        for depth, empties in ((2, (0, 1, 2, 4)), (3, (0, 1, 2)))
        for n_empty in empties
        for width in (64, 128, 512)
        for net in ("lcn", "cnn")
    ]
    return grid + [cell("lcn", 2, 2, 128, p) for p in (1_000, 10_000, 100_000)]


def bandwidth(n_bytes: int) -> float:
    """Bytes a second of a sequential update of weights and momenta of n_bytes together."""
    weights, momenta = aligned((n_bytes // 8,), np.float32), aligned((n_bytes // 8,), np.float32)
    rounds = max(1, 2**27 // n_bytes)
    _update(weights, momenta, 1)
    best = np.inf
    for _ in range(5):
        clock = time.perf_counter()
        _update(weights, momenta, rounds)
        best = min(best, time.perf_counter() - clock)
    return 2 * n_bytes * rounds / best


@numba.njit(fastmath={"reassoc", "contract"})
def _update(weights: np.ndarray, momenta: np.ndarray, rounds: int) -> None:
    mu, eta = weights.dtype.type(0.9), weights.dtype.type(0.01)
    for _ in range(rounds):
        for i in range(len(weights)):
            momenta[i] *= mu
            weights[i] -= eta * momenta[i]


def repeated(
    engines: dict[str, Any],
    stream: np.random.Generator,
    n_train: int,
    n_repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Milliseconds a step of each engine, in repeats that take turns."""

    def timed(engine: Any, n_steps: int) -> float:
        order = stream.integers(n_train, size=n_steps * BATCH)
        begun = clock()
        engine.steps(order)
        return (clock() - begun) / n_steps * 1e3

    n_steps = {
        name: max(1, round(SECONDS * 1e3 / min(timed(engine, 3) for _ in range(3))))
        for name, engine in engines.items()
    }
    times: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(n_repeats):
        for name, engine in engines.items():
            times[name].append(timed(engine, n_steps[name]))
    return times


def touched(engine: SparseEngine, stream: np.random.Generator, n_train: int) -> tuple[float, int]:
    """Bytes that a step must read or write, and bytes of all weights and momenta.

    Each row that it updates: weights and momenta, read once and written once, and the readout.
    """
    rows = 0
    state = engine._state
    for _ in range(COUNTED_STEPS):
        engine.steps(stream.integers(n_train, size=BATCH))
        rows += int((state.stamps == engine._steps).sum())
    row = state.weights.shape[1] * state.weights.itemsize
    return 4 * (rows / COUNTED_STEPS * row + state.readout.nbytes), 2 * state.weights.nbytes


def problem(coordinates: dict[str, Any]) -> tuple[Geometry, Derivations, Derivations, Any]:
    """Geometry, training and test data of a row, and batch, rate and momentum of its engines."""
    parameters = GrammarParameters(
        depth=coordinates["L"],
        branching=2,
        n_features=N_FEATURES,
        n_synonyms=N_FEATURES,
        n_classes=N_FEATURES,
        n_empty=coordinates["s0"],
    )
    train, test = draw_sample(
        draw_grammar(parameters, generator=generator(0, role="grammar")),
        n_train=coordinates["P"],
        n_test=500,
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    width = coordinates["H"]
    shape = geometry(coordinates["net"], parameters, width=width)
    choice = {"batch_size": BATCH, "rate": LEARNING_RATE * width, "momentum": MOMENTUM}
    return shape, train, test, choice


def measure(coordinates: dict[str, Any], *, n_repeats: int, dense: bool) -> dict[str, Any]:
    """One row of the table."""
    n_train = coordinates["P"]
    shape, train, test, choice = problem(coordinates)
    weights = initial_weights(shape, generator=generator(0, role="initialisation"))
    stream = np.random.default_rng(0)
    engines: dict[str, Any] = {"sparse": SparseEngine(shape, weights, train, test, **choice)}
    engines["sparse"].steps(stream.integers(n_train, size=BATCH * TRAINED_STEPS[shape.width]))
    if dense:
        weights = engines["sparse"].weights()
        engines["dense"] = DenseEngine(shape, weights, train, **choice)
        engines["reference"] = ReferenceEngine(shape, weights, train, test, **choice)
    times = repeated(engines, stream, n_train, n_repeats)
    n_bytes, all_bytes = touched(engines["sparse"], stream, n_train)
    row = dict(coordinates)
    for name, values in times.items():
        row |= {
            f"{name}_ms": float(np.mean(values)),
            f"{name}_sd": float(np.std(values, ddof=1)),
            f"{name}_min": min(values),
        }
        if name != "sparse":
            row[f"{name}_ratio"] = min(values) / min(times["sparse"])
    rate = n_bytes / min(times["sparse"]) * 1e3
    return row | {
        "kilobytes": n_bytes / 1e3,
        "all_megabytes": all_bytes / 1e6,
        "share_of_bandwidth": rate / bandwidth(max(all_bytes, 2**16)),
        "gigabytes_per_second": rate / 1e9,
    }


def table(rows: list[dict[str, Any]], machine: dict[str, Any]) -> str:
    """The rows in Markdown, with what they were measured on."""
    lines = [
        f"{machine['processor']}; {machine['versions']}; one thread.",
        "Milliseconds a step, mean ± sd (fastest) of"
        f" {machine['n_repeats']} repeats of {SECONDS:g} s; ratios of the fastest.",
        f"s = 2, v = m = n_c = {N_FEATURES}, batch {BATCH}, float32, channels active as after some"
        " thousand steps.",
        "kB: what a step must read and write. GB/s: the same by the time of a step. share: of the"
        " rate at which all weights and momenta of the network are updated in sequence; where they"
        f" fit no cache, that is {machine['bandwidth']:.0f} GB/s.",
        "",
        "| net | L | s0 | H | P | sparse | dense | ratio | reference | ratio | kB | GB/s | share |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        columns = [row["net"].upper(), *(str(row[name]) for name in ("L", "s0", "H", "P"))]
        for name in ("sparse", "dense", "reference"):
            if f"{name}_ms" not in row:
                columns += ["", ""]
                continue
            mean, sd, fastest = (row[f"{name}_{kind}"] for kind in ("ms", "sd", "min"))
            columns.append(f"{mean:.3g} ± {sd:.1g} ({fastest:.3g})")
            if name != "sparse":
                columns.append(f"{row[f'{name}_ratio']:.1f}")
        columns += [
            f"{row['kilobytes']:.0f}",
            f"{row['gigabytes_per_second']:.0f}",
            f"{row['share_of_bandwidth']:.2f}",
        ]
        lines.append("| " + " | ".join(columns) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 repeats instead of 10")
    n_repeats = 3 if parser.parse_args().quick else 10
    torch.set_num_threads(1)
    machine = {
        "processor": processor(),
        "versions": versions(["numpy", "numba", "torch"]),
        "n_repeats": n_repeats,
        "bandwidth": bandwidth(2**28) / 1e9,
    }
    rows = []
    for coordinates in cells():
        dense = coordinates["H"] != 64 and coordinates["P"] == 2000
        rows.append(measure(coordinates, n_repeats=n_repeats, dense=dense))
        print(table(rows[-1:], machine).splitlines()[-1], flush=True)
    write("step_time", rows, machine, table(rows, machine))


def write(name: str, rows: list[dict[str, Any]], machine: dict[str, Any], text: str) -> None:
    """Writes a table and its numbers, and prints it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.md").write_text(text)
    (FOLDER / f"{name}.json").write_text(json.dumps({"machine": machine, "rows": rows}, indent=1))
    print("\n" + text)


if __name__ == "__main__":
    main()
