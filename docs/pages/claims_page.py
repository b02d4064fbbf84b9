"""The picture of docs/claims.md: an example of each verdict.

The example is the first claim of a scorecard that is of its kind, so that nobody chooses it.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import pandas as pd

from srhm.scorecard.expectations import VERDICTS
from srhm.scorecard.headline import ForestRow, Statement, forest_rows

PAGE, PICTURE = "docs/claims.md", "docs/images/verdicts.png"
TITLE = "Three intervals, one for each verdict, and the band of their tolerance"


def examples(scorecard: pd.DataFrame) -> list[dict[Any, Any]]:
    """The first row of each verdict whose claim is a number with a tolerance.

    Raises:
        ValueError: if the scorecard has no claim of a verdict.
    """
    found: dict[str, dict[Any, Any]] = {}
    for row in scorecard.to_dict("records"):
        if isfinite(row["tolerance"]) and isfinite(row["value"]):
            found.setdefault(row["verdict"], row)
    if lacking := sorted(set(VERDICTS) - found.keys()):
        raise ValueError(f"{PAGE}: no claim has the verdict {lacking[0]!r}")
    return [found[word] for word in VERDICTS]


def forest_of_examples(scorecard: pd.DataFrame) -> list[ForestRow]:
    """The examples, each with its verdict as label."""
    lines = {str(row["verdict"]): row["claim"] for row in examples(scorecard)}
    one = Statement(heading="", says="", short=(), quote="", place="", lines=lines)
    return forest_rows([one], scorecard)


def forest_in_words(rows: Sequence[ForestRow]) -> str:
    """The picture in words, for a test that it is of these numbers."""
    return "; ".join(row.sentence for row in rows)
