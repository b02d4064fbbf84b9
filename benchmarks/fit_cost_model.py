"""Fits the cost model of `make plan` to the step-time benchmark and to a finished run.

`python benchmarks/fit_cost_model.py --preset quick` reads results/benchmarks/step_time.json (time
of a step against its multiplications and memory) and the cells and times of the preset (how much
longer a step takes in a real run, with its looks at the test error). The number of
steps is fitted to the rows of published/grid (`--steps-alone`: nothing else). It writes
src/srhm/cost_model.json.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import nnls

from srhm.model.grammar import parameters_of
from srhm.networks.geometry import geometry
from srhm.store.records import read_table
from srhm.store.tables import CELLS, TIMINGS
from srhm.training.cost import MODEL, slowness, step_features, step_predictors

RESULTS = Path("results")
PUBLISHED = Path("published/grid/sparse_hierarchy/cells.parquet")


def per_step(rows: list[dict[str, Any]]) -> tuple[NDArray[np.float64], float]:
    """Seconds of each feature of a step, none negative, and the log residuals' deviation.

    Relative errors count: each row is divided by its time.
    """
    features, seconds = [], []
    for row in rows:
        cell = {
            "net": row["net"],
            "L": row["L"],
            "s": 2,
            "s0": row["s0"],
            **dict.fromkeys(("v", "m", "n_c"), 8),
            "sparsity": "A",
            "batch": "shuffled",
            "batch_size": 4,
            "dtype": "float32",
        }
        shape = geometry(row["net"], parameters_of(cell), width=row["H"])
        features.append(step_features(cell, shape))
        seconds.append(row["sparse_ms"] / 1e3)
    relative = np.array(features) / np.array(seconds)[:, None]
    coefficients, _ = nnls(relative, np.ones(len(seconds)))
    return coefficients, float(np.log(relative @ coefficients).std())


def log_steps(cells: pd.DataFrame) -> tuple[NDArray[np.float64], float]:
    """Coefficients of log steps at the rate of the model, and the residuals' deviation.

    From fitted cells: those that collapse go on to their cap, which no power law says.
    """
    fitted = cells[cells["status"] == "fitted"]
    rows = fitted.to_dict("records")
    predictors = np.array([step_predictors(cell) for cell in rows])
    target = np.log(fitted["steps"].to_numpy(dtype=float) / [slowness(cell) for cell in rows])
    coefficients, *_ = np.linalg.lstsq(predictors, target, rcond=None)
    return coefficients, float((target - predictors @ coefficients).std())


def in_a_run(
    cells: pd.DataFrame, timings: pd.DataFrame, coefficients: NDArray[np.float64]
) -> dict[str, float]:
    """Seconds of a step in a run over those of the benchmark, by engine."""
    both = cells.merge(timings[["key", "seconds"]], on="key")
    both = both.assign(
        expected=[
            steps * np.dot(step_features(cell, _shape(cell)), coefficients)
            for steps, cell in zip(both["steps"], both.to_dict("records"), strict=True)
        ]
    )
    sums = both.groupby("engine")[["seconds", "expected"]].sum()
    return (sums["seconds"] / sums["expected"]).to_dict()


def _shape(cell: dict[Any, Any]) -> Any:
    return geometry(cell["net"], parameters_of(cell), width=cell["width"])


def main() -> None:
    """Writes src/srhm/cost_model.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", default="quick")
    parser.add_argument(
        "--ratios-alone",
        action="store_true",
        help="only how much longer a step of the dense and of the reference engine takes",
    )
    parser.add_argument("--steps-alone", action="store_true", help="only the number of steps")
    arguments = parser.parse_args()
    model = json.loads(MODEL.read_text())
    if arguments.steps_alone:
        model |= of_steps(read_table(PUBLISHED, CELLS))
        MODEL.write_text(json.dumps(model, indent=2) + "\n")
        return
    tables = RESULTS / arguments.preset / "tables" / "sparse_hierarchy"
    cells = read_table(tables / "cells.parquet", CELLS)
    timings = read_table(tables / "timings.parquet", TIMINGS)
    if not arguments.ratios_alone:
        model |= of_a_step(cells, timings) | of_steps(read_table(PUBLISHED, CELLS))
    ratios = in_a_run(cells, timings, np.array(model["seconds_per_step"]["coefficients"]))
    for engine in {"dense", "reference"} & ratios.keys():
        model[f"{engine}_over_sparse"] = ratios[engine] / ratios["sparse"]
    MODEL.write_text(json.dumps(model, indent=2) + "\n")
    print(MODEL.read_text())


def of_a_step(cells: pd.DataFrame, timings: pd.DataFrame) -> dict[str, Any]:
    """What the step-time benchmark and a run say of steps of the sparse engine."""
    benchmark = json.loads((RESULTS / "benchmarks" / "step_time.json").read_text())
    seconds, seconds_sd = per_step(benchmark["rows"])
    longer = in_a_run(cells, timings, seconds)["sparse"]
    return {
        "machine": benchmark["machine"]["processor"],
        "seconds_per_step": {
            "coefficients": (longer * seconds).tolist(),
            "residual_log_sd": seconds_sd,
        },
    }


def of_steps(cells: pd.DataFrame) -> dict[str, Any]:
    """What finished rows say of the number of steps."""
    steps, steps_sd = log_steps(cells)
    log_model = {"coefficients": steps.tolist(), "residual_sd": steps_sd}
    n_fitted = int((cells["status"] == "fitted").sum())
    return {"n_cells": n_fitted, "log_steps": log_model}


if __name__ == "__main__":
    main()
