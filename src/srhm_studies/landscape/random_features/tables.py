"""Schema of the table of the study."""

from srhm.experiments.cells import schema

CELLS = schema(
    {
        "data": str,
        "P": int,
        "N": int,
        "N_over_P": float,
        "members": int,
        "n_test": int,
        "d": int,
        "noise": float,
        "mse": float,
        "variance": float,
        "mse_ensemble": float,
        "mse_limit": float,
        "mse_kernel": float,
        "ridge": float,
        "mse_ridge": float,
        "error": float,
        "error_ensemble": float,
        "error_kernel": float,
        "training_mse": float,
    }
)
