"""Tables that a workflow would give if networks followed a law exactly, or with known noise."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.results.tables import SENSITIVITIES
from srhm.statistics.sample_complexity import RESULT_COLUMNS

NETS = ("lcn", "cnn")
# Sizes of the learning curves over P*.
SIZES = np.array([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8])


def law_of_the_paper(row) -> float:
    return 2.3 * row["prediction"] if row["net"] == "cnn" else row["prediction"]


def grammar(net, L, v, s0, *, s=2, m=None, n_c=None, sparsity="A"):
    return {
        "net": net,
        "L": L,
        "s": s,
        "s0": s0,
        "v": v,
        "m": m or v ** (s - 1),
        "n_c": n_c or v,
        "sparsity": sparsity,
        "width": 64,
        "alpha": 1.0,
        "whitening": False,
        "bias": False,
        "batch": "shuffled",
        "engine": "sparse",
    }


MAIN = [
    grammar(net, L, v, s0)
    for net in NETS
    for L, features in ((2, (4, 6, 8)), (3, (4, 6)))
    for v in features
    for s0 in (0, 1, 2, 4)
]
SYNONYMS = [grammar(net, 2, 8, 2, m=m) for net in NETS for m in (2, 4, 8)]
CLASSES = [grammar(net, 2, 8, 2, n_c=n_c) for net in NETS for n_c in (2, 4, 8)]
BRANCHINGS = [grammar("lcn", L, 4, 1, s=s, m=4, n_c=4) for s in (2, 3) for L in (2, 3)]
WIDER = [grammar(net, 2, v, s0, s=3) for net in NETS for v in (3, 4) for s0 in (1, 2)]
OTHER_SPARSITY = [grammar(net, 2, 4, s0, sparsity="B") for net in NETS for s0 in (0, 1, 2, 4)]
FIXED_DIMENSION = [grammar("lcn", L, v, s0) for L, s0 in ((2, 3), (3, 1)) for v in (3, 4, 5)]
DENSE = [grammar("fcn", 2, v, s0) for v in (6, 8) for s0 in (0, 1, 2)]
EVERYTHING = [
    *DENSE,
    *(one for one in MAIN if one not in FIXED_DIMENSION),
    *SYNONYMS,
    *CLASSES,
    *BRANCHINGS[2:],
    *WIDER,
    *OTHER_SPARSITY,
    *FIXED_DIMENSION,
]


def complexities(
    grammars,
    *,
    law: Callable[[dict], float] = law_of_the_paper,
    thresholds=(0.1,),
    others: Mapping[str, Callable[[dict], float]] | None = None,
    log_se=0.05,
    noise=None,
) -> dict[str, pd.DataFrame]:
    """The table that `sample_complexity` would give if P* followed a law, optionally with noise.

    `others` gives the sample complexity of "S_2", "D_2" from the row of the test error.
    """
    rows = []
    for number, coordinates in enumerate(grammars):
        data = {
            "depth": coordinates["L"],
            "branching": coordinates["s"],
            "n_empty": coordinates["s0"],
            "n_synonyms": coordinates["m"],
            "n_classes": coordinates["n_c"],
        }
        for threshold in thresholds:
            row = coordinates | {
                "curve": f"curve {number}",
                "criterion": "test_error",
                "threshold": threshold,
                "status": "reached",
                "n_seeds": 3,
                "n_seeds_reached": 3,
                "n_cells": 15,
                "n_diverged": 0,
                "log_sd": log_se * 3**0.5,
                "log_se": log_se,
                "dof": 20,
                "log_sd_pooled": True,
                "n_distinct": float(theory.n_distinct(**data)),
                "prediction": theory.predicted_sample_complexity(coordinates["net"], **data),
            }
            P_star = law(row) * (np.exp(log_se * noise.standard_normal()) if noise else 1)
            row |= {"P_star": P_star, "P_star_low": P_star / 1.2, "P_star_high": P_star * 1.2}
            row["small_pool"] = P_star > 0.1 * row["n_distinct"]
            rows.append(row)
        for criterion, of_row in (others or {}).items():
            if criterion != "D_2" or coordinates["s0"]:
                rows.append(row | {"criterion": criterion, "P_star": of_row(row)})
    return {"sample_complexity": pd.DataFrame(rows)[list(RESULT_COLUMNS)]}


def fall(x) -> float:
    """A value that falls from 1 to about 1/100 around x = 1."""
    return 0.01 + 0.99 / (1 + x**4)


def networks(
    table: pd.DataFrame,
    *,
    error: Callable[[float], float] = fall,
    sensitivity: Callable[[str, str, int, int, float], float] | None = None,
    n_seeds=2,
) -> dict[str, pd.DataFrame]:
    """Tables "cells" and "sensitivities" of networks at x = SIZES, for each curve of a table.

    `sensitivity` gives S or D from kind, layer, k, level and x, by default `fall` for every entry.
    """
    cells, rows = [], []
    main = table[table["criterion"] == "test_error"].drop_duplicates("curve")
    for curve in main.to_dict("records"):
        layers = range(1, curve["L"] + 2)
        for x, seed in product(SIZES, range(n_seeds)):
            key = f"{curve['curve']}-{x}-{seed}"
            cell = curve | {"P": round(1000 * x), "seed": seed, "key": key}
            cells.append(cell | {"test_error": error(x)})
            cell |= {"variant": "text", "standard_error": 0.01, "n_draws": 4}
            for kind, k, level in product("SD", layers, layers[:-1]):
                layer = "output" if k > curve["L"] else str(k)
                value = sensitivity(kind, layer, k, level, x) if sensitivity else fall(x)
                entry = {"kind": kind, "layer": layer, "k": k, "l": level}
                possible = kind == "S" or curve["s0"] > 0
                measured = {"value": value, "n": 100} if possible else {"value": np.nan, "n": 0}
                rows.append(cell | entry | measured)
    return {"cells": pd.DataFrame(cells), "sensitivities": pd.DataFrame(rows)[SENSITIVITIES.names]}
