"""Statements on lazy and feature learning, all of them, and their headings."""

import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.text import markdown
from srhm.studies.complexity.claims import PLANE_COMPLEXITY_CLAIMS
from srhm.studies.crossover.claims import CROSSOVER_CLAIMS
from srhm.studies.jamming.claims import PLANE_JAMMING_CLAIMS
from srhm.studies.layerwise.claims import PLANE_LAYER_CLAIMS

PLANE_CLAIMS: tuple[Claim, ...] = (
    *PLANE_COMPLEXITY_CLAIMS,
    *CROSSOVER_CLAIMS,
    *PLANE_LAYER_CLAIMS,
    *PLANE_JAMMING_CLAIMS,
)
# The heading of each, by its identifier.
PLANE_TOPICS: dict[str, str] = {claim.identifier: claim.topic for claim in PLANE_CLAIMS}


def as_markdown(table: pd.DataFrame) -> str:
    """The scorecard of the plane as Markdown."""
    return markdown(table, topics=PLANE_TOPICS, says="statement")
