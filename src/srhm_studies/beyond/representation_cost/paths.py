"""How long a curve through N points must be: why a fit of rank 1 costs more with every point.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Symmetry
overfitting?": a function of bottleneck rank 1 that fits N random values of a map of rank k* has

    R^(1) > 2 (1 - 1/k*) log N + c .

Such a function maps an interval to a curve through the N values, and R^(1) is not below twice the
logarithm of its largest slope, hence of the length of the curve over that of the interval. No curve
through the points is shorter than their minimum spanning tree, whose length grows as N^(1 - 1/k*)
(Steele 1988). The learnt curve itself is not computed: the shortest one is a travelling salesman's.
"""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from srhm.experiments.cells import Outcome
from srhm.model import seeding


def tree_length(points: NDArray[np.float64]) -> float:
    """Length of the minimum spanning tree of distinct points (N, k)."""
    return float(minimum_spanning_tree(squareform(pdist(points))).sum())


def run(cell: Mapping[str, Any]) -> Outcome:
    """N uniform points of the unit cube of k* dimensions.

    cell: rank (k*), n (N), seed. Row: path_bound, twice the logarithm of the tree's length.
    """
    generator = seeding.generator(int(cell["seed"]), role="train")
    points = generator.random((int(cell["n"]), int(cell["rank"])))
    return Outcome({"path_bound": 2 * log(tree_length(points))})
