"""One point of a learning curve of kernel regression on the Sparse Random Hierarchy Model."""

from collections.abc import Mapping
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.experiments.cells import DONE, Outcome
from srhm.model.encoding import one_hot
from srhm.model.grammar import GrammarParameters, parameters_of
from srhm.model.sampling import Derivations, draw_samples
from srhm_studies.smoothness.kernels.covariance import gram
from srhm_studies.smoothness.kernels.regression import NotPositiveError, regression_weights


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, a fraction, and squared error of regression on one-hot classes.

    Targets are one-hot rows less 1/n_c; the largest prediction classifies. mse is over the mean
    square of the targets: 1 for the prediction 0. The unit of sigma is the distance between two
    inputs that share no feature, sqrt(2 s^L).
    """
    parameters = parameters_of(cell)
    samples = draw_samples(parameters, [cell["seed"]], n_train=cell["P"], n_test=cell["n_test"])
    training, tested = samples[cell["seed"], "train"], samples[cell["seed"], "test"]
    scale = sqrt(2 * parameters.n_leaves)
    x, y = (_inputs(part, parameters) / scale for part in (training, tested))
    kernel = {"kernel": cell["kernel"], "sigma": cell["sigma"]}
    try:
        weights = regression_weights(gram(x, **kernel), gram(x, y, **kernel))
    except NotPositiveError:
        return Outcome({"status": "not positive", "mse": nan, "error": nan})
    targets, truth = (
        np.eye(parameters.n_classes)[part.labels] - 1 / parameters.n_classes
        for part in (training, tested)
    )
    found = weights.T @ targets
    squared = ((found - truth) ** 2).sum() / (truth**2).sum()
    wrong = found.argmax(axis=1) != tested.labels
    return Outcome({"status": DONE, "mse": float(squared), "error": float(wrong.mean())})


def _inputs(data: Derivations, parameters: GrammarParameters) -> NDArray[np.float64]:
    return one_hot(data, parameters).reshape(len(data), -1).astype(np.float64)
