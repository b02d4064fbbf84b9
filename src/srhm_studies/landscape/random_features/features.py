"""Random features without ridge, their ensembles, and the kernel that is their limit."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.optimize import brentq

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.landscape.random_features.data import Task, task_of

Array = NDArray[np.floating]


def run(cell: Mapping[str, Any]) -> Outcome:
    """Errors of one number of features N on one training set of P points.

    Squared errors are means over test points, over the mean square of the labels: 1 for the
    prediction 0. mse: median over the members, whose mean does not exist at N = P; variance:
    that between members, without bias; mse_ensemble: of their mean; mse_limit: of infinitely many
    members, mse_ensemble - variance/members; mse_kernel: of the kernel without ridge; mse_ridge:
    of the kernel with the ridge of Jacot et al. (2020). Errors are parts of the test points with
    the wrong sign; those of single members are means.
    """
    task = task_of(cell)
    members, unit = cell["members"], float(np.mean(task.y_test**2))
    draws = generator(cell["seed"], role="initialisation")
    found, residues = [], []
    for _ in range(members):
        directions = draws.standard_normal((task.x.shape[1], cell["N"]))
        shown = features(task.x, directions)
        readout = least_norm(shown, task.y)
        residues.append(np.mean((shown @ readout - task.y) ** 2))
        found.append(features(task.x_test, directions) @ readout)
    outputs = np.array(found)
    mean = outputs.mean(axis=0)
    variance = float(np.mean(outputs.var(axis=0, ddof=1))) / unit
    ensemble = _mse(mean, task)
    gram, across = kernel(task.x, task.x), kernel(task.x, task.x_test)
    ridge = effective_ridge(np.linalg.eigvalsh(gram), cell["N"])
    limit, ridged = (_with_ridge(gram, across, task.y, one) for one in (0.0, ridge))
    return Outcome(
        {
            "mse": float(np.median([_mse(one, task) for one in outputs])),
            "variance": variance,
            "mse_ensemble": ensemble,
            "mse_limit": ensemble - variance / members,
            "mse_kernel": _mse(limit, task),
            "ridge": ridge,
            "mse_ridge": _mse(ridged, task),
            "error": float(np.mean([_wrong(one, task) for one in outputs])),
            "error_ensemble": _wrong(mean, task),
            "error_kernel": _wrong(limit, task),
            "training_mse": float(np.mean(residues)) / unit,
        }
    )


def features(x: Array, directions: Array) -> Array:
    """sqrt(2/N) max(0, w.x) of inputs (n, d) and directions w (d, N), shape (n, N)."""
    return np.asarray(np.maximum(x @ directions, 0) * np.sqrt(2 / directions.shape[1]))


def least_norm(shown: Array, y: Array) -> Array:
    """The readout (N,) of least squares; of those that fit, the one of least norm."""
    return np.asarray(lstsq(shown, y, lapack_driver="gelsy")[0])


def kernel(x: Array, other: Array) -> Array:
    """Mean of the product of two features over Gaussian directions, for inputs of norm 1.

    (sin t + (pi - t) cos t)/pi for the angle t between both (Cho and Saul, 2009), shape (n, m).
    """
    cosine = np.clip(x @ other.T, -1, 1)
    angle = np.arccos(cosine)
    return np.asarray((np.sin(angle) + (np.pi - angle) * cosine) / np.pi)


def effective_ridge(eigenvalues: Array, n_features: int) -> float:
    """The ridge r at which N = tr K (K + r)^-1; 0 where N is at least the rank of K.

    The mean of N random features without ridge predicts as the kernel with this ridge (Jacot et
    al., Implicit regularization of random feature models, 2020).
    """
    positive = eigenvalues[eigenvalues > 1e-12 * eigenvalues.max()]
    if n_features >= len(positive):
        return 0.0

    def surplus(logarithm: float) -> float:
        return float(np.sum(positive / (positive + np.exp(logarithm)))) - n_features

    ends = np.log(positive.min() * 1e-6), np.log(positive.sum())
    return float(np.exp(brentq(surplus, *ends, xtol=1e-10)))


def _with_ridge(gram: Array, across: Array, y: Array, ridge: float) -> Array:
    factor = cho_factor(gram + ridge * np.eye(len(gram)))
    return np.asarray(across.T @ cho_solve(factor, y))


def _mse(outputs: Array, task: Task) -> float:
    return float(np.mean((outputs - task.y_test) ** 2) / np.mean(task.y_test**2))


def _wrong(outputs: Array, task: Task) -> float:
    return float(np.mean(np.sign(outputs) != np.sign(task.y_test)))
