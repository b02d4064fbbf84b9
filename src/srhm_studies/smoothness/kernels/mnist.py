"""One point of a learning curve on MNIST: parity by regression or by a support vector machine.

Section 3 of the paper. The files are in the folder that holds results/.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from srhm.experiments.cells import Outcome
from srhm.images.readers import Images, load
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.classification import Labelled, learnt

# The unit of length is the mean distance between the first digits for training, so many of them.
MEASURED = 1000


def run(cell: Mapping[str, Any]) -> Outcome:
    """As `classification.run`: P digits of those for training, n_test of those for testing.

    Both are drawn anew for each seed, nested in P.

    Raises:
        ImagesError: if the files are not there or are damaged.
    """
    stream = generator(cell["seed"], role="train")
    chosen = [
        (points[order[:count]], parity[order[:count]])
        for (points, parity), count in zip(both_parts(), (cell["P"], cell["n_test"]), strict=True)
        for order in (stream.permutation(len(points)),)
    ]
    return learnt(cell, *chosen)


@cache
def both_parts() -> tuple[Labelled, Labelled]:
    """Training and test digits, (n, 784), and whether each is odd (1) or even (-1), (n,)."""
    training, tested = load("mnist")
    unit = pdist(_flat(training.pixels[:MEASURED])).mean()
    return _labelled(training, unit), _labelled(tested, unit)


def _labelled(digits: Images, unit: float) -> Labelled:
    return _flat(digits.pixels) / unit, np.where(digits.labels % 2 == 1, 1.0, -1.0)


def _flat(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    return pixels.reshape(len(pixels), -1).astype(np.float64)
