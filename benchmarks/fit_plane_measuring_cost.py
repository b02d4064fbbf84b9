"""Fits the cost model of what is measured in the plane: seconds by network, P and points.

`python benchmarks/fit_plane_measuring_cost.py` trains small curves for a few evaluations, times
what is measured of them in CPU time of one thread, the shorter of two, and writes the part
"measuring" of "plane" of src/srhm/cost_model.json. CPU time grows less than the time on a clock
while other programs run, but it does grow: two runs of one curve on a busy machine differed by a
factor of 1.8. Curves of other sizes are timed, too, and not fitted: the ratios of what they took to
what the fit expects are kept beside it. `--quick` takes a third of the curves and writes nothing;
`--only` takes some measurements alone; `--kernels` gets tables of frozen kernels, times nothing,
and finds the part of their evaluations that they have used.
"""

import argparse
import json
import logging
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.optimize import nnls

from srhm.flow.cells import train_curve
from srhm.flow.configuration import Plane
from srhm.flow.cost import MODEL
from srhm.flow.measurement_cost import ALL, MAX_EVALUATIONS, curve_features
from srhm.flow.plan import plane_curves
from srhm.flow.tables import FROZEN_KERNELS
from srhm.measure.ensembles import average_ensembles
from srhm.measure.flow_sensitivities import measure_sensitivities
from srhm.measure.frozen_kernels import measure_frozen_kernels
from srhm.measure.hessians import measure_hessians
from srhm.measure.kernels import measure_kernels
from srhm.measure.singular_values import measure_singular_values
from srhm.results.provenance import versions
from srhm.results.records import read_table
from srhm.training.cell import processor

