"""Claims and fits of the authors' points."""

from dataclasses import dataclass, replace

import pandas as pd

from srhm.paper.sparse_hierarchy.analysis import practice_points
from srhm.scorecard.authors_points import as_sample_complexities
from srhm.scorecard.claims import Measurement, Tables, once
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.estimators import Estimator
from srhm.scorecard.expectations import Above
from srhm.scorecard.sheet import Sheet, rows_of

# What the authors' points say of a claim: its measurement with them in place of our curves.
#
# A law that is met roughly leaves a claim undecided whoever measures it. Beside ours stands
# therefore what the points that the paper shows in Figures 4, 10 and 13 give by the same fit, at
# equal learning rates as ours (those of its practice). They are of one seed, so that the error is
# the scatter's.


@dataclass(frozen=True)
class Beside:
    """What our curves give, and as `authors` what the authors' points give by the same fit.

    thresholds: the note has the number at the other thresholds of the test error, too, which are
    the same networks.
    """

    measure: Estimator
    thresholds: bool = False

    def __call__(self, tables: Tables) -> Measurement:
        """Ours, and theirs where points give a value."""
        ours = self.measure(tables)
        note = ours.note + (self._at_others(tables) if self.thresholds else "")
        ours = replace(ours, note=note)
        points = tables.get("published_values", pd.DataFrame())
        if points.empty:
            return ours
        table = once(tables, "the paper's points", lambda: as_sample_complexities(points))
        found = self.measure({"sample_complexity": table})
        return replace(ours, authors=(found.value, found.low, found.high))

    def _at_others(self, tables: Tables) -> str:
        table = tables.get("sample_complexity", pd.DataFrame())
        if table.empty:
            return ""
        others = set(table.loc[table["criterion"] == "test_error", "threshold"]) - {THRESHOLD}
        rows = {one: self.measure.rows.given(threshold=one) for one in sorted(others)}
        found = {one: replace(self.measure, rows=own)(tables) for one, own in rows.items()}
        parts = [f"{one.value:.2f} at {at:.0%}" for at, one in found.items() if one.n]
        return f"; other thresholds: {', '.join(parts)}" if parts else ""


# The paper's points over ours by its practice.
points = rows_of("sample_complexity", "cells", "published_values", what="points",
                 nothing="no curve of the practice on a grammar of the paper's points")(
    practice_points
).then(lambda found: found.assign(known=found["low"].notna()))  # fmt: skip
sheet = Sheet()
say = sheet.topic("Sample complexity: the authors' points over ours by its practice", "4 B, C",
                  place="Figure 4 B, C")  # fmt: skip
say("published-within-prediction",
    "Part of the published points in the 95 % prediction of one grammar and grid",
    points.part("inside", s=2, known=True, shared=True, tells="width"), Above(0.75),
    "of thirty points that a 95 % interval should hold, the exact interval of their part"
    " goes down to 0.78 when two are outside; a third outside, by another protocol, is"
    " seen; after a look: a lower bound, before 0.95 ± 0.2, of which only the lower end can"
    " fail; and the interval of vocabularies, before that of independent points. With fewer"
    " than thirteen vocabularies it can be refuted or stay open, and not agree",
    fixed="after")  # fmt: skip
PRACTICE_CLAIMS = tuple(sheet.claims)
