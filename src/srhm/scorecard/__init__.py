"""Claims of the paper, each measured on the tables: value, interval, verdict.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 (s0) empty places for each
informative one, v features, m synonyms, n_c classes. What is expected and the tolerance of a claim
are written down beside it, before anything is measured; later claims (from other tables too) are
added by listing them.
"""

from collections.abc import Sequence

import pandas as pd

from srhm.scorecard.claims import (
    MAX_STATEMENT,
    NOT_MEASURED,
    Claim,
    Measurement,
    Tables,
    Verdict,
    verdict,
)
from srhm.scorecard.complexities import COMPLEXITY_CLAIMS
from srhm.scorecard.concurrence import CONCURRENCE_CLAIMS
from srhm.scorecard.curves import main_curves
from srhm.scorecard.insensitivity import INSENSITIVITY_CLAIMS
from srhm.scorecard.sparsity import SPARSITY_CLAIMS
from srhm.scorecard.text import markdown

__all__ = [
    "CLAIMS",
    "MAX_STATEMENT",
    "NOT_MEASURED",
    "SCORECARD_COLUMNS",
    "TOPICS",
    "Claim",
    "Measurement",
    "Tables",
    "Verdict",
    "as_markdown",
    "main_curves",
    "scorecard",
    "verdict",
]

SCORECARD_COLUMNS = (
    "claim",
    "figure",
    "statement",
    "place",
    "expected",
    "value",
    "low",
    "high",
    "n",
    "tolerance",
    "tolerance_reason",
    "verdict",
    "note",
)

CLAIMS: tuple[Claim, ...] = (
    *COMPLEXITY_CLAIMS,
    *SPARSITY_CLAIMS,
    *CONCURRENCE_CLAIMS,
    *INSENSITIVITY_CLAIMS,
)
# The heading of each claim, by its identifier.
TOPICS: dict[str, str] = {claim.identifier: claim.topic for claim in CLAIMS}


def scorecard(tables: Tables, *, claims: Sequence[Claim] | None = None) -> pd.DataFrame:
    """A row (SCORECARD_COLUMNS) for each claim, all CLAIMS unless some are given.

    `tables` maps names to tables ("sample_complexity", "cells", "sensitivities"); missing ones make
    their claims "not enough data". A NaN tolerance beside an expected number makes that an upper
    bound; both NaN: nothing is expected.
    """
    rows = []
    for claim in CLAIMS if claims is None else claims:
        measured = claim.measure(tables)
        rows.append(
            {
                "claim": claim.identifier,
                "figure": claim.figure,
                "statement": claim.statement,
                "place": claim.place,
                "expected": float(claim.expected),
                "value": float(measured.value),
                "low": float(measured.low),
                "high": float(measured.high),
                "n": measured.n,
                "tolerance": float(claim.tolerance),
                "tolerance_reason": claim.tolerance_reason,
                "verdict": verdict(claim, measured),
                "note": measured.note,
            }
        )
    return pd.DataFrame(rows, columns=list(SCORECARD_COLUMNS))


def as_markdown(table: pd.DataFrame) -> str:
    """The scorecard as Markdown: counts, a table for each topic, and a note for each row."""
    return markdown(table, topics=TOPICS)
