"""Tables of the plane as they would be if networks followed a law of P* and alpha_tilde exactly."""

from itertools import product
from math import log

import numpy as np
import pandas as pd

from srhm.model import theory

TILDES = (0.1, 10.0, 1000.0)
RELATIVE = (1 / 4, 1 / 2, 1, 2, 4)


def scale_of(alpha_tilde):
    """P* over the prediction: 2 in feature learning, never reached in lazy learning."""
    return {0.1: 2.0, 10.0: 3.0}.get(alpha_tilde, 1e6)


def _value(P, P_star, threshold, largest):
    """Linear in log P, so that the crossing of the threshold is exact."""
    return float(np.clip(threshold + 0.1 * log(P_star / P), 0, largest))


def plane_tables(
    grammars, *, tildes=TILDES, seeds=2, law=scale_of, late=1.0, spread=0.1, optimiser="flow"
):
    """Cells, sensitivities, frozen kernels, and no ensembles, by the names of the scorecard.

    grammars: (net, s0) of v = n_c = m = 4, L = s = 2. late: P*_S and P*_D over P*. spread: log P*
    of the seeds goes from minus to plus this.
    """
    cells, felt, frozen = [], [], []
    for (net, s0), tilde in product(grammars, tildes):
        prediction = theory.predicted_sample_complexity(
            net, depth=2, branching=2, n_synonyms=4, n_classes=4, n_empty=s0
        )
        curve = f"complexity_{net}_s0{s0}-{optimiser}"
        for relative, seed in product(RELATIVE, range(seeds)):
            P = round(2 * relative * prediction)
            noise = spread * (2 * seed / max(seeds - 1, 1) - 1)
            P_star = law(tilde) * prediction * np.exp(noise)
            error = _value(P, P_star, 0.1, 0.75)
            key = f"{curve}-{tilde}-{P}-{seed}"
            lazy = tilde > 100
            cells.append(
                {
                    "study": "complexity", "curve": curve, "key": key, "data": "srhm", "net": net,
                    "L": 2, "s": 2, "s0": s0, "v": 4, "m": 4, "n_c": 4, "sparsity": "A",
                    "hidden_layers": 2, "width": 32, "alpha_tilde": tilde, "P": P, "seed": seed,
                    "member": 0, "labels": "classes", "loss": "cross_entropy",
                    "activation": "relu", "training": "end_to_end", "optimiser": optimiser,
                    "budget": 2000, "test_error": error, "kernel_change": 30 / tilde,
                    "status": "capped" if lazy and relative > 1 else "fitted",
                }
            )  # fmt: skip
            for kernel, value in (("initial", 0.6), ("end", error)):
                frozen.append(
                    {"curve": curve, "key": key, "kernel": kernel, "status": "capped",
                     "evaluations": 300, "test_error": value, "train_error": 0.0}
                )  # fmt: skip
            names = {"1": 1, "2": 2, "output": 3}
            for when, kind, layer in product(("initial", "end"), "SDGR", names):
                threshold = {"S": 0.4 if net == "cnn" else 0.3, "D": 0.2 if net == "cnn" else 0.1}
                value = {"G": 1.0, "R": 0.9}.get(kind, 1.0)
                if when == "end" and kind in "SD":
                    value = _value(P, late * P_star, threshold[kind], 1.0)
                elif when == "end" and kind == "R" and not lazy:
                    value = 0.9 / (1 + 3 * relative * names[layer])
                known = s0 > 0 or kind == "S"
                felt.append(
                    {"curve": curve, "key": key, "when": when, "kind": kind, "layer": layer,
                     "k": names[layer], "l": 1, "value": value if known else np.nan,
                     "standard_error": 0.01, "n": 500 if known else 0}
                )  # fmt: skip
    return {
        "plane_cells": pd.DataFrame(cells),
        "plane_sensitivities": pd.DataFrame(felt),
        "plane_frozen_kernels": pd.DataFrame(frozen),
        "plane_ensembles": pd.DataFrame(),
    }


def joined(*tables):
    """Several of `plane_tables` as one."""
    return {name: pd.concat([one[name] for one in tables], ignore_index=True) for name in tables[0]}
