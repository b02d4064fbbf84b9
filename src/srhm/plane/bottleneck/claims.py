"""Claims on the ranks of layers under weight decay.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023) by the titles of
its slides. A singular value is large above half of the layer's largest; all after training.
"""

from functools import partial

import pandas as pd

from srhm.plane.bottleneck.analysis import in_deep_half, last_rank
from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Within
from srhm.scorecard.rows import rows_of


@rows_of("cells", "singular_summaries")
def weights(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Layers of each cell, with `excess`: large singular values minus n_c - 1."""
    own = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    columns = ["curve", "key", "n_c", "hidden_layers", "weight_decay"]
    rows = own.merge(cells[columns], on=["curve", "key"])
    excess = rows["n_above_half"] - rows["n_c"].map(last_rank)
    is_decayed = rows["weight_decay"] > 0
    return rows.assign(excess=excess, is_decayed=is_decayed, is_deep=in_deep_half(rows))


bottleneck = partial(Claim, topic="Bottleneck and singular values", figure="bottleneck")
RANK = partial(Mean, "excess", per=("key",), rows=weights, what="cells")

CLAIMS = (
    bottleneck(
        "bottleneck-rank-decay",
        "with weight decay: large singular values of deep layers, minus n_c - 1",
        place="talk, slide 'Bottleneck Structure on the Weights'",
        expected=Within(0, 1), why="1, ours: a network trained before had 2 to 3 where n_c - 1 = 3",
        measure=RANK(where={"is_decayed": True, "is_deep": True}),
    ),
)  # fmt: skip
