"""Schemas of the tables of the study."""

from srhm.experiments.cells import schema

CELLS = schema(
    {
        "experiment": str,
        "memory": str,
        "size": int,
        "mu": float,
        "r": float,
        "start": str,
        "exit_inside": float,
        "t_end": float,
        "max_evaluations": int,
        "q": float,
        "q_limit": float,
        "exit_rate": float,
        "exit_rate_inside": float,
        "exit_rate_limit": float,
        "n_necklaces": int,
        "n_chain": int,
        "t": float,
        "evaluations": int,
        "slope": float,
    }
)
HISTORY = schema({"t": float, "q": float}, long=True)
