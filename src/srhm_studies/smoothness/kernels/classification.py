"""One point of a learning curve on digits: parity by regression or by a support vector machine.

Section 3 of the paper, with 8 x 8 digits in place of MNIST.
"""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from srhm.experiments.cells import DONE, Outcome
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.covariance import gram
from srhm_studies.smoothness.kernels.data import shuffled_digits
from srhm_studies.smoothness.kernels.regression import NotPositiveError, regression_weights

# Appendix A of the paper.
SOFTNESS = 1e4

Labelled = tuple[NDArray[np.float64], NDArray[np.float64]]


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, a fraction, and for regression the mean squared error, on the last n_test digits.

    method: "regression" without ridge on targets of -1 and 1, whose sign classifies; "svm", the
    soft-margin machine with C = 1e4, which has no squared error (NaN).
    """
    images, parity = shuffled_digits(generator=generator(cell["seed"], role="train"))
    n_train, n_test = cell["P"], cell["n_test"]
    training, tested = (images[:n_train], parity[:n_train]), (images[-n_test:], parity[-n_test:])
    return learnt(cell, training, tested)


def learnt(cell: Mapping[str, Any], training: Labelled, tested: Labelled) -> Outcome:
    """Errors as in `run`, of points (n, ...) and their classes -1 and 1, (n,).

    cell: method, kernel, sigma in the unit of the points, jitter.
    """
    (points, targets), (others, truth) = training, tested
    kernel = {"kernel": cell["kernel"], "sigma": cell["sigma"]}
    between = gram(others, points, **kernel)
    if cell["method"] == "svm":
        found, squared = machine(gram(points, **kernel), targets, between), nan
    else:
        try:
            weights = regression_weights(gram(points, **kernel), between.T, jitter=cell["jitter"])
        except NotPositiveError:
            return Outcome({"status": "not positive", "mse": nan, "error": nan})
        found = weights.T @ targets
        squared = float(((found - truth) ** 2).mean())
    wrong = np.sign(found) != truth
    return Outcome({"status": DONE, "mse": squared, "error": float(wrong.mean())})


def machine(
    within: NDArray[np.float64], targets: NDArray[np.float64], between: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Decision function (k,) of a soft-margin machine at k points (Eq. 19 to 23).

    within: Gram matrix (P, P); targets: -1 or 1, (P,); between: kernel (k, P). Training points of
    one class alone decide for it.
    """
    if len(set(targets.tolist())) == 1:
        return np.full(len(between), targets[0])
    trained = SVC(C=SOFTNESS, kernel="precomputed").fit(within, targets)
    return np.asarray(trained.decision_function(between))
