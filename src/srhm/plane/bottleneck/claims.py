"""Claims on the ranks of layers under weight decay.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023) by the titles of
its slides. Under weight decay most weight matrices of a deep FCN keep as many large singular values
as the task needs, here n_c - 1 for centred classes. A singular value is large above half of the
layer's largest; all after training.
"""

import pandas as pd

from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_of

# The second half of an FCN's hidden layers, where a trial network had its bottleneck.
DEEP_HALF = 0.5


@rows_of("cells", "singular_summaries", what="cells")
def weights(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Layers of each cell, with `excess`: large singular values minus n_c - 1."""
    at_end = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    columns = ["curve", "key", "n_c", "hidden_layers", "weight_decay"]
    rows = at_end.merge(cells[columns], on=["curve", "key"])
    excess, layers = rows["n_above_half"] - (rows["n_c"] - 1), rows["hidden_layers"]
    is_deep = (rows["k"] <= layers) & (rows["k"] > DEEP_HALF * layers)
    return rows.assign(excess=excess, is_decayed=rows["weight_decay"] > 0, is_deep=is_deep)


sheet = Sheet()
say = sheet.topic("Bottleneck and singular values", "bottleneck")
say("bottleneck-rank-decay",
    "With weight decay: number of large singular values of deep layers minus (n_c - 1)",
    weights.mean("excess", per="key", is_decayed=True, is_deep=True),
    Within(0, 1), "1, ours: a network trained before had 2 to 3 where n_c - 1 = 3",
    place="talk, slide 'Bottleneck Structure on the Weights'")  # fmt: skip
CLAIMS = sheet.finished()
