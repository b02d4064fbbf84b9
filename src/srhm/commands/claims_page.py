"""The part of docs/claims.md that `make readme` writes: each verdict with an example, a picture.

The example is the first claim of a scorecard that is of its kind, so that nobody chooses it.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import pandas as pd

from srhm.scorecard.headline import ForestRow, Statement, forest_rows
from srhm.scorecard.numbers import expected_text, measured_text
from srhm.scorecard.verdicts import Verdict

PAGE, PICTURE = "docs/claims.md", "docs/images/verdicts.png"
TITLE = "Three intervals, one for each verdict, and the band of their tolerance"
# Where the interval lies, by verdict.
KINDS: dict[Verdict, str] = {
    "reproduced": "lies within the tolerance",
    "differs": "excludes the expected number, and the value lies beyond the tolerance",
    "inconclusive": "all else: too wide, or different by less than the tolerance; the numbers say"
    " which",
}


def examples(scorecard: pd.DataFrame) -> list[dict[Any, Any]]:
    """The first row of each verdict whose claim is a number with a tolerance.

    Raises:
        ValueError: if the scorecard has no claim of a verdict.
    """
    found: dict[str, dict[Any, Any]] = {}
    for row in scorecard.to_dict("records"):
        if isfinite(row["tolerance"]) and isfinite(row["value"]):
            found.setdefault(row["verdict"], row)
    if lacking := sorted(KINDS.keys() - found.keys()):
        raise ValueError(f"{PAGE}: no claim has the verdict {lacking[0]!r}")
    return [found[word] for word in KINDS]


def forest_of_examples(scorecard: pd.DataFrame) -> list[ForestRow]:
    """The examples, each with its verdict as label."""
    lines = {str(row["verdict"]): row["claim"] for row in examples(scorecard)}
    one = Statement(heading="", says="", short=(), quote="", place="", lines=lines)
    return forest_rows([one], scorecard)


def forest_in_words(rows: Sequence[ForestRow]) -> str:
    """The picture in words, for a test that it is of these numbers."""
    return "; ".join(row.sentence for row in rows)


def verdict_table(scorecard: pd.DataFrame, *, rows_of: str) -> Sequence[Sequence[str]]:
    """Cells of the table, the head first; rows_of: preset of the scorecard."""
    cells = [["verdict", "the interval", f"first example in the rows of `{rows_of}`"]]
    for row in examples(scorecard):
        numbers = f"{measured_text(row)}, expected {expected_text(row)}"
        word = row["verdict"]
        cells.append([f"**{word}**", KINDS[word], f"{row['statement']}: {numbers}"])
    return cells
