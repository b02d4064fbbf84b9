"""Random features without ridge, their ensembles, and the kernel that is their limit.

Points of norm 1 and their labels: a linear teacher, digits, the SRHM.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.optimize import brentq

from srhm.experiments.cells import Outcome, schema
from srhm.flow.inputs import digits
from srhm.model.encoding import one_hot
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm_studies.landscape.random_features.configuration import HIERARCHY

CELLS = schema({
    "data": str, "P": int, "N": int, "N_over_P": float, "members": int, "n_test": int, "d": int,
    "noise": float, "mse": float, "variance": float, "mse_ensemble": float, "mse_limit": float,
    "mse_kernel": float, "ridge": float, "mse_ridge": float, "error": float,
    "error_ensemble": float, "error_kernel": float, "training_mse": float,
})  # fmt: skip


Array = NDArray[np.floating]


class Task(NamedTuple):
    """Training and test points (n, d), each of norm 1, and their labels (n,)."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array


def task_of(cell: Mapping[str, Any]) -> Task:
    """The points of a cell; training sets of one seed are nested.

    sphere: uniform points of S^(d-1), y = sqrt(d) w.x with |w| = 1, plus Gaussian noise on the
    training labels. digits: whether the digit is odd (1) or even (-1). srhm: the class, 1 or -1,
    of the grammar HIERARCHY, inputs one-hot.
    """
    n_train, n_test, seed = cell["P"], cell["n_test"], cell["seed"]
    if cell["data"] == "srhm":
        samples = draw_samples(HIERARCHY, [seed], n_train=n_train, n_test=n_test)
        parts = [samples[seed, part] for part in ("train", "test")]
        inputs = [
            _unit(one_hot(part, HIERARCHY).reshape(len(part), -1).astype(np.float64))
            for part in parts
        ]
        signs = [2.0 * part.labels - 1 for part in parts]
        return Task(inputs[0], signs[0], inputs[1], signs[1])
    draws = generator(seed, role="train")
    if cell["data"] == "digits":
        images, names = digits("digits")
        order = draws.permutation(len(images))
        x, parity = _unit(images[order]), np.where(names[order] % 2 == 1, 1.0, -1.0)
        return Task(x[:n_train], parity[:n_train], x[-n_test:], parity[-n_test:])
    d = cell["d"]
    teacher = _unit(draws.standard_normal((1, d)))[0]
    test = _unit(generator(seed, role="test").standard_normal((n_test, d)))
    numbers = draws.standard_normal((n_train, d + 1))  # a row a point: nested in P, noise too
    points, scale = _unit(numbers[:, :d]), np.sqrt(d)
    y = scale * points @ teacher + cell["noise"] * numbers[:, d]
    return Task(points, y, test, scale * test @ teacher)


def _unit(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def errors_of_features(cell: Mapping[str, Any]) -> Outcome:
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
    predictions, residues = [], []
    for _ in range(members):
        directions = draws.standard_normal((task.x.shape[1], cell["N"]))
        shown = features(task.x, directions)
        readout = least_norm(shown, task.y)
        residues.append(np.mean((shown @ readout - task.y) ** 2))
        predictions.append(features(task.x_test, directions) @ readout)
    outputs = np.array(predictions)
    mean = outputs.mean(axis=0)
    variance = float(np.mean(outputs.var(axis=0, ddof=1))) / unit
    ensemble = _mse(mean, task)
    gram, across = kernel(task.x, task.x), kernel(task.x, task.x_test)
    ridge = effective_ridge(np.linalg.eigvalsh(gram), cell["N"])
    limit, ridged = (_with_ridge(gram, across, task.y, strength) for strength in (0.0, ridge))
    return Outcome({
        "mse": float(np.median([_mse(output, task) for output in outputs])), "variance": variance,
        "mse_ensemble": ensemble, "mse_limit": ensemble - variance / members,
        "mse_kernel": _mse(limit, task), "ridge": ridge, "mse_ridge": _mse(ridged, task),
        "error": float(np.mean([_wrong(output, task) for output in outputs])),
        "error_ensemble": _wrong(mean, task), "error_kernel": _wrong(limit, task),
        "training_mse": float(np.mean(residues)) / unit,
    })  # fmt: skip


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
