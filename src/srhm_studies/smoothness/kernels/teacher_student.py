"""One point of a learning curve of a student that learns a teacher (sections 4 and 5).

The teacher draws a Gaussian field on training and test points at once, the student interpolates it.
"""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.experiments.cells import DONE, Outcome
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.covariance import gram
from srhm_studies.smoothness.kernels.data import draw_points
from srhm_studies.smoothness.kernels.regression import (
    NotPositiveError,
    draw_fields,
    expected_error,
    regression_weights,
)


def run(cell: Mapping[str, Any]) -> Outcome:
    """Squared errors of the student at P random training points (see `errors`)."""
    points = [
        draw_points(cell["data"], cell["d"], n_points, generator=generator(cell["seed"], role=role))
        for role, n_points in (("train", cell["P"]), ("test", cell["n_test"]))
    ]
    return errors(cell, np.concatenate(points))


def errors(cell: Mapping[str, Any], points: NDArray[np.float64]) -> Outcome:
    """Squared errors of the student, in units of the teacher's variance.

    points: the P training points, then the test points, (P + n_test, D). mse: mean over test points
    and over n_fields drawn fields. expected_mse: the same points, the mean over all fields in
    closed form. Where the student's Gram matrix is singular to the precision of the numbers, both
    are NaN and the status says so.
    """
    n_train = cell["P"]
    student = gram(points[:n_train], points, kernel=cell["kernel"], sigma=cell["sigma"])
    try:
        weights = regression_weights(
            student[:, :n_train], student[:, n_train:], jitter=cell["jitter"]
        )
    except NotPositiveError:
        return Outcome({"status": "not positive", "mse": nan, "expected_mse": nan})
    teacher = gram(points, kernel=cell["teacher"], sigma=cell["sigma"])
    fields = draw_fields(
        teacher, cell["n_fields"], generator=generator(cell["seed"], role="drawing")
    )
    missed = fields[n_train:] - weights.T @ fields[:n_train]
    return Outcome(
        {
            "status": DONE,
            "mse": float((missed**2).mean()),
            "expected_mse": float(expected_error(weights, teacher).mean()),
        }
    )
