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
from srhm.scorecard.curves import main_curves
from srhm.scorecard.text import markdown
from srhm.studies.sparse_hierarchy.claims.complexities import COMPLEXITY_CLAIMS
from srhm.studies.sparse_hierarchy.claims.concurrence import CONCURRENCE_CLAIMS, concurrence_claims
from srhm.studies.sparse_hierarchy.claims.insensitivity import INSENSITIVITY_CLAIMS
from srhm.studies.sparse_hierarchy.claims.networks import NETWORK_CLAIMS
from srhm.studies.sparse_hierarchy.claims.sparsity import SPARSITY_CLAIMS

__all__ = [
    "CLAIMS",
    "MAX_STATEMENT",
    "NETWORK_CLAIMS",
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
    "together",
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
    *concurrence_claims("fcn", 2),
    *INSENSITIVITY_CLAIMS,
)
# The heading of each claim, by its identifier; those on named networks have tables of their own.
TOPICS: dict[str, str] = {claim.identifier: claim.topic for claim in (*CLAIMS, *NETWORK_CLAIMS)}


def scorecard(tables: Tables, *, claims: Sequence[Claim] | None = None) -> pd.DataFrame:
    """A row (SCORECARD_COLUMNS) for each claim, all CLAIMS unless some are given.

    `tables` maps names to tables ("sample_complexity", "cells", "sensitivities", and for
    NETWORK_CLAIMS "networks_cells", "networks_sensitivities"); missing ones make their claims "not
    enough data". A NaN tolerance beside an expected number makes that an upper
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


def together(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Scorecards of different claims as one, in the order in which TOPICS lists the claims.

    Raises:
        ValueError: if a claim is in two of them.
    """
    table = pd.concat(tables, ignore_index=True)
    twice = table.loc[table.duplicated("claim"), "claim"]
    if len(twice):
        raise ValueError(f"claims in two scorecards: {', '.join(twice)}")
    place = {claim: number for number, claim in enumerate(TOPICS)}
    order = table["claim"].map(place).argsort(kind="stable")
    return table.iloc[order].reset_index(drop=True)


def as_markdown(table: pd.DataFrame) -> str:
    """The scorecard as Markdown: counts, a table for each topic, and a note for each row."""
    return markdown(table, topics=TOPICS)
