"""Tables of the study: a row for each cell, and for each P*."""

import pyarrow as pa

from srhm.experiments.cells import schema
from srhm.model.grammar import GRAMMAR

CELLS = schema(
    {
        "net": str,
        **dict.fromkeys(GRAMMAR, int),
        "P": int,
        "width": int,
        "n_test": int,
        "max_steps": int,
        "steps": int,
        "train_loss": float,
        "test_error": float,
        "S": float,
        "D": float,
        "bag_error": float,
    }
)
_NUMBERS = ("threshold", "P_star", "P_star_low", "P_star_high", "log_sd", "log_se", "dof")
# P* of each curve; law: n_c m^L (s_0+1)^2.
SAMPLE_COMPLEXITY = pa.schema(
    [
        *((name, pa.string()) for name in ("curve", "net", "criterion", "status")),
        *((name, pa.int64()) for name in GRAMMAR),
        *((name, pa.float64()) for name in _NUMBERS),
        *((name, pa.int64()) for name in ("n_seeds", "n_seeds_reached", "n_cells")),
        *((name, pa.bool_()) for name in ("log_sd_pooled", "small_pool")),
        ("law", pa.float64()),
    ]
)
