"""Evaluations a second of a batch of the plane against its members, on the CPU and on a GPU.

    python benchmarks/flow_gpu.py [--devices cpu cuda] [--members 1 8 64] [--quick]
                                   [--output results/benchmarks/flow_gpu.json]

Members of one seed are trained by full-batch Adam in float64. Timed is what lies between the calls
between two evaluations, before each of which a training waits for the GPU; the first evaluations,
the start and the rows are not. Evaluations are counted by member. On the CPU one thread is used, as
the workflow does. Prints a row of the table for each batch, and writes JSON with device, versions,
repeats and command. Without a CUDA device `cuda` is an error.
"""

import argparse
import json
import os
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when torch and numpy are imported

import numpy as np
import torch

from srhm.flow.configuration import FlowSection
from srhm.flow.cost import expected_bytes
from srhm.flow.gpu import device_of, free_bytes, gpu_name
from srhm.flow.members import train_members
from srhm.flow.plan import plan
from srhm.results.provenance import versions
from srhm.training.cell import processor

MEMBERS = (1, 4, 16, 64, 256)
# Evaluations before the timed ones.
WARM_UP = 5
TASKS = [
    {"net": ["cnn", "lcn", "fcn"], "v": [4], "width": [32, 128], "P": [256, 2048]},
    {"net": ["cnn"], "v": [8], "width": [128], "P": [2048]},
]
QUICK = [{"net": ["cnn"], "v": [4], "width": [32], "P": [256]}]
# Members by the memory of a batch, on the CPU too.
CPU_BYTES = 4e9
HEADER = "| net | v | h | P | members | device | evaluations/s | ms a batch |\n" + "|---" * 8 + "|"


def cells_of(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A cell for each combination of a task: L = 2, s = 2, s0 = 1."""
    adam = {"name": "adam", "max_evaluations": WARM_UP}
    rest: dict[str, Any] = {"L": 2, "s0": 1, "seeds": 1, "optimiser": adam}
    rest["loss_threshold"] = 1e-12  # no member fits and leaves
    section = FlowSection.model_validate(
        {"n_test": 50, "curves": [{**rest, **task} for task in tasks]}
    )
    return [
        e["cell"]
        for curve in plan(section, Path(), study="timing").curves.values()
        for e in curve.entries
    ]


def rates(
    cell: dict[str, Any], members: int, device: torch.device, *, evaluations: int, repeats: int
) -> list[float]:
    """Evaluations a second of all members, one number for each repeat."""
    budget = WARM_UP + evaluations * repeats
    settings = {**cell["optimiser"], "max_evaluations": budget}
    batch = [{**cell, "optimiser": settings, "member": member} for member in range(members)]
    times: list[float] = []
    train_members(batch, device=device, pause=lambda arrays: times.append(time.perf_counter()))
    ends = times[WARM_UP - 1 :: evaluations]
    return [members * evaluations / (two - one) for one, two in pairwise(ends)]


def row_of(cell: dict[str, Any], members: int, device: torch.device, found: list[float]) -> Any:
    """A row of the JSON."""
    names = ("net", "v", "width", "P")
    place = {"members": members, "device": device.type}
    return {**{name: cell[name] for name in names}, **place, "evaluations_a_second": found}


def line(row: dict[str, Any]) -> str:
    """A row of the table: medians."""
    rate = float(np.median(row["evaluations_a_second"]))
    return (
        f"| {row['net'].upper()} | {row['v']} | {row['width']} | {row['P']} | {row['members']} |"
        f" {row['device']} | {rate:.4g} | {1e3 * row['members'] / rate:.3g} |"
    )


def main() -> None:
    """Measures, prints and writes after each row, so that a run that is cut leaves what it has."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", nargs="+", choices=["cpu", "cuda"], default=["cpu", "cuda"])
    parser.add_argument("--members", type=int, nargs="+", default=MEMBERS)
    parser.add_argument("--evaluations", type=int, default=40, help="timed, for each repeat")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="CNN, v = 4, h = 32, P = 256 only")
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks/flow_gpu.json"))
    choice = parser.parse_args()
    torch.set_num_threads(1)
    devices = [device_of(int(name == "cuda")) for name in choice.devices]
    machine = {
        "devices": {d.type: processor() if d.type == "cpu" else gpu_name(d) for d in devices},
        "versions": versions(["numpy", "torch"]),
        "n_evaluations": choice.evaluations,
        "n_repeats": choice.repeats,
        "command": " ".join(["python", *sys.argv]),
    }
    print(f"{machine['devices']}; {machine['versions']}\n\n{HEADER}")
    choice.output.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for cell in cells_of(QUICK if choice.quick else TASKS):
        for device in devices:
            room = CPU_BYTES if device.type == "cpu" else free_bytes(device)
            for members in choice.members:
                if expected_bytes(cell, members=members) > room:
                    break
                found = rates(
                    cell,
                    members,
                    device,
                    evaluations=choice.evaluations,
                    repeats=choice.repeats,
                )
                rows.append(row_of(cell, members, device, found))
                print(line(rows[-1]), flush=True)
                text = json.dumps({"machine": machine, "rows": rows}, indent=1)
                choice.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
