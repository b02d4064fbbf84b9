"""Columns of the tables of this study."""

from srhm.experiments.cells import schema

COORDINATES = {
    "experiment": str,
    "map": str,
    "rank": int,
    "L": int,
    "width": int,
    "n": int,
    "d": int,
    "penalty": float,
    "annealing": float,
    "steps": int,
    "learning_rate": float,
    "grid": int,
    "outputs": int,
    "places": int,
    "reach": int,
    "frames": int,
    "T": int,
    "levels": int,
    "s": int,
    "v": int,
    "m": int,
    "n_c": int,
    "s0": int,
}
RESULTS = {
    "loss": float,
    "variance": float,
    "squared_parameters": float,
    "of_biases": float,
    "weight_rank": float,
    "cost_of_target": float,
    "cost_of_map": float,
    "jacobian_rank": float,
    "geodesic_distance": float,
    "structure": float,
    "structure_of_proof": float,
    "structure_bound": float,
    "log_jacobian": float,
    "signal": float,
    "signal_bound": float,
    "sharpness": float,
    "train_error": float,
    "test_error": float,
    "tripoints": float,
    "representation_rank": float,
    "explained_overlap": float,
    "explained_rest": float,
    "explained_signed_overlap": float,
    "explained_one_coordinate": float,
    "path_bound": float,
}
CELLS = schema({**COORDINATES, **RESULTS})

# A row for each weight matrix, l = 1 ... L.
LAYERS = schema(
    {
        "k": int,
        "squared_parameters": float,
        "n_large": int,
        "n_visible": int,
        "representation_norm": float,
        "distance": float,
        "geodesic_distance": float,
        "apart_true": float,
        "apart_full": float,
    },
    long=True,
)
# A row for each of the largest singular values of a weight matrix at a frequency, number 1, 2, ...
VALUES = schema({"k": int, "frequency": int, "number": int, "value": float}, long=True)
# The class at each point of a grid.
REGIONS = schema({"row": int, "column": int, "class": int}, long=True)
# The middle representation of new starts, and the statistics of these.
COMPONENTS = schema({"first": float, "second": float, "overlap": float, "rest": float}, long=True)
