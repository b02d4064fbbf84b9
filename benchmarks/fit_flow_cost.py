"""Fits the cost model of the plane: seconds of one evaluation by net, width, depth and P.

`python benchmarks/fit_flow_cost.py` times evaluations of batches of six members in CPU time, on
one thread, and writes the part "plane" of src/srhm/cost_model.json. With tables of plane cells as
arguments it times nothing, and finds the part of their budget that cells of each optimiser and loss
have used.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.optimize import nnls

from srhm.flow.cell import train_members
from srhm.flow.configuration import FlowSection
from srhm.flow.cost import MODEL, evaluation_features
from srhm.flow.plan import plan
from srhm.store.records import read_table
from srhm.store.tables import FLOW_CELLS
from srhm.training.cell import processor

MEMBERS = 6
FEWEST = 20
# Evaluations of the longer of two trainings, whose difference is timed; and of the shorter.
LONG, SHORT = {"adam": 25, "sgd": 1000}, {"adam": 5, "sgd": 100}
SMOOTH = {"activation": "softplus"}
TASKS = [
    {"net": ["cnn", "lcn", "fcn"], "L": 2, "s0": 1, "width": [8, 32, 100], "P": [64, 512]},
    {"net": ["cnn", "lcn"], "L": 3, "s0": 1, "width": [32], "P": [512]},
    {"net": "fcn", "hidden_layers": 8, "L": 2, "s0": 0, "width": [32], "P": [64, 200]},
    {"net": ["cnn", "lcn"], "L": 2, "s0": 2, "width": [32], "P": [2048]},
    {"net": ["cnn", "fcn"], "L": 2, "s0": 1, "width": [8, 32, 100], "P": [256], **SMOOTH},
]


def timed(cell: dict[str, Any], evaluations: int) -> float:
    """CPU seconds of the training of six members of a cell."""
    optimiser = {**cell["optimiser"], "max_evaluations": evaluations}
    members = [{**cell, "optimiser": optimiser, "member": e} for e in range(MEMBERS)]
    begun = time.process_time()
    train_members(members)
    return time.process_time() - begun


def coefficients(name: str) -> tuple[list[float], list[float], list[float]]:
    """Seconds of an evaluation of one member by feature, log residuals, and seconds of the rest."""
    features, seconds, rest = [], [], []
    for task in TASKS:
        group = {"v": 4, "seeds": 1, "optimiser": {"name": name}, **task}
        section = FlowSection.model_validate({"n_test": 50, "curves": [group]})
        for curve in plan(section, Path(), study="timing").curves.values():
            for entry in curve.entries:
                cell = entry["cell"]
                short, long = timed(cell, SHORT[name]), timed(cell, LONG[name])
                seconds.append((long - short) / (LONG[name] - SHORT[name]) / MEMBERS)
                rest.append(short / MEMBERS - SHORT[name] * seconds[-1])
                features.append(evaluation_features(cell))
                print(cell["net"], cell["width"], cell["P"], f"{1e3 * seconds[-1]:.3f} ms")
    relative = np.array(features) / np.array(seconds)[:, None]  # relative errors count
    found, _ = nnls(relative, np.ones(len(seconds)))
    return found.tolist(), np.log(relative @ found).tolist(), rest


def parts_of_budgets(tables: list[Path]) -> dict[str, dict[str, float]]:
    """Mean part of the budget by optimiser and loss, of FEWEST cells or more without decay."""
    cells = pd.concat([read_table(table, FLOW_CELLS) for table in tables])
    cells = cells[(cells["weight_decay"] == 0) & (cells["training"] == "end_to_end")]
    found: dict[str, dict[str, float]] = {}
    for (name, loss), group in cells.groupby(["optimiser", "loss"]):
        if len(group) >= FEWEST:
            part = (group["evaluations"] / group["budget"]).mean()
            found.setdefault(str(name), {})[str(loss)] = round(float(part), 3)
    return found


def timings() -> dict[str, Any]:
    """Coefficients of seconds, and how far they are off."""
    torch.set_num_threads(1)
    whole, one, rest = coefficients("adam")
    batches, two, _ = coefficients("sgd")
    return {
        "machine": processor(),
        "residual_log_sd": float(np.std(one + two)),
        "seconds": {"whole": whole, "batches": batches},
        "seconds_per_cell": max(0.0, float(np.median(rest))),
    }


def main(tables: list[Path]) -> None:
    """Writes the part "plane" of src/srhm/cost_model.json."""
    found = {"part_of_budget": parts_of_budgets(tables)} if tables else timings()
    model = json.loads(MODEL.read_text())
    model["plane"] = model.get("plane", {"part_of_budget": {}}) | found
    MODEL.write_text(json.dumps(model, indent=2) + "\n")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
