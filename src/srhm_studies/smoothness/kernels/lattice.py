"""The same student on the lattice of theorem 1: training points n on a side of a torus.

The theorem is about a periodic lattice: it has no edges, and no two points that are closer than
others. The torus is the product of d unit circles, in 2 d dimensions, where a kernel of the
distance depends on the difference of two angles alone, as the theorem asks.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.teacher_student import errors


def run(cell: Mapping[str, Any]) -> Outcome:
    """Squared errors at P = n^d points of a lattice, at uniform test points (see `errors`)."""
    d = cell["d"]
    test = generator(cell["seed"], role="test").random((cell["n_test"], d))
    turns = np.concatenate([lattice(side_of(cell["P"], d), d), test])
    return errors(cell, on_torus(turns))


def side_of(n_points: int, d: int) -> int:
    """The n of n^d = n_points.

    Raises:
        ValueError: if there is none.
    """
    side = round(n_points ** (1 / d))
    if side**d != n_points:
        raise ValueError(f"{n_points} points: a lattice of {d} dimensions has n^{d}, as {side**d}")
    return side


def lattice(side: int, d: int) -> NDArray[np.float64]:
    """Points of a periodic lattice in [0, 1)^d, (side^d, d)."""
    axes = np.meshgrid(*[np.arange(side) / side] * d, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def on_torus(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the product of d unit circles, (n, 2 d), at angles in turns, (n, d)."""
    angles = 2 * np.pi * turns
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
