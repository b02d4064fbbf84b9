"""Networks with whitening or biases on a processor: autograd (reference) and by hand (dense).

    python benchmarks/practice.py [--repeats N]

times steps of the cells of config/quick.yaml that have whitening or biases with both engines, which
take turns. One thread, processor time. It prints and writes results/benchmarks/practice.md, .json.
"""

import argparse
import json
import os
import time
from pathlib import Path
from statistics import mean, stdev
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when torch and numpy are imported

import yaml

from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_biases, initial_weights
from srhm.results.provenance import versions
from srhm.training.cell import points_of_a_step, processor
from srhm.training.configuration import HierarchySection
from srhm.training.dense import DenseEngine
from srhm.training.plan import plan
from srhm.training.reference import ReferenceEngine

ENGINES = {"before": ReferenceEngine, "after": DenseEngine}
FOLDER = Path("results/benchmarks")
CONFIG = Path(__file__).parents[1] / "config" / "quick.yaml"
STEPS = 300
KIND = ("net", "L", "v", "s0", "width", "whitening", "bias", "batch")


def cells() -> list[dict[str, Any]]:
    """The cell of largest P of each curve of quick with whitening or biases."""
    section = HierarchySection.model_validate(
        yaml.safe_load(CONFIG.read_text())["sparse_hierarchy"]
    )
    curves = plan(section, CONFIG.parents[1]).curves.values()
    largest = [dict(max(curve.cells, key=lambda cell: cell["P"])) for curve in curves]
    return [cell for cell in largest if cell["whitening"] or cell["bias"]]


def times(cell: dict[str, Any], *, n_repeats: int) -> dict[str, list[float]]:
    """Milliseconds a step in each repeat, by engine."""
    parameters = parameters_of(cell)
    samples = draw_samples(parameters, [0], n_train=cell["P"], n_test=100)
    shape = geometry(cell["net"], parameters, width=cell["width"])
    stream = generator(0, role="initialisation")
    weights = initial_weights(shape, generator=stream)
    biases = initial_biases(shape, generator=stream) if cell["bias"] else None
    size = points_of_a_step(cell)
    engines = {
        name: made(
            shape,
            weights,
            samples[0, "train"],
            samples[0, "test"],
            batch_size=size,
            rate=1e-3 * cell["width"],
            momentum=cell["momentum"],
            biases=biases,
            whitening=cell["whitening"],
        )
        for name, made in ENGINES.items()
    }
    order = generator(0, role="order")
    found: dict[str, list[float]] = {name: [] for name in ENGINES}
    for repeat in range(n_repeats + 1):
        points = order.integers(cell["P"], size=STEPS * size)
        for name, engine in engines.items():
            clock = time.process_time()
            engine.steps(points)
            if repeat:  # the first warms up
                found[name].append((time.process_time() - clock) / STEPS * 1e3)
    return found


def main() -> None:
    """Times all cells and writes the table after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    n_repeats = parser.parse_args().repeats
    rows: list[dict[str, Any]] = []
    lines = [
        f"{processor()}; {versions(('numpy', 'torch'))}; one thread, processor time.",
        f"Milliseconds a step, mean ± sd (fastest) of {n_repeats} repeats of {STEPS} steps;"
        " ratio of the fastest.",
        "",
        "| net | L | v | s0 | H | whitening | bias | batch | before | after | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for cell in cells():
        found = times(cell, n_repeats=n_repeats)
        row = {name: cell[name] for name in KIND} | {f"{k}_ms": v for k, v in found.items()}
        rows.append(row | {"ratio": min(found["before"]) / min(found["after"])})
        shown = [f"{mean(v):.3f} ± {stdev(v):.3f} ({min(v):.3f})" for v in found.values()]
        own = [str(cell[name]) for name in KIND]
        lines.append(f"| {' | '.join([*own, *shown])} | {rows[-1]['ratio']:.1f} |")
        print(lines[-1], flush=True)
        (FOLDER / "practice.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (FOLDER / "practice.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
