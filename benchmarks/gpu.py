"""Steps a second of packed networks on a GPU, and its share of the memory bandwidth.

    python benchmarks/gpu.py [--quick] [--seconds 0.5] [--output results/benchmarks/gpu.json]

For each shape: the packed engine against the size of the pack; one network at a time as a dense
PyTorch module on the same card; one on the sparse engine of the CPU, one thread. Bytes are those of
the rows that a step updates, weights and momenta, each read once and written once; the bandwidth is
that of a copy of 1 GB, read and written, measured in the same run. Prints a table after each row,
and writes JSON with device, versions, repeats and command.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when torch and numpy are imported

import numpy as np
import torch
from dense_module import DenseEngine
from step_time import processor

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.sampling import draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.results.provenance import versions
from srhm.results.sources import digest_of
from srhm.training import packed
from srhm.training.packed import Pack, PackLayout, device_for_packs, device_name, n_networks
from srhm.training.rounds import Work
from srhm.training.sparse import SparseEngine

BATCH, N_FEATURES, MOMENTUM, LEARNING_RATE = 4, 8, 0.9, 0.01
N_TRAIN, N_TEST = 4000, 2000
# Steps before anything is timed: the number of active channels decides the cost of a step.
TRAINED_STEPS = {128: 4000, 512: 1000}
SIZES = (1, 33, 66, 132, 264, 528, 1056)
COUNTED_STEPS = 20
COPIED = 2**30


def shapes(*, quick: bool) -> list[dict[str, Any]]:
    """The grid: net, L, s0, H."""
    if quick:
        return [{"net": "cnn", "L": 2, "s0": 1, "H": width} for width in (128, 512)]
    return [
        {"net": net, "L": depth, "s0": n_empty, "H": width}
        for width in (128, 512)
        for depth in (2, 3)
        for net in ("cnn", "lcn")
        for n_empty in (1, 2, 4)
    ]


def bandwidth(device: torch.device) -> float:
    """Bytes a second of a copy, read and written; the best of 10."""
    source = torch.rand(COPIED // 4, device=device)
    target = torch.empty_like(source)
    best = np.inf
    for _ in range(11):
        _wait(device)
        clock = time.perf_counter()
        target.copy_(source)
        _wait(device)
        best = min(best, time.perf_counter() - clock)
    return 2 * COPIED / best


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def rate_of(steps: Any, *, n_steps: int, seconds: float, n_repeats: int) -> list[float]:
    """Steps a second of each repeat; `steps(n)` makes n and waits for them."""
    clock = time.perf_counter()
    steps(n_steps)
    once = time.perf_counter() - clock
    times = max(1, round(seconds / once))
    found = []
    for _ in range(n_repeats):
        clock = time.perf_counter()
        for _ in range(times):
            steps(n_steps)
        found.append(times * n_steps / (time.perf_counter() - clock))
    return found


def touched(pack: Pack, slot: int, stream: np.random.Generator) -> float:
    """Bytes a step: rows that it updates, weights and momenta, read and written."""
    rows = 0
    for _ in range(COUNTED_STEPS):
        pack.train([Work(slot, stream.integers(N_TRAIN, size=BATCH), 0.0)])
        rows += int((pack._networks["stamps"][slot] == pack._steps[slot]).sum())
    item = pack._networks["rows"].element_size()
    return 4 * rows / COUNTED_STEPS * pack.layout.geometry.width * item


def measure(
    coordinates: dict[str, Any], *, seconds: float, n_repeats: int, sizes: tuple[int, ...]
) -> dict[str, Any]:
    """One row: rates of all engines."""
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
        n_train=N_TRAIN,
        n_test=N_TEST,
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    width = coordinates["H"]
    shape = geometry(coordinates["net"], parameters, width=width)
    start = initial_weights(shape, generator=generator(0, role="initialisation"))
    rate = LEARNING_RATE * width
    options = {"batch_size": BATCH, "rate": rate, "momentum": MOMENTUM}
    stream = np.random.default_rng(0)
    choice = {"seconds": seconds, "n_repeats": n_repeats}

    sparse = SparseEngine(shape, start, train, test, **options)
    sparse.steps(stream.integers(N_TRAIN, size=BATCH * TRAINED_STEPS[width]))
    weights = sparse.weights()
    row: dict[str, Any] = {**coordinates, "packed": {}, "test_points_a_second": {}}
    row["sparse"] = rate_of(
        lambda n: sparse.steps(stream.integers(N_TRAIN, size=n * BATCH)), n_steps=200, **choice
    )

    device = device_for_packs()
    if device.type == "cuda":
        dense = DenseEngine(shape, weights, train, **options, device=device)

        def dense_steps(n: int) -> None:
            dense.steps(stream.integers(N_TRAIN, size=n * BATCH))
            _wait(device)

        row["dense"] = rate_of(dense_steps, n_steps=50, **choice)
        del dense

    layout = PackLayout(shape, batch_size=BATCH, momentum=MOMENTUM, n_train=N_TRAIN, n_test=N_TEST)
    n_steps = packed.STEPS_OF_A_ROUND if device.type == "cuda" else 1
    for size in sizes:
        free = torch.cuda.mem_get_info()[0] if device.type == "cuda" else 2**33
        if n_networks(layout, size, free=free) < size:
            break
        pack = Pack(layout, size, device=device)
        slots = [pack.enter(weights, train, test, rate=rate) for _ in range(size)]

        def steps(n: int, pack: Pack = pack, slots: list[int] = slots) -> None:
            orders = stream.integers(N_TRAIN, size=(len(slots), n * BATCH))
            pack.train([Work(s, order, 0.0) for s, order in zip(slots, orders, strict=True)])

        steps(n_steps)  # compiles
        cell_steps = [size * r for r in rate_of(steps, n_steps=n_steps, **choice)]
        row["packed"][str(size)] = cell_steps
        row["bytes_a_step"] = touched(pack, slots[0], stream)
        clock = time.perf_counter()
        pack.test_errors(slots)
        pack.test_errors(slots)
        spent = (time.perf_counter() - clock) / 2
        row["test_points_a_second"][str(size)] = size * N_TEST / spent
        del pack
        if device.type == "cuda":
            torch.cuda.empty_cache()
    return row


def best_of(row: dict[str, Any]) -> tuple[str, float]:
    """Size of the fastest pack, and its steps a second (median of the repeats)."""
    medians = {size: float(np.median(rates)) for size, rates in row["packed"].items()}
    return max(medians.items(), key=lambda item: item[1])


def line(row: dict[str, Any], copy: float) -> str:
    """A row of the table."""
    size, packed_rate = best_of(row)
    sparse = float(np.median(row["sparse"]))
    dense = float(np.median(row["dense"])) if "dense" in row else float("nan")
    share = packed_rate * row["bytes_a_step"] / copy
    alone = float(np.median(row["packed"]["1"]))
    return (
        f"| {row['net'].upper()} | {row['L']} | {row['s0']} | {row['H']} | {size} |"
        f" {packed_rate:.4g} | {alone:.4g} | {dense:.4g} | {packed_rate / dense:.0f} |"
        f" {sparse:.4g} | {packed_rate / sparse:.0f} | {row['bytes_a_step'] / 1e6:.2f} |"
        f" {100 * share:.0f} % |"
    )


HEADER = (
    "| net | L | s0 | H | pack | steps/s | pack of 1 | dense, same card | ratio | CPU engine |"
    " ratio | MB a step | of bandwidth |\n" + "|---" * 13 + "|"
)


def main() -> None:
    """Measures, prints and writes after each row, so that a run that is cut leaves what it has."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="CNN, L = 2, s0 = 1 only")
    parser.add_argument("--seconds", type=float, default=0.5, help="of one repeat")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="of packs")
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks/gpu.json"))
    choice = parser.parse_args()
    torch.set_num_threads(1)
    device = device_for_packs()
    copy = bandwidth(device)
    machine = {
        "device": device_name(device),
        "processor": processor(),
        "versions": versions(["numpy", "numba", "torch", "triton"]),
        "bandwidth": copy,
        "n_repeats": choice.repeats,
        "command": " ".join(["python", *sys.argv]),
        "source": digest_of("srhm.training.packed:"),
    }
    print(f"{machine['device']}; {machine['versions']}; copy {copy / 1e9:.0f} GB/s\n\n{HEADER}")
    choice.output.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for coordinates in shapes(quick=choice.quick):
        rows.append(
            measure(
                coordinates,
                seconds=choice.seconds,
                n_repeats=choice.repeats,
                sizes=tuple(choice.sizes),
            )
        )
        print(line(rows[-1], copy), flush=True)
        choice.output.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
