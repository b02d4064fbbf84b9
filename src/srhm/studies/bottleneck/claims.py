"""Claims on the ranks of layers under weight decay.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023) by the titles of
its slides. A singular value is large above half of the layer's largest; all after training.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import NoExpectation, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm.studies.bottleneck.analysis import first_lasting, in_deep_half, last_rank


@rows_of("cells", "singular_summaries")
def weights(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Layers of each cell, with `excess`: large singular values minus n_c - 1."""
    own = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    columns = ["curve", "key", "n_c", "hidden_layers", "weight_decay"]
    rows = own.merge(cells[columns], on=["curve", "key"])
    excess = rows["n_above_half"] - rows["n_c"].map(last_rank)
    is_decayed = rows["weight_decay"] > 0
    return rows.assign(excess=excess, is_decayed=is_decayed, is_deep=in_deep_half(rows))


@rows_of("cells", "singular_summaries", "sensitivities", nothing="no cell has both")
def deaths(
    cells: pd.DataFrame, summaries: pd.DataFrame, sensitivities: pd.DataFrame
) -> pd.DataFrame:
    """Layers between two events, a row for each kind of sensitivity and cell with weight decay.

    `apart`: the layer where the sensitivity dies minus that from which on the rank is n_c - 1. It
    dies where it stays below half of its value in layer 1 at the start of training.
    """
    layers = weights.function(cells, summaries)
    layers = layers[layers["is_decayed"] & (layers["k"] <= layers["hidden_layers"])]
    felt = sensitivities[(sensitivities["l"] == 1) & (sensitivities["n"] > 0)]
    rows = []
    for (kind, key), values in felt.groupby(["kind", "key"]):
        own = layers[layers["key"] == key].set_index("k")
        start = values[(values["when"] == "initial") & (values["k"] == values["k"].min())]["value"]
        end = values[values["when"] == "end"].set_index("k")["value"]
        end = end[end.index <= own["hidden_layers"].max()]
        if len(start) and len(end):
            narrows = first_lasting(own["excess"], 0)
            apart = first_lasting(end, float(start.iloc[0]) / 2) - narrows
            rows.append({"kind": kind, "key": key, "apart": apart})
    found = pd.DataFrame(rows, columns=["kind", "key", "apart"])
    return left_out(found, {"in which one of the two does not happen": found["apart"].isna()})


bottleneck = partial(Claim, topic="Bottleneck and singular values", figure="bottleneck")
RANK = partial(Mean, "excess", per=("key",), rows=weights, what="cells")
NO_NUMBER = "no source has a number"

CLAIMS = (
    bottleneck(
        "bottleneck-rank-decay",
        "with weight decay: large singular values of deep layers, minus n_c - 1",
        place="talk, slide 'Bottleneck Structure on the Weights'",
        expected=Within(0, 1), why="1, ours: a network trained before had 2 to 3 where n_c - 1 = 3",
        measure=RANK(where={"is_decayed": True, "is_deep": True}),
    ),
    bottleneck(
        "bottleneck-rank-no-decay",
        "no weight decay: large singular values of deep layers, minus n_c - 1",
        place="talk, slide 'Bottleneck Structure on the Weights'",
        expected=NoExpectation(), why=NO_NUMBER,
        measure=RANK(where={"is_decayed": False, "is_deep": True}),
    ),
    *(
        bottleneck(
            f"bottleneck-{kind.lower()}-layers-after-rank",
            f"layers from where the rank is n_c - 1 to where {kind}_k dies",
            place="talk, slide 'Convergence of the representations'",
            expected=NoExpectation(), why=NO_NUMBER,
            measure=Mean("apart", where={"kind": kind}, rows=deaths, what="cells"),
        )
        for kind in "SD"
    ),
)  # fmt: skip
