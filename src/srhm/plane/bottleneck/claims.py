"""Claims on the ranks of layers under weight decay.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023) by the titles of
its slides. A singular value is large above half of the layer's largest; all after training.
"""

import pandas as pd

from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_of

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
    own = values[values["kind"] == "weights"]
    keys = ["curve", "key", "when", "layer", "k"]
    by_filter = (own["value"] > LARGE).groupby([own[name] for name in (*keys, "filter")]).sum()
    counts = by_filter.groupby(keys).mean().rename("n_large").reset_index()
    names = ["P", "seed", "weight_decay", "hidden_layers", "n_c", "status"]
    return counts.merge(cells[["curve", "key", *names]], on=["curve", "key"])


def in_deep_half(rows: pd.DataFrame) -> pd.Series:
    """Whether the layer k of each row (k, hidden_layers) is a hidden one of the deep half."""
    layers = rows["hidden_layers"]
    return (rows["k"] <= layers) & (rows["k"] > DEEP_HALF * layers)


@rows_of("cells", "singular_summaries", what="cells")
def weights(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Layers of each cell, with `excess`: large singular values minus n_c - 1."""
    own = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    columns = ["curve", "key", "n_c", "hidden_layers", "weight_decay"]
    rows = own.merge(cells[columns], on=["curve", "key"])
    excess = rows["n_above_half"] - rows["n_c"].map(last_rank)
    is_decayed = rows["weight_decay"] > 0
    return rows.assign(excess=excess, is_decayed=is_decayed, is_deep=in_deep_half(rows))


sheet = Sheet()
say = sheet.topic("Bottleneck and singular values", "bottleneck")
say("bottleneck-rank-decay",
    "With weight decay: number of large singular values of deep layers minus (n_c - 1)",
    weights.mean("excess", per="key", is_decayed=True, is_deep=True),
    Within(0, 1), "1, ours: a network trained before had 2 to 3 where n_c - 1 = 3",
    place="talk, slide 'Bottleneck Structure on the Weights'")  # fmt: skip
CLAIMS = sheet.finished()
