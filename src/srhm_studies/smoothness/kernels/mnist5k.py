"""Kernels on 5,000 digits of MNIST: points of a learning curve, Gram spectra, nearest neighbours.

Sections 3, 6 and 7 of the paper.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.neighbors import NearestNeighbors

from srhm.experiments.cells import DONE, Outcome
from srhm.images.readers import load
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.classification import Labelled, learnt
from srhm_studies.smoothness.kernels.covariance import gram
from srhm_studies.smoothness.kernels.spectrum import kept_ranks, kernel_pca

# The unit of length is the mean distance between so many digits, drawn once.
MEASURED = 1000


def run(cell: Mapping[str, Any]) -> Outcome:
    """As `classification.run`: the first P digits of a random order, the last n_test for testing.

    Raises:
        ImagesError: if the digits are not there or are damaged.
    """
    images, parity = shuffled(seed=cell["seed"])
    n_train, n_test = cell["P"], cell["n_test"]
    return learnt(cell, (images[:n_train], parity[:n_train]), (images[-n_test:], parity[-n_test:]))


def of_spectrum(cell: Mapping[str, Any]) -> Outcome:
    """As `spectrum.run`, of P digits, whose target is parity."""
    images, parity = (part[: cell["P"]] for part in shuffled(seed=cell["seed"]))
    matrix = gram(images, kernel=cell["kernel"], sigma=cell["sigma"])
    eigenvalues, tails = kernel_pca(matrix, parity)
    ranks = kept_ranks(len(images))
    table = {"rank": ranks, "eigenvalue": eigenvalues[ranks - 1], "tail": tails[ranks - 1]}
    return Outcome({"status": DONE}, {"spectra": table})


def of_neighbours(cell: Mapping[str, Any]) -> Outcome:
    """As `neighbours.run`, of P digits."""
    points = shuffled(seed=cell["seed"])[0][: cell["P"]]
    # The nearest of all is the point itself.
    distances, _ = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(points)
    return Outcome({"status": DONE, "distance": float(distances[:, 1].mean())})


def shuffled(*, seed: int) -> Labelled:
    """All digits, (5000, 784), in the random order of a seed; whether each is odd (1) or even (-1).

    The unit of length is the mean distance between two digits.
    """
    images, parity = _labelled()
    order = generator(seed, role="train").permutation(len(images))
    return images[order], parity[order]


@cache
def _labelled() -> Labelled:
    (digits,) = load("mnist5k")
    flat = digits.pixels.reshape(len(digits.pixels), -1).astype(np.float64)
    some = generator(0, role="test").permutation(len(flat))[:MEASURED]
    return flat / pdist(flat[some]).mean(), np.where(digits.labels % 2 == 1, 1.0, -1.0)
