"""Claims on layerwise training, and on the singular values of representations.

Sources: an article on provable learning of the RHM (arXiv 2601.19756); the talk "Bottleneck
structure in large depth networks" (A. Jacot, 2023) by the title of its slide.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean, Ratio
from srhm.scorecard.expectations import Below, NoExpectation, Within
from srhm.scorecard.rows import rows_of
from srhm.studies.layerwise.analysis import GROWTH, OPEN, ratios


@rows_of("all_cells", "all_singular_summaries")
def representations(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """The last hidden layer at the largest P and smallest alpha_tilde of each curve."""
    own = cells[cells["P"] == cells.groupby("curve")["P"].transform("max")]
    own = own[own["alpha_tilde"] == own.groupby("curve")["alpha_tilde"].transform("min")]
    rows = summaries[summaries["kind"] == "representation"]
    rows = rows.merge(own[["curve", "key", "hidden_layers"]], on=["curve", "key"])
    return rows[rows["k"] == rows["hidden_layers"]]


ARTICLE = "article on arXiv 2601.19756, 'The Power of Sample Complexity'"
NO_NUMBER = "no source has a number"
layerwise = partial(
    Claim, topic="Layerwise against end-to-end training", figure="layerwise", place=ARTICLE
)
LAW = partial(
    layerwise, expected=Within(1, 0.25), fixed="after",
    why="0.25: the claim leaves o(1) open; an exponent of m that is wrong by one would be 1/3"
        " (L = 3) or 1/2 (L = 2); after a look: the interval of paired seeds",
)  # fmt: skip
OVER = partial(Mean, scale="ratio", open=OPEN, what="grammars", tells=("lower bounds",))

CLAIMS = (
    LAW(
        "m-exponent-layerwise", "trained layer by layer: P* ~ m^L, slope of log P* on log m^L",
        measure=GROWTH(against="power", where={"series": "layerwise"}),
    ),
    LAW(
        "m-exponent-end-to-end", "trained end to end: P* ~ m^L, slope of log P* on log m^L",
        place="Eq. 3 and 4", measure=GROWTH(against="power", where={"series": "end_to_end"}),
    ),
    layerwise(
        "m-exponent-shallow",
        "one hidden layer: slope of log P* on log m^L (all data: 1.5 and 2.3)",
        expected=NoExpectation(), fixed="after",
        why=f"{NO_NUMBER}; after a look: the interval of paired seeds",
        measure=GROWTH(against="power", where={"series": "shallow"}),
    ),
    layerwise(
        "layerwise-over-shallow",
        "deep and layer by layer needs fewer points than one hidden layer: ratio",
        expected=Below(1),
        why="the bound is an equal P*: below 1 layerwise training needs fewer points",
        measure=OVER(
            "inverse", rows=ratios.given(over="shallow", under="layerwise", as_bound=True)
        ),
    ),
    layerwise(
        "layerwise-over-end-to-end", "P* layer by layer over P* end to end",
        expected=NoExpectation(), why=NO_NUMBER,
        measure=OVER("ratio", rows=ratios.given(over="layerwise", under="end_to_end")),
    ),
    Claim(
        "rank-of-representations",
        "participation ratio of the last hidden layer, end over start, largest P",
        topic="Singular values of representations", figure="singular_values",
        place="talk, slide 'Convergence of the representations'",
        expected=NoExpectation(), why=NO_NUMBER,
        measure=Ratio(
            "participation_ratio", where={"when": "end"}, over={"when": "initial"},
            on=("curve", "key"), per=("curve",), rows=representations, what="curves",
        ),
    ),
)  # fmt: skip
