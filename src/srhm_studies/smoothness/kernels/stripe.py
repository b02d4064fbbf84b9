"""A support vector machine on the stripe model: the limit of lazy learning (thesis, chapter 3b).

Feature learning shrinks the directions that do not matter by 1/sqrt(P), by the thesis; a kernel on
inputs that are shrunk so should learn as fast as a net that learns features (Fig. 9, right).
"""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.experiments.cells import DONE, Outcome
from srhm.flow.inputs import stripe
from srhm.model.seeding import generator
from srhm.tangent_kernel import infinite_width_kernel
from srhm_studies.smoothness.kernels.classification import machine
from srhm_studies.smoothness.kernels.covariance import gram

COMPRESSED = "stripe_compressed"
TANGENT = "tangent"

Points = NDArray[np.float64]


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, a fraction, of the soft-margin machine, C = 1e4, at P points in d dimensions.

    data: "stripe", or "stripe_compressed", whose directions but the first are over sqrt(P).
    kernel: "laplace" of width sigma; "tangent", of infinitely many hidden neurons (see `tangent`).
    """
    seed, d, n_train = cell["seed"], cell["d"], cell["P"]
    points, labels = stripe(n_train, d, generator=generator(seed, role="train"))
    others, truth = stripe(cell["n_test"], d, generator=generator(seed, role="test"))
    if cell["data"] == COMPRESSED:
        scale = np.array([1.0, *[n_train**-0.5] * (d - 1)])
        points, others = points * scale, others * scale
    within, between = (_kernel(one, points, cell) for one in (points, others))
    found = machine(within, labels, between)
    error = float((np.sign(found) != truth).mean())
    return Outcome({"status": DONE, "mse": nan, "error": error})


def tangent(points: Points, others: Points, *, bias: float) -> Points:
    """Tangent kernel of one hidden layer of ReLU neurons with biases, (n, k), infinitely wide.

    The bias of a neuron is a weight of an input that is `bias` for all points.
    """
    one, two = (np.pad(own, ((0, 0), (0, 1)), constant_values=bias) for own in (points, others))
    return infinite_width_kernel(one, two, depth=1)


def _kernel(one: Points, two: Points, cell: Mapping[str, Any]) -> Points:
    if cell["kernel"] == TANGENT:
        return tangent(one, two, bias=cell["sigma"])
    return gram(one, two, kernel=cell["kernel"], sigma=cell["sigma"])
