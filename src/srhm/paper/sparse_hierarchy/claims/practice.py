"""Claims on the authors' points, beside curves that we learn and read by its practice."""

import pandas as pd

from srhm.paper.sparse_hierarchy.practice_points import practice_points
from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Part
from srhm.scorecard.expectations import Above
from srhm.scorecard.rows import rows_of


@rows_of("sample_complexity", "cells", "published_values",
         nothing="no curve of the practice on a grammar of the paper's points")  # fmt: skip
def points(*tables: pd.DataFrame) -> pd.DataFrame:
    """The paper's points over ours by its practice."""
    found = practice_points(*tables)
    known = found["low"].notna()
    return found.assign(known=known)


PRACTICE_CLAIMS = (
    Claim(
        "published-within-prediction",
        "Part of the published points in the 95 % prediction of one grammar and grid",
        topic="Sample complexity: the authors' points over ours by its practice",
        figure="4 B, C", place="Figure 4 B, C",
        expected=Above(0.75), fixed="after",
        why="of thirty points that a 95 % interval should hold, the exact interval of their part"
            " goes down to 0.78 when two are outside; a third outside, by another protocol, is"
            " seen; after a look: a lower bound, before 0.95 ± 0.2, of which only the lower end can"
            " fail; and the interval of vocabularies, before that of independent points. With fewer"
            " than thirteen vocabularies it can be refuted or stay open, and not agree",
        measure=Part("inside", where={"s": 2, "known": True}, rows=points, what="points",
                     shared=True, tells=("width",)),
    ),
)  # fmt: skip
