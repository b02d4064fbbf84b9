"""Claims on the ranks of layers under weight decay.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023) by the titles of
its slides. A singular value is large above half of the layer's largest; all after training.
"""

import pandas as pd

from srhm.plane.bottleneck.analysis import in_deep_half, last_rank
from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_of


@rows_of("cells", "singular_summaries", what="cells")
def weights(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Layers of each cell, with `excess`: large singular values minus n_c - 1."""
    at_end = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    columns = ["curve", "key", "n_c", "hidden_layers", "weight_decay"]
    rows = at_end.merge(cells[columns], on=["curve", "key"])
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
