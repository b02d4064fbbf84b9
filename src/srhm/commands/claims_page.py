"""The part of docs/claims.md that `make readme` writes: each verdict with an example, a picture.

The example is the first claim of a scorecard that is of its kind, so that nobody chooses it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd

from srhm.scorecard.deciding import EXCLUDES, HOLDS, why_open
from srhm.scorecard.headline import ForestRow, Statement, forest_rows
from srhm.scorecard.numbers import expected_text, measured_text
from srhm.scorecard.verdicts import Verdict

PAGE, PICTURE = "docs/claims.md", "docs/images/verdicts.png"
TITLE = "Intervals against the band of what is allowed: agrees, close, disagrees, two are open"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A verdict, where the interval lies, and in a few words what that says.

    why: which of the claims that are open. drawn: whether there is an interval to draw.
    """

    verdict: Verdict
    interval: str
    says: str = ""
    why: str = ""
    drawn: bool = True

    @property
    def label(self) -> str:
        """Of the picture."""
        return f"{self.verdict}: {self.says}" if self.says else self.verdict


KINDS = (
    Kind(verdict="agrees", says="within, holds the number",
         interval="lies within the tolerance and holds the expected number; or it keeps a bound"),
    Kind(verdict="close", says="within, excludes the number",
         interval="lies within the tolerance and excludes the expected number"),
    Kind(verdict="disagrees", says="outside", interval="lies wholly outside the tolerance"),
    Kind(verdict="open", says="too wide to tell", why=HOLDS,
         interval="holds the expected number and reaches beyond the tolerance; or it holds a bound,"
         " or an end is not known: too wide to tell"),
    Kind(verdict="open", says="differs; by how much?", why=EXCLUDES,
         interval="excludes the expected number and reaches into the tolerance: the number differs,"
         " by more or by less than the tolerance"),
    Kind(verdict="too few data", drawn=False,
         interval="comes from fewer than three points, or from none"),
    Kind(verdict="no expectation", drawn=False,
         interval="has no number to meet: the source gives none, or another claim has the verdict"),
)  # fmt: skip


def examples(scorecard: pd.DataFrame) -> list[tuple[Kind, dict[Any, Any]]]:
    """Each kind with the first row of it; one that is drawn has a number with a tolerance.

    Raises:
        ValueError: if the scorecard has no claim of a kind.
    """
    found = []
    for kind in KINDS:
        own = (row for row in scorecard.to_dict("records") if _is_of(kind, row))
        row = next(own, None)
        if row is None:
            raise ValueError(f"{PAGE}: no claim is of the kind {kind.label!r}")
        found.append((kind, row))
    return found


def forest_of_examples(scorecard: pd.DataFrame) -> list[ForestRow]:
    """The examples that are drawn, each with its kind as label."""
    lines = {kind.label: row["claim"] for kind, row in examples(scorecard) if kind.drawn}
    one = Statement(heading="", says="", quote="", place="", lines=lines)
    return forest_rows([one], scorecard)


def forest_in_words(rows: Sequence[ForestRow]) -> str:
    """The picture in words, for a test that it is of these numbers."""
    return "; ".join(row.sentence for row in rows)


def verdict_table(scorecard: pd.DataFrame, *, rows_of: str) -> Sequence[Sequence[str]]:
    """Cells of the table, the head first; rows_of: preset of the scorecard."""
    cells = [["verdict", "the interval", f"first example in the rows of `{rows_of}`"]]
    for kind, row in examples(scorecard):
        numbers = f"{measured_text(row)}, expected {expected_text(row)}"
        if not isfinite(row["expected"]):
            numbers = measured_text(row)
        cells.append([f"**{kind.verdict}**", kind.interval, f"{row['statement']}: {numbers}"])
    return cells


def open_claims(scorecards: Iterable[pd.DataFrame]) -> str:
    """How many of the open claims are open for which reason, a sentence."""
    rows = (row for one in scorecards for row in one.to_dict("records"))
    counts = Counter(filter(None, map(why_open, rows)))
    words = "; ".join(f"in {n} {why}" for why, n in counts.most_common())
    return f"Open claims of all studies: {counts.total()}; {words}."


def _is_of(kind: Kind, row: dict[Any, Any]) -> bool:
    if row["verdict"] != kind.verdict:
        return False
    return not kind.drawn or (isfinite(row["tolerance"]) and why_open(row) == kind.why)
