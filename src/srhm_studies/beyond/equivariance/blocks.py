"""The eight blocks of Tetris in three dimensions, as voxels (thesis, chapter 5, section 5.1)."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

# Four cubes each; the first two are mirror images.
BLOCKS: Array = np.array([
    [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 0)],
    [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, -1, 0)],
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)],
    [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)],
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)],
    [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0)],
    [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 1)],
    [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)],
], dtype=np.float64)  # fmt: skip
# The longest block, four cubes, is this part of the grid's side: it fits in any rotation.
LONGEST = 0.7
SMOOTHNESS = 0.35  # standard deviation of a cube over its side


def voxels(rotations: Array, n: int) -> Array:
    """Each block in each rotation about its centre, shape (rotations, blocks, n, n, n), 0 to 1.4.

    rotations: shape (rotations, 3, 3). A cube is a Gaussian: sharp faces would show the grid, at
    the few voxels that there are here.
    """
    side = LONGEST * n / 4  # voxels along a cube
    line = np.arange(n) - (n - 1) / 2
    found = np.zeros((len(rotations), len(BLOCKS), n, n, n))
    centred = BLOCKS - BLOCKS.mean(axis=1, keepdims=True)
    for places in np.moveaxis(side * centred @ rotations[:, None].swapaxes(-1, -2), 2, 0):
        # A Gaussian is a product over the axes.
        x, y, z = np.exp(
            -((line - np.moveaxis(places, -1, 0)[..., None]) ** 2) / (2 * (SMOOTHNESS * side) ** 2)
        )
        found += x[..., :, None, None] * y[..., None, :, None] * z[..., None, None, :]
    return found


def random_rotations(n: int, draws: np.random.Generator) -> Array:
    """Rotations of SO(3), uniform, shape (n, 3, 3)."""
    return np.asarray(Rotation.random(n, rng=draws).as_matrix())


def rotations_of_the_cube() -> Array:
    """All 24, shape (24, 3, 3)."""
    return np.asarray(np.round(Rotation.create_group("O").as_matrix()))
