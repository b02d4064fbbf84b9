"""Tables of the study: a row for each cell, for each of its levels, for each of its S_{k,l}."""

import pyarrow as pa

from srhm.experiments.cells import schema
from srhm.model.grammar import GRAMMAR

_GRAMMAR = dict.fromkeys(GRAMMAR, int)
CELLS = schema(
    {
        "net": str,
        "draws": str,
        **_GRAMMAR,
        "P": int,
        "n_test": int,
        "n_random": int,
        "sensitivities": bool,
        "test_error": float,
        "gap": float,
    }
)
LEVELS = schema(
    {
        "level": int,
        "token_error": float,
        "token_error_clean": float,
        "response_error": float,
        "within": float,
        "between": float,
        "gap": float,
    },
    long=True,
)
SENSITIVITIES = schema(
    {
        "kind": str,
        "layer": str,
        "k": int,
        "l": int,
        "value": float,
        "standard_error": float,
        "n": int,
        "n_draws": int,
    },
    long=True,
)

_P_STAR = [(name, pa.float64()) for name in ("P_star", "P_star_low", "P_star_high")]
_WHICH = [("net", pa.string()), *((name, pa.int64()) for name in GRAMMAR)]
# P* of the algorithm. criterion: of all grammars, or of the weakly identifiable ones alone.
SAMPLE_COMPLEXITY = pa.schema(
    [
        ("curve", pa.string()),
        ("draws", pa.string()),
        *_WHICH,
        ("criterion", pa.string()),
        ("threshold", pa.float64()),
        *_P_STAR,
        ("status", pa.string()),
        *((name, pa.int64()) for name in ("n_seeds", "n_seeds_reached", "n_cells")),
        *((name, pa.float64()) for name in ("log_sd", "log_se", "dof")),
        ("log_sd_pooled", pa.bool_()),
        ("small_pool", pa.bool_()),
        ("law", pa.float64()),
    ]
)
# P* of networks trained by gradient descent on the same grammars, from published rows.
REFERENCES = pa.schema(
    [
        ("origin", pa.string()),
        ("training", pa.string()),
        *_WHICH,
        *_P_STAR,
        ("status", pa.string()),
        ("n_seeds", pa.int64()),
        ("small_pool", pa.bool_()),
    ]
)
