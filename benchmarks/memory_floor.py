"""What memory alone asks of a step of the sparse engine at H = 512: bare passes over its rows.

    python benchmarks/memory_floor.py [--quick]

A step reads the rows that its batch needs twice: forward, to find the errors, and in the update,
which also writes them. The bare passes do this to the very rows of recorded steps, in order of
address, with one multiplication a number: no activations, no lists, no sums. What they take is the
least that any engine of two passes takes here. Engine and passes take turns in one process.
Prints and writes results/benchmarks/memory_floor.md and .json.
"""

import argparse
import json
import os
import time
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when numpy is imported

import numba
import numpy as np
from numpy.typing import NDArray
from step_time import BATCH, FOLDER, TRAINED_STEPS, cell, problem, processor, timed

from srhm.model.seeding import generator
from srhm.networks.geometry import initial_weights
from srhm.results.provenance import versions
from srhm.training.sparse import SparseEngine
from srhm.training.sparse_kernels import aligned

WIDTH, N_TRAIN, N_STEPS = 512, 2000, 50
FAST = {"reassoc", "contract"}

Array = NDArray[Any]


@numba.njit(fastmath=FAST)
def _two_passes(weights: Array, momenta: Array, new: Array, old: Array, out: Array) -> None:
    """Reads weights of all rows, momenta of the old ones; then updates all of both."""
    c = weights.dtype.type(0.9)
    for r in new:
        for h in range(weights.shape[1]):
            out[h] += weights[r, h]
    for r in old:
        for h in range(weights.shape[1]):
            out[h] += weights[r, h] - c * momenta[r, h]
    for rows in (old, new):
        for r in rows:
            for h in range(weights.shape[1]):
                m = c * momenta[r, h]
                momenta[r, h] = m
                weights[r, h] -= c * m


@numba.njit(fastmath=FAST)
def _side_by_side(pairs: Array, new: Array, old: Array, out: Array) -> None:
    """The same of rows that hold weights, then momenta."""
    c, n = pairs.dtype.type(0.9), pairs.shape[1] // 2
    for r in new:
        for h in range(n):
            out[h] += pairs[r, h]
    for r in old:
        for h in range(n):
            out[h] += pairs[r, h] - c * pairs[r, n + h]
    for rows in (old, new):
        for r in rows:
            for h in range(n):
                m = c * pairs[r, n + h]
                pairs[r, n + h] = m
                pairs[r, h] -= c * m


def recorded(engine: SparseEngine, stream: np.random.Generator) -> list[tuple[Array, Array]]:
    """Rows of each of some steps, updated in the step before and older."""
    found = []
    for _ in range(N_STEPS):
        before = engine._state.stamps.copy()
        engine.steps(stream.integers(N_TRAIN, size=BATCH))
        rows = np.flatnonzero(engine._state.stamps == engine._steps)
        is_old = engine._steps - 1 - before[rows] > 0
        found.append((rows[~is_old], rows[is_old]))
    return found


def measure(coordinates: dict[str, Any], *, n_repeats: int) -> dict[str, Any]:
    """One row of the table."""
    shape, train, test, choice = problem(coordinates)
    weights = initial_weights(shape, generator=generator(0, role="initialisation"))
    engine = SparseEngine(shape, weights, train, test, **choice)
    stream = np.random.default_rng(0)
    engine.steps(stream.integers(N_TRAIN, size=BATCH * TRAINED_STEPS[WIDTH]))
    steps = recorded(engine, stream)
    state = engine._state
    own = aligned(state.weights.shape, np.float32), aligned(state.weights.shape, np.float32)
    pairs = aligned((len(state.weights), 2 * WIDTH), np.float32)
    out = np.zeros(WIDTH, np.float32)
    bare = {
        "two passes": lambda new, old: _two_passes(*own, new, old, out),
        "side by side": lambda new, old: _side_by_side(pairs, new, old, out),
    }
    times: dict[str, list[float]] = {name: [] for name in ("engine", *bare)}
    for passes in bare.values():
        passes(*steps[0])  # compiled here
    for _ in range(n_repeats):
        times["engine"].append(timed(engine, stream, N_TRAIN, N_STEPS))
        for name, passes in bare.items():
            clock = time.perf_counter()
            for new, old in steps:
                passes(new, old)
            times[name].append((time.perf_counter() - clock) / N_STEPS * 1e3)
    row_bytes = WIDTH * state.weights.itemsize
    moved = np.mean([5 * len(new) + 6 * len(old) for new, old in steps]) * row_bytes
    fastest = {name: min(values) for name, values in times.items()}
    return coordinates | {
        "all_megabytes": 2 * state.weights.nbytes / 1e6,
        "moved_megabytes": moved / 1e6,
        "ms": times,
        "share": fastest["two passes"] / fastest["engine"],
        "gigabytes_per_second": moved / fastest["engine"] / 1e6,
    }


def table(rows: list[dict[str, Any]], machine: dict[str, Any]) -> str:
    """The rows in Markdown, with what they were measured on."""
    lines = [
        f"{machine['processor']}; {machine['versions']}; one thread.",
        f"Milliseconds a step, mean ± sd (fastest) of {machine['n_repeats']} repeats of {N_STEPS}"
        f" steps. H = {WIDTH}, s = 2, v = m = n_c = 8, batch {BATCH}, float32. all: weights and"
        " momenta. moved: what both passes read and write. share: of the fastest two passes in the"
        " fastest step.",
        "",
        "| net | L | s0 | all (MB) | moved (MB) | engine | two passes | side by side | share"
        " | GB/s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        columns = [row["net"].upper(), str(row["L"]), str(row["s0"])]
        columns += [f"{row[name]:.0f}" for name in ("all_megabytes", "moved_megabytes")]
        for values in row["ms"].values():
            mean, sd = np.mean(values), np.std(values, ddof=1)
            columns.append(f"{mean:.3g} ± {sd:.1g} ({min(values):.3g})")
        columns += [f"{row['share']:.2f}", f"{row['gigabytes_per_second']:.0f}"]
        lines.append("| " + " | ".join(columns) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 repeats instead of 10")
    n_repeats = 3 if parser.parse_args().quick else 10
    machine = {
        "processor": processor(),
        "versions": versions(["numpy", "numba"]),
        "n_repeats": n_repeats,
    }
    rows = []
    for depth, n_empty in ((2, 0), (2, 2), (3, 0), (3, 1), (3, 2)):
        for net in ("lcn", "cnn"):
            coordinates = cell(net, depth, n_empty, WIDTH, N_TRAIN)
            rows.append(measure(coordinates, n_repeats=n_repeats))
            print(table(rows[-1:], machine).splitlines()[-1], flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = table(rows, machine)
    (FOLDER / "memory_floor.md").write_text(text)
    content = {"machine": machine, "rows": rows}
    (FOLDER / "memory_floor.json").write_text(json.dumps(content, indent=1))
    print("\n" + text)


if __name__ == "__main__":
    main()
