"""Claims on double descent: the norm and the error of F and of ensembles (thesis, chapter 2b).

h* is the smallest width that fits P points, N* its number of weights.
"""

from math import log, nan
from typing import Any

import pandas as pd

from srhm.scorecard.claims import Claim, Measurement, Tables
from srhm.scorecard.fits import listed_as_left_out, mean_of, no_points
from srhm.statistics.jamming import smallest_that_fit


def norm_peak(tables: Tables) -> Measurement:
    """Log of the width at which the norm of F is largest over h*, mean over networks and P."""
    cells = tables.get("cells", pd.DataFrame())
    stars = smallest_that_fit(cells)
    if stars.empty:
        return no_points("no two widths at one P")
    used = stars[stars["status"] == "reached"]
    logs, listed = [], []
    for _, star in used.iterrows():
        same = (cells["net"] == star["net"]) & (cells["P"] == star["P"])
        own = cells[same & (cells["labels"] == star["labels"]) & (cells["status"] != "diverged")]
        peak = float(own.groupby("width")["test_norm"].mean().idxmax())
        logs.append(log(peak / star["h_star"]))
        listed.append(f"{star['net']}, P = {star['P']}: {peak:g} against {star['h_star']:.3g}")
    end = listed_as_left_out({"of which h* is beyond the widths": len(stars) - len(used)})
    return mean_of(logs, f"curves ({'; '.join(listed)}){end}")


def ensemble_above_single(tables: Tables) -> Measurement:
    """Error of the ensemble minus that of its members, mean over the ensembles above h*."""
    rows = _beyond_jamming(tables)
    if rows.empty:
        return no_points("no width above h* with an ensemble")
    worse = rows["ensemble_error"] > rows["mean_error"]
    more = (rows["ensemble_error"] - rows["mean_error"]).tolist()
    return mean_of(more, f"ensembles above h*, of which {int(worse.sum())} err more")


def ensemble_flatness(tables: Tables) -> Measurement:
    """Largest minus smallest ensemble error over the widths above h*, mean over curves."""
    rows = _beyond_jamming(tables)
    if rows.empty:
        return no_points("no width above h* with an ensemble")
    errors = rows.groupby(["net", "P", "width"])["ensemble_error"].mean().groupby(["net", "P"])
    spread = (errors.max() - errors.min())[errors.size() > 1]
    single = rows.groupby(["net", "P", "width"])["mean_error"].mean().groupby(["net", "P"])
    falls = ", ".join(
        f"{net}, P = {P}: ensemble {errors.max()[net, P]:.3f} to {errors.min()[net, P]:.3f},"
        f" single {single.max()[net, P]:.3f} to {single.min()[net, P]:.3f}"
        for net, P in spread.index
    )
    return mean_of(spread.tolist(), f"curves ({falls})")


def _beyond_jamming(tables: Tables) -> pd.DataFrame:
    """Ensembles of two members or more at widths above h*."""
    cells = tables.get("cells", pd.DataFrame())
    ensembles = tables.get("ensembles", pd.DataFrame())
    stars = smallest_that_fit(cells)
    if stars.empty or ensembles.empty:
        return pd.DataFrame()
    curves = cells.drop_duplicates("curve")[["curve", "net", "labels"]]
    rows = ensembles[ensembles["n_members"] > 1].merge(curves, on="curve")
    known = stars[stars["status"] != "above_range"][["net", "labels", "P", "h_high"]]
    rows = rows.merge(known, on=["net", "labels", "P"])
    return rows[rows["width"] >= rows["h_high"]]


# Expected numbers with their tolerances, fixed before anything was measured.
NOTHING = "the source gives no number"

SHARED: dict[str, Any] = {
    "topic": "Double descent: error and norm of the output against width",
    "figure": "double_descent",
}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        **SHARED,
        identifier="norm-peak",
        statement="Width of the largest norm of F over h*: mean of the logarithm",
        place="thesis, ch. 2b, Fig. 5, 7A",
        expected=0,
        tolerance=log(2),
        tolerance_reason="log 2: a step of the widths is a factor of 1.3 to 2",
        measure=norm_peak,
    ),
    Claim(
        **SHARED,
        identifier="ensemble-above-single",
        statement="Ensembles above h* err less than their members: difference of the errors",
        place="thesis, ch. 2b, Fig. 2A",
        expected=0,
        tolerance=nan,
        tolerance_reason="an upper bound: an ensemble gains where its error is below its members'",
        measure=ensemble_above_single,
    ),
    Claim(
        **SHARED,
        identifier="ensemble-flat",
        statement="Spread of the ensemble error over widths above h*",
        place="thesis, ch. 2b, Fig. 2A: flat",
        expected=nan,
        tolerance=nan,
        tolerance_reason=NOTHING,
        measure=ensemble_flatness,
    ),
)
