"""Schemas of the tables of the study."""

from srhm.experiments.cells import schema

CELLS = schema(
    {
        "experiment": str,
        "net": str,
        "act": str,
        "low_pass": bool,
        "blur": float,
        "place": str,
        "padding": int,
        "first": float,
        "bias": bool,
        "turns": str,
        "train": str,
        "width": float,
        "depth": int,
        "n": int,
        "band": int,
        "oversampling": float,
        "rotations": int,
        "n_test": int,
        "epochs": int,
        "batch": int,
        "steps": int,
        "learning_rate": float,
        "accuracy": float,
        "accuracy_NR": float,
        "accuracy_R": float,
        "train_accuracy": float,
        "loss": float,
        "parameters": int,
        "error": float,
    }
)
BASIS = schema(
    {"J": int, "row": int, "column": int, "u": float, "v": float, "value": float}, long=True
)
# Layers 1 to 4 of a trained network, 5: the scores of the classes.
LAYERS = schema({"layer": int, "error": float, "distance": float, "recognised": float}, long=True)
# The same of each block; nearest: which other one is, by its distance. Not of all networks.
BLOCKS = schema(
    {
        "layer": int,
        "block": int,
        "change": float,
        "distance": float,
        "nearest": int,
        "recognised": float,
    },
    long=True,
)
