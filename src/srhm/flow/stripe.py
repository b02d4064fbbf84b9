"""The stripe model (thesis, chapter 3b, Fig. 9): labels that depend on one direction of the input.

The labels are -1 between two parallel planes, and +1 on either side. The thesis does not print
where the planes lie; here the classes are equally likely, and the stripe is off the centre.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

# Planes x_1 = LOW and x_1 = HIGH, between which is half of a standard Gaussian.
LOW = -0.3
HIGH = float(ndtri(ndtr(LOW) + 0.5))


def stripe(
    n: int, d: int, *, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard Gaussian points (n, d) and their labels (n,), which the first coordinate decides.

    A larger n begins with the points of a smaller one.
    """
    x = generator.standard_normal((n, d))
    inside = (x[:, 0] > LOW) & (x[:, 0] < HIGH)
    return x, np.where(inside, -1.0, 1.0)
