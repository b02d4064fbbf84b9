"""Kernels, regression with them, targets and points to learn, and exponents in closed form.

A kernel K(r) is a name: isotropic, of Matérn's family. Laplace, exp(-r/sigma), is that of nu = 1/2;
Gauss, the limit nu = infinity, is exp(-r^2/(2 sigma^2)). In d dimensions the Fourier transform
decays as |w|^(-alpha), alpha = d + 2 nu (Spigler, Geiger and Wyart 2020, section 4 and appendix E;
chapter 6 of the thesis). d is the intrinsic dimension of the points, so that S^d lies in d + 1
dimensions. The prediction of a regression at a point is k . K^(-1) Z (Eq. 3): K the Gram matrix of
the training points, k the kernel between these and the point, Z the targets. No code here centres
anything. Training sets of one seed are nested.
"""

from functools import cache
from math import gamma, inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.gaussian_process.kernels import Matern

# nu by name.
KERNELS = {
    "laplace": 0.5,
    "matern-1": 1.0,
    "matern-3/2": 1.5,
    "matern-2": 2.0,
    "matern-5/2": 2.5,
    "gauss": inf,
}
# Of a factorisation of a covariance: what is left of a variance of 1 is rounding.
TOLERANCE = 1e-15

COMPRESSED = "stripe_compressed"


def gram(
    points: NDArray[np.float64], others: NDArray[np.float64] | None = None, *, kernel: str,
    sigma: float,
) -> NDArray[np.float64]:  # fmt: skip
    """K of points (n, D) and others (k, D), or of the points with themselves: (n, k) or (n, n).

    sigma is in the units of the points; K(0) = 1.
    """
    return np.asarray(Matern(length_scale=sigma, nu=KERNELS[kernel])(points, others))


def decay(kernel: str, d: int) -> float:
    """alpha = d + 2 nu, infinite for Gauss."""
    return d + 2 * KERNELS[kernel]


def regression_weights(
    gram: NDArray[np.float64], against: NDArray[np.float64], *, jitter: float = 0.0
) -> NDArray[np.float64]:
    """K^(-1) k, shape (P, k): the prediction at point j is column j times the targets.

    gram: (P, P); against: kernel between training points and k others, (P, k). jitter: is added to
    the diagonal, where rounding would make the matrix singular.

    Raises:
        LinAlgError: if the matrix is not positive definite to the precision of the numbers.
    """
    matrix = gram + jitter * np.eye(len(gram)) if jitter else gram
    return np.asarray(cho_solve(cho_factor(matrix, lower=True), against))


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


def learning_exponent(teacher: str, student: str, d: int) -> float:
    """beta of MSE ~ P^(-beta): min(alpha_T - d, 2 alpha_S)/d (Theorem 1), or infinity."""
    return min(decay(teacher, d) - d, 2 * decay(student, d)) / d


def stripe_exponent(d: int, *, compressed: bool) -> float:
    """beta of the test error ~ P^(-beta) in the stripe model, d inputs (thesis, chapter 3b).

    d/(3 d - 2), and (d + (d - 1)/2)/(3 d - 2) where the d - 1 directions that do not matter shrink
    as 1/sqrt(P).
    """
    return (d + compressed * (d - 1) / 2) / (3 * d - 2)


def density_exponent(kernel: str, d: int) -> float:
    """theta of the density of small eigenvalues, lambda^(-theta): 1 + d/alpha (Eq. 56).

    The rank of an eigenvalue then grows as lambda^(1 - theta) (Eq. 57).
    """
    alpha = decay(kernel, d)
    return 1.0 if alpha == inf else 1 + d / alpha


def neighbour_distance(d: int, n_points: int) -> float:
    """Mean distance of a point on the unit sphere S^d to the nearest of n points, for large n.

    A cap of radius r holds a part (r/a)^d of the sphere, with a^d = area / volume of the unit ball
    of d dimensions. The number of points in it is Poisson's, so that the mean of r is
    a Gamma(1 + 1/d) n^(-1/d).
    """
    area = 2 * pi ** ((d + 1) / 2) / gamma((d + 1) / 2)
    ball = sqrt(pi) ** d / gamma(d / 2 + 1)
    return float((area / ball / n_points) ** (1 / d) * gamma(1 + 1 / d))


def draw_points(
    domain: str, d: int, n_points: int, *, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Uniform points on the unit sphere S^d, (n, d + 1), or in the cube [0, 1]^d, (n, d)."""
    if domain == "cube":
        return generator.random((n_points, d))
    points = generator.standard_normal((n_points, d + 1))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def shuffled_digits(
    *, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All 1,797 digits, (n, 64), in random order, and whether each is odd (1) or even (-1), (n,).

    The unit of length is the mean distance between two digits.
    """
    images, parity = _digits()
    order = generator.permutation(len(images))
    return images[order], parity[order]


@cache
def _digits() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    images, names = load_digits(return_X_y=True)
    return images / pdist(images).mean(), np.where(names % 2 == 1, 1.0, -1.0)
