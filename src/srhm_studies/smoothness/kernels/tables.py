"""Tables of the study. Letters: P training points, d intrinsic dimension, and those of the SRHM."""

from srhm.experiments.cells import schema

# Coordinates of a learning curve, a spectrum or distances: all but P and the seed.
FAMILY = (
    "experiment", "data", "d", "teacher", "kernel", "method", "sigma", "L", "s", "s0", "v", "m",
    "n_c",
)  # fmt: skip
_COORDINATES = {
    "experiment": str, "data": str, "d": int, "teacher": str, "kernel": str, "method": str,
    "sigma": float, "L": int, "s": int, "s0": int, "v": int, "m": int, "n_c": int,
}  # fmt: skip

# mse: mean squared error over test points (and over drawn fields); expected_mse: its exact mean
# over the fields of the teacher; error: fraction classified wrong; distance: to the nearest.
CELLS = schema(
    {
        **_COORDINATES,
        "jitter": float,
        "n_test": int,
        "n_fields": int,
        "P": int,
        "mse": float,
        "expected_mse": float,
        "error": float,
        "distance": float,
    }
)
# eigenvalue: of the Gram matrix over its size; tail: part of the target's mean square at this rank
# and above.
SPECTRA = schema({"rank": int, "eigenvalue": float, "tail": float}, long=True)
