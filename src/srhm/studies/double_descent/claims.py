"""Claims on double descent: the norm and the error of F and of ensembles (thesis, chapter 2b).

h* is the smallest width that fits P points, N* its number of weights. Expected numbers and
tolerances were fixed before anything was measured.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Factor, NoExpectation
from srhm.scorecard.jamming import stars
from srhm.scorecard.rows import rows_of
from srhm.statistics.jamming import smallest_that_fit

CURVE = ["net", "P"]


@rows_of("cells", nothing="no two widths at one P")
def peaks(cells: pd.DataFrame) -> pd.DataFrame:
    """N* of each P; peak: width of the largest norm of F; over_star: that over h*."""
    found = stars.function(cells)
    if found.empty:
        return found
    on = ["net", "labels", "P"]
    norms = cells[cells["status"] != "diverged"].groupby([*on, "width"])["test_norm"].mean()
    largest = norms.groupby(on).idxmax().str[-1].astype(float).rename("peak").reset_index()
    found = found.merge(largest, on=on)
    return found.assign(over_star=found["peak"] / found["h_star"])


@rows_of("cells", "ensembles", nothing="no width above h* with an ensemble")
def beyond(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Ensembles of two members or more from h* on; excess: their error minus the members'."""
    found = smallest_that_fit(cells)
    if found.empty:
        return found
    curves = cells.drop_duplicates("curve")[["curve", "net", "labels"]]
    rows = ensembles[ensembles["n_members"] > 1].merge(curves, on="curve")
    known = found[found["status"] != "above_range"][["net", "labels", "P", "h_high"]]
    rows = rows.merge(known, on=["net", "labels", "P"])
    rows = rows[rows["width"] >= rows["h_high"]]
    return rows.assign(excess=rows["ensemble_error"] - rows["mean_error"])


@rows_of("cells", "ensembles", nothing="no width above h* with an ensemble")
def spreads(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Spread of each curve's ensemble errors over widths from h* on; single: its members'."""
    rows = beyond.function(cells, ensembles)
    if rows.empty:
        return rows
    of_width = rows.groupby([*CURVE, "width"])[["ensemble_error", "mean_error"]].mean()
    of_curve = of_width.groupby(CURVE)
    spread = (of_curve.max() - of_curve.min())[of_curve.size() > 1]
    names = {"ensemble_error": "spread", "mean_error": "single"}
    return spread.rename(columns=names).reset_index()


descent = partial(
    Claim, topic="Double descent: error and norm of the output against width",
    figure="double_descent",
)  # fmt: skip

STATED = (
    descent(
        "norm-peak", "Width of the largest norm of F, over h*",
        place="thesis, ch. 2b, Fig. 5, 7A",
        expected=Factor(1, within=2), why="×2: a step of the widths is a factor of 1.3 to 2",
        measure=Mean(
            "over_star", scale="log", rows=peaks, what="curves",
            each="{net}, P = {P}: {peak:g} against {h_star:.3g}",
        ),
    ),
    descent(
        "ensemble-above-single",
        "Ensembles above h* err less than their members: difference of the errors",
        place="thesis, ch. 2b, Fig. 2A",
        expected=NoExpectation(), why="digits_jamming judges it, of shipped rows",
        measure=Mean("excess", rows=beyond, what="ensembles above h*"),
    ),
    descent(
        "ensemble-flat", "Spread of the ensemble error over widths above h*",
        place="thesis, ch. 2b, Fig. 2A: flat",
        expected=NoExpectation(), why="the source gives no number",
        measure=Mean(
            "spread", rows=spreads, what="curves",
            each="{net}, P = {P}: {spread:.3f}, members {single:.3f}",
        ),
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "ensemble-above-single":
            "the mean of the difference, before the part of ensembles; not judged any more",
    },
)  # fmt: skip
