"""Claims on double descent: the norm and the error of F and of ensembles (thesis, chapter 2b).

h* is the smallest width that fits P points, N* its number of weights. Expected numbers and
tolerances were fixed before anything was measured.
"""

import pandas as pd

from srhm.scorecard.expectations import Factor
from srhm.scorecard.jamming_rows import jamming_points
from srhm.scorecard.sheet import Sheet, rows_of


@rows_of("cells", nothing="no two widths at one P", what="curves")
def peaks(cells: pd.DataFrame) -> pd.DataFrame:
    """N* of each P; peak: width of the largest norm of F; over_star: peak/h*."""
    points = jamming_points.function(cells)
    if points.empty:
        return points
    on = ["net", "labels", "P"]
    norms = cells[cells["status"] != "diverged"].groupby([*on, "width"])["test_norm"].mean()
    largest = norms.groupby(on).idxmax().str[-1].astype(float).rename("peak").reset_index()
    points = points.merge(largest, on=on)
    return points.assign(over_star=points["peak"] / points["h_star"])


sheet = Sheet()
say = sheet.topic("Double descent: error and norm of the output against width", "double_descent")
say("norm-peak", "Width of the largest norm of the output divided by h*, the least width that fits",
    peaks.mean("over_star", scale="log", note_rows="{net}, P = {P}: {peak:g} against {h_star:.3g}"),
    Factor(1, within=2), "×2: a step of the widths is a factor of 1.3 to 2",
    place="thesis, ch. 2b, Fig. 5, 7A")  # fmt: skip
CLAIMS = sheet.finished()