MEASURE: dict[str, Any] = {
    "kernels": measure_kernels,
    "hessians": measure_hessians,
    "singular_values": measure_singular_values,
    "sensitivities": measure_sensitivities,
    "frozen_kernels": measure_frozen_kernels,
    "ensembles": average_ensembles,
}
# Seconds of a measurement that is timed once; of others the shorter of two times counts: the first
# of all is longer, while the libraries get ready.
LONG_ENOUGH = 2.0
LOG = logging.getLogger("fit_plane_measuring_cost")
SRHM = {"study": "complexity", "L": 2, "v": 4, "s0": 1, "seeds": 1}
ADAM = {"optimiser": {"name": "adam", "max_evaluations": 3}}
# Every part of a frozen kernel's time is in proportion to its evaluations, but for the first one.
FLOW = {"optimiser": {"name": "flow", "max_evaluations": 60}}
CLASSES = {**SRHM, **ADAM}
PARITY = {**SRHM, **ADAM, "labels": "parity", "loss": "soft_hinge", "activation": "softplus"}
FROZEN = {**SRHM, **FLOW}
LONG = {**FROZEN, "optimiser": {"name": "flow", "max_evaluations": 300}}
HINGE = {**ADAM, "labels": "parity", "loss": "quadratic_hinge", "slack": 1e-6, "bias": True}
HINGE |= {"alpha": 1, "subtract_initial": False, "seeds": 1}
LINE = {"study": "jamming", "L": 2, "v": 4, "s0": 1, **HINGE}
RANDOM = {"study": "jamming", "data": "random", "net": "fcn", **HINGE}
TWO = [0.1, 100]
# Groups of curves by measurement, with the test points of each: those that are fitted, then others.
FITTED: dict[str, list[dict[str, Any]]] = {
    "kernels": [
        {**PARITY, "net": ["cnn", "fcn"], "width": [6, 150], "P": 64, "n_test": 300},
        {**PARITY, "net": ["cnn", "fcn"], "width": 40, "P": 64, "alpha_tilde": TWO, "n_test": 300},
        {**PARITY, "net": "cnn", "width": [6, 150], "P": 512, "members": 3, "n_test": 120},
        {**CLASSES, "net": ["cnn", "lcn"], "width": [16, 64], "P": 64, "n_test": 200},
        {**PARITY, "net": "fcn", "hidden_layers": 5, "width": [10, 80], "P": 64, "n_test": 300},
        {**PARITY, "net": ["cnn"], "L": 3, "s0": 0, "width": 24, "P": 64, "n_test": 300},
    ],
    "singular_values": [
        {**CLASSES, "net": ["cnn", "lcn", "fcn"], "width": [8, 64, 200], "P": 64, "n_test": 300},
        {**CLASSES, "net": "cnn", "width": 64, "P": 64, "alpha_tilde": TWO, "n_test": 300},
        {**CLASSES, "net": "fcn", "hidden_layers": [4, 8], "width": 64, "P": 512, "n_test": 300},
        {**CLASSES, "net": "cnn", "L": 3, "width": [32, 96], "P": 512, "n_test": 150},
    ],
    "sensitivities": [
        {**CLASSES, "net": ["cnn", "lcn", "fcn"], "width": [8, 64, 160], "P": 64, "n_test": 500},
        {**CLASSES, "net": "cnn", "width": 32, "P": 64, "alpha_tilde": TWO, "n_test": 500},
        {**CLASSES, "net": "lcn", "s0": 0, "width": [16, 64], "P": 64, "n_test": 200},
        {**CLASSES, "net": "cnn", "L": 3, "s0": 0, "width": [32, 64], "P": 512, "n_test": 500},
        {**CLASSES, "net": "fcn", "hidden_layers": 8, "width": 64, "P": 512, "n_test": 500},
    ],
    "frozen_kernels": [
        {**FROZEN, "net": ["cnn", "lcn", "fcn"], "width": [8, 64], "P": 64, "n_test": 500},
        {**LONG, "net": ["cnn", "lcn", "fcn"], "width": [16, 48], "P": 200, "n_test": 500},
        {**FROZEN, "net": ["cnn", "fcn"], "width": 32, "P": 512, "n_test": 500},
        {**LONG, "net": "lcn", "s0": 0, "width": 128, "P": 104, "n_test": 50},
        {**FROZEN, "net": "cnn", "width": 64, "P": 256, "alpha_tilde": TWO, "n_test": 200},
        {**LONG, "net": ["cnn", "lcn", "fcn"], "width": 32, "P": 1152},
        {**FROZEN, "net": ["cnn", "lcn"], "width": 64, "P": 1152, "n_test": 200},
        {**FROZEN, "net": ["cnn", "lcn", "fcn"], "width": [32, 128], "P": 2592},
        {**FROZEN, "net": "cnn", "s0": 2, "width": 64, "P": 3888},
        {**FROZEN, "net": "cnn", "L": 3, "s0": 0, "width": 32, "P": [256, 2048], "n_test": 200},
        {**FROZEN, "net": "cnn", "v": 6, "s0": 0, "width": 64, "P": 512, "n_test": 200},
    ],
    "hessians": [
        *({**LINE, "net": ["cnn", "fcn"], "width": [3, 6, 12], "P": P} for P in (64, 256, 1024)),
        {**LINE, "net": "cnn", "width": [4, 8, 12], "P": 2048},
        {**LINE, "net": "fcn", "width": 8, "P": 2048},
        {**LINE, "net": "cnn", "width": 6, "activation": "tanh", "P": 512},
        *({**RANDOM, "d": 10, "hidden_layers": 3, "width": 10, "P": P} for P in (150, 620)),
        *({**RANDOM, "d": 16, "hidden_layers": n, "width": 16, "P": 1000} for n in (3, 5)),
        *({**LINE, "net": ["cnn", "fcn"], "width": 24, "P": P} for P in (64, 256, 1024)),
        {**LINE, "net": "cnn", "width": 24, "P": 1800},
        *({**RANDOM, "d": 20, "hidden_layers": 5, "width": 20, "P": P} for P in (128, 800, 1700)),
    ],
    "ensembles": [
        {**PARITY, "net": ["cnn", "fcn"], "width": [6, 200], "P": [256], "members": 4},
        {**PARITY, "net": "cnn", "width": 20, "P": 1024, "members": 4, "alpha_tilde": TWO},
        {**PARITY, "net": "fcn", "s0": 2, "width": 8, "P": [512, 4096], "members": 2},
        {**PARITY, "net": "fcn", "width": 20, "P": 64, "members": 2, "n_test": 100},
        {**PARITY, "net": "cnn", "width": 100, "P": 512, "members": 3, "alpha_tilde": TWO},
    ],
}
HELD_OUT: dict[str, list[dict[str, Any]]] = {
    "kernels": [
        {**PARITY, "net": ["cnn", "fcn"], "width": 80, "P": 100, "members": 2, "n_test": 250},
        {**PARITY, "net": "fcn", "hidden_layers": 3, "width": 20, "P": 200, "n_test": 300},
        {**CLASSES, "net": "cnn", "v": 5, "width": 32, "P": 200, "n_test": 300},
    ],
    "singular_values": [
        {**CLASSES, "net": ["cnn", "fcn"], "width": 128, "P": 100, "n_test": 300},
        {**CLASSES, "net": "fcn", "hidden_layers": 6, "width": 40, "P": 300, "n_test": 300},
        {**CLASSES, "net": "lcn", "s0": 2, "width": 24, "P": 200, "n_test": 250},
    ],
    "sensitivities": [
        {**CLASSES, "net": ["cnn", "lcn"], "s0": 2, "width": 48, "P": 200, "n_test": 500},
        {**CLASSES, "net": "fcn", "hidden_layers": 4, "width": 100, "P": 300, "n_test": 400},
        {**CLASSES, "net": "cnn", "v": 5, "s0": 0, "width": 24, "P": 100, "n_test": 300},
    ],
    "frozen_kernels": [
        {**LONG, "net": ["lcn", "fcn"], "width": 40, "P": 384, "n_test": 300},
        {**LONG, "net": "cnn", "s0": 2, "width": 32, "P": 768, "n_test": 1000},
        {**LONG, "net": "lcn", "width": 32, "P": 1728, "alpha_tilde": TWO, "n_test": 1000},
        {**LONG, "net": "cnn", "v": 5, "s0": 0, "width": 100, "P": 150, "n_test": 100},
    ],
    "hessians": [
        {**LINE, "net": ["cnn", "fcn"], "width": [4, 8], "P": 512},
        {**LINE, "net": "cnn", "width": 5, "P": 1536},
        {**RANDOM, "d": 12, "hidden_layers": 3, "width": 12, "activation": "tanh", "P": 400},
        {**RANDOM, "d": 14, "hidden_layers": 4, "width": 14, "P": 900},
        {**RANDOM, "d": 14, "hidden_layers": 4, "width": 26, "P": 400},
        {**LINE, "net": "cnn", "width": 21, "P": 1600},
    ],
    "ensembles": [
        {**PARITY, "net": ["cnn", "fcn"], "width": 64, "P": 512, "members": 5, "n_test": 1000},
        {**PARITY, "net": "lcn", "width": 32, "P": 128, "members": 3, "alpha_tilde": TWO},
    ],
}


