"""Isotropic kernels K(r) of Matérn's family, and how fast their Fourier transforms decay.

A kernel is a name. Laplace, exp(-r/sigma), is Matérn's with nu = 1/2; Gauss, exp(-r^2/(2 sigma^2)),
the limit nu = infinity. In d dimensions the transform decays as |w|^(-alpha), alpha = d + 2 nu
(Spigler, Geiger and Wyart 2020, section 4 and appendix E; chapter 6 of the thesis).
"""

from math import inf

import numpy as np
from numpy.typing import NDArray
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


def gram(
    points: NDArray[np.float64],
    others: NDArray[np.float64] | None = None,
    *,
    kernel: str,
    sigma: float,
) -> NDArray[np.float64]:
    """K of points (n, D) and others (k, D), or of the points with themselves: (n, k) or (n, n).

    sigma is in the units of the points; K(0) = 1.

    Raises:
        KeyError: if the kernel is unknown.
        ValueError: if sigma is not positive.
    """
    if not sigma > 0:
        raise ValueError(f"sigma = {sigma}: allowed are numbers above 0")
    return np.asarray(Matern(length_scale=sigma, nu=KERNELS[kernel])(points, others))


def decay(kernel: str, d: int) -> float:
    """alpha = d + 2 nu, infinite for Gauss."""
    return d + 2 * KERNELS[kernel]
