"""Named nets on a processor: PyTorch's autograd (before) and gradients by hand (after), in one run.

    python benchmarks/named_nets.py [--nets ...] [--points ...] [--seeds N]

times steps of the named nets of config/quick.yaml with both engines, which take turns, and then
trains whole cells of it with both (--points: their P; none: no cells). One thread, processor time.
It prints and writes results/benchmarks/named_nets.md and .json after each row.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from statistics import mean, stdev
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when torch and numpy are imported

import numpy as np
import torch
import yaml

from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.store.provenance import versions
from srhm.training.autograd import NetworkEngine
from srhm.training.cell import points_of_a_step, processor, train_cell
from srhm.training.configuration import NamedSection
from srhm.training.plan import plan
from srhm.training.tape_engine import TapedEngine

ENGINES = {"before": NetworkEngine, "after": TapedEngine}
FOLDER = Path("results/benchmarks")
CONFIG = Path(__file__).parents[1] / "config" / "quick.yaml"


def quick_cells() -> dict[str, list[dict[str, Any]]]:
    """Cells of the named nets of the preset quick, by net."""
    section = NamedSection.model_validate(yaml.safe_load(CONFIG.read_text())["named_nets"])
    found: dict[str, list[dict[str, Any]]] = {}
    for curve in plan(section, CONFIG.parents[1]).curves.values():
        for cell in curve.cells:
            found.setdefault(cell["net"], []).append(dict(cell))
    return found


def step_times(cell: dict[str, Any], *, n_repeats: int, n_steps: int) -> dict[str, Any]:
    """Milliseconds of a step in each repeat, by engine."""
    parameters = parameters_of(cell)
    samples = draw_samples(parameters, [0], n_train=cell["P"], n_test=cell["n_test"])
    engines = {
        name: made.of_cell(
            cell,
            parameters,
            samples[0, "train"],
            samples[0, "test"],
            generator=generator(0, role="initialisation"),
            batch_size=points_of_a_step(cell),
            momentum=cell["momentum"],
        )
        for name, made in ENGINES.items()
    }
    stream = np.random.default_rng(0)
    row: dict[str, Any] = {"net": cell["net"], "before": [], "after": []}
    for repeat in range(n_repeats + 1):
        for name, engine in engines.items():
            order = stream.integers(cell["P"], size=n_steps * points_of_a_step(cell))
            clock = time.process_time()
            engine.steps(order)
            if repeat:  # the first one compiles and chooses kernels
                row[name].append((time.process_time() - clock) / n_steps * 1e3)
    return row


def trained(cell: dict[str, Any]) -> dict[str, Any]:
    """Seconds, steps and errors of a whole cell, by engine."""
    samples = draw_samples(
        parameters_of(cell), [cell["seed"]], n_train=cell["P"], n_test=cell["n_test"]
    )
    data = samples[cell["seed"], "train"], samples[cell["seed"], "test"]
    row: dict[str, Any] = {name: cell[name] for name in ("net", "P", "seed")}
    for name, made in ENGINES.items():
        clock = time.process_time()
        found = train_cell(cell, *data, make_engine=made).row
        row[name] = {"seconds": time.process_time() - clock}
        row[name] |= {key: found[key] for key in ("steps", "status", "test_error")}
    return row


def text_of(record: dict[str, Any]) -> str:
    """Both tables in Markdown, with what they were measured on."""
    machine = record["machine"]
    lines = [
        f"{machine['processor']}; {machine['versions']}; one thread, processor time.",
        f"Milliseconds a step, mean ± sd (fastest) of {machine['n_repeats']} repeats of"
        f" {machine['n_steps']} steps; ratio of the fastest.",
        "",
        "| net | before | after | ratio |",
        "|---|---|---|---|",
    ]
    for row in record["steps"]:
        columns = [
            f"{mean(row[name]):.3g} ± {stdev(row[name]):.2g} ({min(row[name]):.3g})"
            for name in ENGINES
        ]
        ratio = min(row["before"]) / min(row["after"])
        lines.append(f"| {row['net']} | {columns[0]} | {columns[1]} | {ratio:.1f} |")
    if record["cells"]:
        lines += ["", "Whole cells: seconds, steps, status, test error.", ""]
        lines += ["| net | P | seed | before | after | ratio |", "|---|---|---|---|---|---|"]
    for row in record["cells"]:
        columns = [
            f"{row[name]['seconds']:.1f}, {row[name]['steps']} {row[name]['status']},"
            f" {row[name]['test_error']:.3f}"
            for name in ENGINES
        ]
        ratio = row["before"]["seconds"] / row["after"]["seconds"]
        lines.append(
            f"| {row['net']} | {row['P']} | {row['seed']} | {columns[0]} | {columns[1]} |"
            f" {ratio:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures, prints and writes."""
    cells = quick_cells()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", default=list(cells), choices=list(cells))
    parser.add_argument("--points", nargs="*", type=int, default=[], help="P of whole cells")
    parser.add_argument("--seeds", type=int, default=1, help="of whole cells")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10, help="of a repeat")
    parser.add_argument("--name", default="named_nets", help="of the files")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    machine = {
        "processor": processor(),
        "versions": versions(["numpy", "numba", "torch"]),
        "n_repeats": choice.repeats,
        "n_steps": choice.steps,
        "command": " ".join(["python", *sys.argv]),
    }
    record: dict[str, Any] = {"machine": machine, "steps": [], "cells": []}

    def keep(part: str, row: dict[str, Any]) -> None:
        record[part].append(row)
        print(text_of(record).splitlines()[-1], flush=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / f"{choice.name}.json").write_text(json.dumps(record, indent=1) + "\n")
        (FOLDER / f"{choice.name}.md").write_text(text_of(record))

    for net in choice.nets if choice.repeats > 1 else []:
        largest = max(cells[net], key=lambda cell: cell["P"])
        keep("steps", step_times(largest, n_repeats=choice.repeats, n_steps=choice.steps))
    for net in choice.nets:
        for cell in cells[net]:
            for seed in range(choice.seeds):
                if cell["P"] in choice.points:
                    keep("cells", trained({**cell, "seed": seed}))
    print("\n" + text_of(record))


if __name__ == "__main__":
    main()