def timed(measurement: str, groups: list[dict[str, Any]]) -> tuple[list[list[float]], list[float]]:
    """Features of curves, and CPU seconds of the measurement of each."""
    features, seconds = [], []
    for group in groups:
        own = {"n_test": 50 if measurement == "hessians" else 1000, **group}
        section = {"n_test": own.pop("n_test"), "curves": [own]}
        for curve in plane_curves(Plane.model_validate(section)).values():
            with tempfile.TemporaryDirectory() as folder:
                store = Path(folder)
                train_curve(curve.entries, store=store, log=LOG)
                took = []
                while len(took) < 2 and sum(took) < LONG_ENOUGH:
                    begun = time.process_time()
                    rows = MEASURE[measurement](curve.entries, store=store, log=LOG)
                    took.append(time.process_time() - begun)
                seconds.append(min(took))
            used = None
            if measurement == "frozen_kernels":
                used = sum(row["evaluations"] for row in rows) / len(rows)
            cells = [entry["cell"] for entry in curve.entries]
            features.append(curve_features(cells, measurement, evaluations=used))
            print(measurement, curve.label, cells[0]["P"], f"{seconds[-1]:.3f} s", flush=True)
    return features, seconds


def fitted(features: list[list[float]], seconds: list[float]) -> tuple[list[float], list[float]]:
    """Coefficients, none of them negative, and log of measured over expected; relative errors."""
    relative = np.array(features) / np.array(seconds)[:, None]
    sizes = np.abs(relative).max(axis=0)
    sizes[sizes == 0] = 1
    found, _ = nnls(relative / sizes, np.ones(len(seconds)))
    found = found / sizes
    return found.tolist(), (-np.log(relative @ found)).tolist()


def timings(measurement: str, *, every: int) -> dict[str, Any]:
    """Coefficients of a measurement, how far they are off, and how far on other curves."""
    features, seconds = timed(measurement, list(islice(FITTED[measurement], 0, None, every)))
    others, took = timed(measurement, list(islice(HELD_OUT[measurement], 0, None, every)))
    coefficients, logs = fitted(features, seconds)
    ratios = np.array(took) / (np.array(others) @ np.array(coefficients))
    found = {
        "coefficients": coefficients,
        "n": len(seconds),
        "residual_log_sd": float(np.std(logs)),
        "held_out": {
            "n": len(took),
            "total_over_expected": float(
                sum(took) / sum(np.array(others) @ np.array(coefficients))
            ),
            "ratio": [
                float(ratios.min()),
                float(np.exp(np.log(ratios).mean())),
                float(ratios.max()),
            ],
        },
    }
    print(measurement, {k: v for k, v in found.items() if k != "coefficients"}, flush=True)
    return found


def parts_of_evaluations(tables: list[Path]) -> dict[str, float]:
    """Mean part of the evaluations allowed that frozen kernels took, before and after training.

    Of cells that are allowed as many as a frozen kernel is.
    """
    kernels = pd.concat([read_table(table, FROZEN_KERNELS) for table in tables])
    kernels = kernels[kernels["status"] != "diverged"]
    parts = kernels.groupby("kernel")["evaluations"].mean() / MAX_EVALUATIONS
    return {when: round(float(parts[when]), 3) for when in ("initial", "end")}


def main() -> None:
    """Writes the part "measuring" of "plane" of src/srhm/cost_model.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the curves; for a look")
    parser.add_argument("--only", nargs="+", choices=ALL, default=ALL)
    parser.add_argument("--kernels", nargs="+", type=Path, help="tables of frozen kernels")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = json.loads(MODEL.read_text())
    part = model["plane"].setdefault("measuring", {"measurements": {}})
    if options.kernels:
        part["part_of_evaluations"] = parts_of_evaluations(options.kernels)
    else:
        part |= {"machine": processor(), "versions": versions(("numpy", "scipy", "torch"))}
        for name in options.only:
            part["measurements"][name] = timings(name, every=3 if options.quick else 1)
    if not options.quick:
        MODEL.write_text(json.dumps(model, indent=2) + "\n")


if __name__ == "__main__":
    main()
