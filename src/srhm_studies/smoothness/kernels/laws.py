"""Exponents that chapter 6 of the thesis predicts, in closed form.

d is the intrinsic dimension of the points, so that S^d lies in d + 1 dimensions.
"""

from math import gamma, inf, pi, sqrt

from srhm_studies.smoothness.kernels.covariance import decay


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
