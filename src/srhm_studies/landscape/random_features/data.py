"""Points of norm 1 and their labels: a linear teacher, digits, the SRHM."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srhm.flow.inputs import digits
from srhm.model.encoding import one_hot
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm_studies.landscape.random_features.sizes import HIERARCHY

Array = NDArray[np.floating]


class Task(NamedTuple):
    """Training and test points (n, d), each of norm 1, and their labels (n,)."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array


def task_of(cell: Mapping[str, Any]) -> Task:
    """The points of a cell; training sets of one seed are nested.

    sphere: uniform points of S^(d-1), y = sqrt(d) w.x with |w| = 1, plus Gaussian noise on the
    training labels. digits: whether the digit is odd (1) or even (-1). srhm: the class, 1 or -1,
    of the grammar HIERARCHY, inputs one-hot.
    """
    n_train, n_test, seed = cell["P"], cell["n_test"], cell["seed"]
    if cell["data"] == "srhm":
        samples = draw_samples(HIERARCHY, [seed], n_train=n_train, n_test=n_test)
        found = [samples[seed, part] for part in ("train", "test")]
        inputs = [
            _unit(one_hot(part, HIERARCHY).reshape(len(part), -1).astype(np.float64))
            for part in found
        ]
        signs = [2.0 * part.labels - 1 for part in found]
        return Task(inputs[0], signs[0], inputs[1], signs[1])
    draws = generator(seed, role="train")
    if cell["data"] == "digits":
        images, names = digits("digits")
        order = draws.permutation(len(images))
        x, parity = _unit(images[order]), np.where(names[order] % 2 == 1, 1.0, -1.0)
        return Task(x[:n_train], parity[:n_train], x[-n_test:], parity[-n_test:])
    d = cell["d"]
    teacher = _unit(draws.standard_normal((1, d)))[0]
    test = _unit(generator(seed, role="test").standard_normal((n_test, d)))
    numbers = draws.standard_normal((n_train, d + 1))  # a row a point: nested in P, noise too
    points, scale = _unit(numbers[:, :d]), np.sqrt(d)
    y = scale * points @ teacher + cell["noise"] * numbers[:, d]
    return Task(points, y, test, scale * test @ teacher)


def _unit(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))
