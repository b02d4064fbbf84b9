"""Claims on layerwise training.

Source: an article on provable learning of the RHM (arXiv 2601.19756).
"""

from functools import partial

from srhm.plane.layerwise.analysis import GROWTH, OPEN, ratios
from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Below, Within

ARTICLE = "article on arXiv 2601.19756, 'The Power of Sample Complexity'"
layerwise = partial(
    Claim, topic="Layerwise against end-to-end training", figure="layerwise", place=ARTICLE
)
LAW = partial(
    layerwise, expected=Within(1, 0.25), fixed="after",
    why="0.25: the article leaves a term o(1); an exponent of m that is wrong by one would be 1/3"
        " (L = 3) or 1/2 (L = 2); changed after seeing results: the interval of paired seeds",
)  # fmt: skip

CLAIMS = (
    LAW(
        "m-exponent-layerwise", "Trained layer by layer: slope of log P* against log m^L",
        measure=GROWTH(against="power", where={"series": "layerwise"}),
    ),
    LAW(
        "m-exponent-end-to-end", "Trained end to end: slope of log P* against log m^L",
        place="Eq. 3 and 4", measure=GROWTH(against="power", where={"series": "end_to_end"}),
    ),
    layerwise(
        "layerwise-over-shallow",
        "P* of deep networks trained layer by layer divided by P* of one hidden layer",
        expected=Below(1),
        why="the bound is an equal P*: below 1 layerwise training needs fewer points",
        measure=Mean(
            "inverse", rows=ratios.given(over="shallow", under="layerwise"),
            scale="ratio", open=OPEN, what="grammars", note_columns=("lower bounds",),
        ),
    ),
)  # fmt: skip
