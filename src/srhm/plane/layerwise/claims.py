"""Claims on layerwise training.

Source: an article on provable learning of the RHM (arXiv 2601.19756).
"""

from srhm.plane.layerwise.analysis import GROWTH, OPEN, ratios
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.sheet import Sheet

LAW = Within(1, 0.25)
TOLERANCE = (
    "0.25: the article leaves a term o(1); an exponent of m that is wrong by one would be 1/3"
    " (L = 3) or 1/2 (L = 2); changed after seeing results: the interval of paired seeds"
)

sheet = Sheet()
place = "article on arXiv 2601.19756, 'The Power of Sample Complexity'"
say = sheet.topic("Layerwise against end-to-end training", "layerwise", place=place)
say("m-exponent-layerwise", "Trained layer by layer: slope of log P* against log m^L",
    GROWTH(against="power", where={"series": "layerwise"}), LAW, TOLERANCE,
    fixed="after")  # fmt: skip
say("m-exponent-end-to-end", "Trained end to end: slope of log P* against log m^L",
    GROWTH(against="power", where={"series": "end_to_end"}), LAW, TOLERANCE,
    fixed="after", place="Eq. 3 and 4")  # fmt: skip
say("layerwise-over-shallow",
    "P* of deep networks trained layer by layer divided by P* of one hidden layer",
    ratios.given(over="shallow", under="layerwise").mean(
        "inverse", scale="ratio", open=OPEN, what="grammars", note_columns="lower bounds"),
    Below(1),
    "the bound is an equal P*: below 1 layerwise training needs fewer points")  # fmt: skip
CLAIMS = sheet.finished()
