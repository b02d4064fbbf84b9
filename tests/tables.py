"""Invented tables of P*: what the workflow would give if networks followed a law."""

from collections.abc import Callable

import pandas as pd

from srhm.model import theory
from srhm.statistics.sample_complexity import CURVE_COLUMNS, ESTIMATES


def grammar(net, L, v, s0):
    """A curve as the paper's main ones at s = 2."""
    return {"net": net, "L": L, "s": 2, "s0": s0, "v": v, "m": v, "n_c": v, "sparsity": "A",
            "width": 64, "alpha": 1.0, "whitening": False, "bias": False, "batch": "shuffled",
            "engine": "sparse"}  # fmt: skip


def exact_complexities(grammars, *, law: Callable[[dict], float]) -> pd.DataFrame:
    """The table that `sample_complexity` would give if P* followed a law."""
    rows = []
    for number, one in enumerate(grammars):
        data = {"depth": one["L"], "branching": one["s"], "n_empty": one["s0"],
                "n_synonyms": one["m"], "n_classes": one["n_c"]}  # fmt: skip
        row = one | {
            "curve": f"curve {number}", "criterion": "test_error", "threshold": 0.1,
            "status": "reached", "n_seeds": 3, "n_seeds_reached": 3, "n_cells": 15, "n_diverged": 0,
            "log_sd": 0.05 * 3**0.5, "log_se": 0.05, "dof": 20, "log_sd_pooled": True,
            "n_distinct": float(theory.n_distinct(**data)), "small_pool": False,
            "prediction": theory.predicted_sample_complexity(one["net"], **data),
        }  # fmt: skip
        P_star = law(row)
        rows.append(
            row | {"P_star": P_star, "P_star_low": P_star / 1.2, "P_star_high": P_star * 1.2}
        )
    return pd.DataFrame(rows)[[*CURVE_COLUMNS, *ESTIMATES]]
