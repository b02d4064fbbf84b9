"""Table of the study, a row for each cell, P* of each seed and what teaching saves.

Letters: P training digits; D, G, R as of the thesis.
"""

import numpy as np
import pandas as pd

from srhm.experiments.cells import schema
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_of
from srhm.statistics.sample_complexity import crossing

# D, G, R of the output, to deformations and to shifts (places): see `experiment`.
CELLS = schema({
    "net": str,
    "taught": str,
    "P": int,
    "width": int,
    "max_steps": int,
    "n_test": int,
    "n_points": int,
    "steps": int,
    "train_loss": float,
    "test_error": float,
    **{f"{name}_{kind}": float for kind in ("deformations", "places") for name in "DGR"},
})  # fmt: skip


NETS = {"lenet": "LeNet", "fc2": "FC"}
NOTHING, PLACES, DEFORMATIONS, BOTH = "nothing", "places", "deformations", "both"
KINDS = (NOTHING, PLACES, DEFORMATIONS, BOTH)
R = {PLACES: "R_places", DEFORMATIONS: "R_deformations"}


@rows_of("cells", what="seeds")
def stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* (test error THRESHOLD) of each net, what it is taught, and seed, by `crossing`.

    A censored one is its bound and left out.
    """
    rows = []
    for (net, taught, seed), curve in cells.sort_values("P").groupby(["net", "taught", "seed"]):
        sizes, errors = (curve[name].to_numpy(dtype=float) for name in ("P", "test_error"))
        star = crossing(sizes, errors, THRESHOLD)
        rows.append({"net": net, "taught": taught, "seed": seed, "P_star": star.size,
                     "status": star.status})  # fmt: skip
    table = pd.DataFrame(rows)
    reasons = {"with P* above the measured range": table["status"] == "not_reached"}
    below = {"with P* below the measured range": table["status"] == "below_range"}
    return left_out(table, reasons | below)


@rows_of(stars, nothing="no seed with all four P*", what="seeds")
def savings(rows: pd.DataFrame) -> pd.DataFrame:
    """By which factor P* falls (`places`, `deformations`, `both`), for each net and seed.

    over_product: `both` over the product of the others. What has a censored P* is left out.
    """
    by = ["net", "seed"]
    table = rows.pivot(index=by, columns="taught", values="P_star").reindex(columns=list(KINDS))
    reached = rows.pivot(index=by, columns="taught", values="status") == "reached"
    saved = table[[PLACES, DEFORMATIONS, BOTH]].rdiv(table[NOTHING], axis=0)
    saved = saved.assign(over_product=saved[BOTH] / saved[PLACES] / saved[DEFORMATIONS])
    whole = reached.reindex(columns=list(KINDS), fill_value=False).all(axis=1)
    saved = saved.assign(whole=whole).dropna().reset_index()
    return left_out(saved, {"with a P* that is censored": ~saved["whole"]})


@rows_of("cells", what="seeds")
def at_largest(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks at the largest P of their net; those without a number are left out."""
    largest = cells[cells["P"] == cells.groupby("net")["P"].transform("max")]
    known = np.isfinite(largest[list(R.values())].astype(float)).all(axis=1)
    return left_out(largest, {"diverged": ~known})


def means(cells: pd.DataFrame) -> pd.DataFrame:
    """Over seeds, a row for each net, what it is taught, and P: test errors, geometric of R."""
    logs = cells.assign(**{name: np.log(cells[name].astype(float)) for name in R.values()})
    table = logs.groupby(["net", "taught", "P"], as_index=False)[["test_error", *R.values()]].mean()
    return table.assign(**{name: np.exp(table[name]) for name in R.values()})
