"""Points to learn from: spheres, cubes, and the handwritten digits of scikit-learn.

Training sets of one seed are nested.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits

DOMAINS = ("sphere", "cube")
N_DIGITS = 1797


def draw_points(
    domain: str, d: int, n_points: int, *, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Uniform points on the unit sphere S^d, (n, d + 1), or in the cube [0, 1]^d, (n, d).

    Raises:
        ValueError: if the domain is neither.
    """
    if domain == "cube":
        return generator.random((n_points, d))
    if domain != "sphere":
        raise ValueError(f"domain {domain!r}: allowed are {', '.join(DOMAINS)}")
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
