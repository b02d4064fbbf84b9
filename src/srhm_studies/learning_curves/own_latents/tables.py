"""Tables of the study: a row for each cell, and P* of each curve."""

import pyarrow as pa

from srhm.experiments.cells import schema
from srhm.model.grammar import GRAMMAR

WHICH = {"target": str, "net": str, **dict.fromkeys(GRAMMAR, int)}
CELLS = schema(
    {**WHICH, "P": int, "n_test": int, "wrong": float, "wrong_first": float, "noise": float}
)
# criterion: "wrong", of all levels, or "wrong_first", of level 1. law: see `configuration.law`.
SAMPLE_COMPLEXITY = pa.schema(
    [
        ("curve", pa.string()),
        ("target", pa.string()),
        ("net", pa.string()),
        *((name, pa.int64()) for name in GRAMMAR),
        ("criterion", pa.string()),
        ("threshold", pa.float64()),
        *((name, pa.float64()) for name in ("P_star", "P_star_low", "P_star_high")),
        ("status", pa.string()),
        *((name, pa.int64()) for name in ("n_seeds", "n_seeds_reached", "n_cells")),
        *((name, pa.float64()) for name in ("log_sd", "log_se", "dof")),
        ("log_sd_pooled", pa.bool_()),
        ("small_pool", pa.bool_()),
        ("law", pa.float64()),
    ]
)
