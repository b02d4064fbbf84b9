"""Kernel regression without ridge, and targets drawn from a kernel (a teacher).

The prediction at a point is k . K^(-1) Z (Eq. 3): K the Gram matrix of the training points, k the
kernel between these and the point, Z the targets. No code here centres anything.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dpstrf

# Of a factorisation of a covariance: what is left of a variance of 1 is rounding.
TOLERANCE = 1e-15


class NotPositiveError(ValueError):
    """A Gram matrix that is not positive definite to the precision of the numbers."""


def regression_weights(
    gram: NDArray[np.float64], against: NDArray[np.float64], *, jitter: float = 0.0
) -> NDArray[np.float64]:
    """K^(-1) k, shape (P, k): the prediction at point j is column j times the targets.

    gram: (P, P); against: kernel between training points and k others, (P, k). jitter: is added to
    the diagonal, where rounding would make the matrix singular.

    Raises:
        NotPositiveError: if the matrix is not positive definite.
    """
    matrix = gram + jitter * np.eye(len(gram)) if jitter else gram
    try:
        factor: Any = cho_factor(matrix, lower=True)
    except LinAlgError as error:
        raise NotPositiveError(str(error)) from error
    return np.asarray(cho_solve(factor, against))


def expected_error(
    weights: NDArray[np.float64], teacher: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Squared error at each of k points, (k,), exactly averaged over the targets of a teacher.

    E (z - w.Z)^2 = K_T(0) - 2 w.k_T + w.K_T w, for targets that are Gaussian with the covariance
    `teacher`, (P + k, P + k): training points first. weights: (P, k).
    """
    n_train = len(weights)
    between = np.einsum("pk,pk->k", weights, teacher[:n_train, n_train:])
    within = np.einsum("pk,pk->k", weights, teacher[:n_train, :n_train] @ weights)
    return np.asarray(np.diag(teacher)[n_train:] - 2 * between + within)


def draw_fields(
    covariance: NDArray[np.float64], n_fields: int, *, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Gaussian fields of zero mean with this covariance (n, n): shape (n, n_fields).

    The Cholesky factorisation is pivoted and ends at the rank that the numbers have, so that a
    smooth teacher, whose matrix is singular to their precision, needs no jitter. That would be
    noise in its targets, above the error of a good student.
    """
    lower, pivots, rank, _ = dpstrf(covariance, lower=1, tol=TOLERANCE)
    fields = np.empty((len(covariance), n_fields))
    fields[pivots - 1] = np.tril(lower)[:, :rank] @ generator.standard_normal((rank, n_fields))
    return fields
