"""How many singular values of a layer's weights are large, and which layers lose the synonyms.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023), slide "Bottleneck
Structure on the Weights". Under weight decay most weight matrices of a deep FCN keep as many
singular values near 1 as the task needs, here n_c - 1 for centred classes. Those above 0.5 count as
near 1.
"""

import pandas as pd

STUDY = "bottleneck"
LARGE = 0.5
# The second half of an FCN's layers, where a trial network had its bottleneck.
DEEP_HALF = 0.5


def last_rank(n_classes: int) -> int:
    """Rank of centred one-hot classes."""
    return n_classes - 1


def level_directions(level: int, *, depth: int, branching: int, n_features: int) -> int:
    """Directions of all features of a level, centred one-hot: s^(L+1-l) (v - 1) for l = 1 ... L.

    depth, branching, n_features: L, s, v of the grammar; level 1 is the input, of level L + 1 see
    `last_rank`.
    """
    return branching ** (depth + 1 - level) * (n_features - 1)


def large_singular_values(values: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Number of singular values of weights above LARGE: a row for each cell, layer and time.

    Columns curve, key, when, layer, k, n_large (mean over the layer's filters), and of the cell
    P, seed, weight_decay, hidden_layers, n_c, status. values, cells: its tables.
    """
    rows = values[values["kind"] == "weights"]
    keys = ["curve", "key", "when", "layer", "k"]
    by_filter = (rows["value"] > LARGE).groupby([rows[name] for name in (*keys, "filter")]).sum()
    counts = by_filter.groupby(keys).mean().rename("n_large").reset_index()
    names = ["P", "seed", "weight_decay", "hidden_layers", "n_c", "status"]
    return counts.merge(cells[["curve", "key", *names]], on=["curve", "key"])


def in_deep_half(rows: pd.DataFrame) -> pd.Series:
    """Whether the layer k of each row (k, hidden_layers) is a hidden one of the deep half."""
    layers = rows["hidden_layers"]
    return (rows["k"] <= layers) & (rows["k"] > DEEP_HALF * layers)
