"""The points that the authors' figures show, as rows of P* like ours."""

from typing import Any

import pandas as pd

from srhm.model import theory
from srhm.model.grammar import parameters_of
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.statistics.sample_complexity import SMALL_POOL
from srhm.training.configuration import published_rate

# One seed, no error that is known. The options must only be equal: nothing is chosen by them.
OF_ANY_POINT: dict[str, Any] = {
    "criterion": "test_error",
    "threshold": THRESHOLD,
    "sparsity": "A",
    "status": "reached",
    "whitening": False,
    "bias": False,
    "batch": "practice",
    "alpha": 1.0,
    "width": 512,
    "engine": "paper",
}


def as_sample_complexities(points: pd.DataFrame) -> pd.DataFrame:
    """The paper's points (`published_values`) with the columns that claims read of our curves.

    Added are the prediction of Eq. 3 or 4, `small_pool`, as for our own P*, and the `rate` of the
    practice.
    """
    rows: list[dict[str, Any]] = points.to_dict("records")  # type: ignore[assignment]
    pools = [SMALL_POOL * float(parameters_of(row).n_distinct) for row in rows]
    return points.assign(
        **OF_ANY_POINT,
        curve=[f"point {number}" for number in range(len(points))],
        prediction=[theory.predicted(row) for row in rows],
        rate=[published_rate(row) for row in rows],
        small_pool=points["P_star"].to_numpy(dtype=float) > pools,
    )
