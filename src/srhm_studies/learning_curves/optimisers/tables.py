"""Tables of the study: a row for each cell, for each P*, and for each P* of a single grammar."""

import pyarrow as pa

from srhm.experiments.cells import schema
from srhm.model.grammar import GRAMMAR

CELLS = schema(
    {
        "net": str,
        **dict.fromkeys(GRAMMAR, int),
        "optimiser": str,
        "rate": float,
        "P": int,
        "width": int,
        "n_test": int,
        "max_steps": int,
        "loss_threshold": float,
        "steps": int,
        "train_loss": float,
        "test_error": float,
    }
)
_CURVE = [
    *((name, pa.string()) for name in ("net", "optimiser")),
    *((name, pa.int64()) for name in GRAMMAR),
    ("rate", pa.float64()),
]
_NUMBERS = ("threshold", "P_star", "P_star_low", "P_star_high", "log_sd", "log_se", "dof")
# P* of each curve. law: Eq. 3 or 4; best: whether no other rate of the optimiser has a smaller P*;
# at_end: whether the best rate is the smallest or the largest that was tried.
SAMPLE_COMPLEXITY = pa.schema(
    [
        *(("curve", pa.string()), *_CURVE, ("criterion", pa.string()), ("status", pa.string())),
        *((name, pa.float64()) for name in _NUMBERS),
        *((name, pa.int64()) for name in ("n_seeds", "n_seeds_reached", "n_cells", "n_diverged")),
        *((name, pa.bool_()) for name in ("log_sd_pooled", "small_pool", "best", "at_end")),
        ("law", pa.float64()),
    ]
)
# P* of each grammar at each rate; of a censored one its bound. capped: cells of the curve that did
# not fit.
GRAMMARS = pa.schema(
    [
        *_CURVE,
        *(("seed", pa.int64()), ("P_star", pa.float64()), ("status", pa.string())),
        *(("best", pa.bool_()), ("capped", pa.int64())),
    ]
)
