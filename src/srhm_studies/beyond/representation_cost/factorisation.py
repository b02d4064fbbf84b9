"""Rank-one matrix factorisation: a network learns the loss along gradient descent from its start.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Summary
statistics" (after Ben Arous, Gheissari, Jagannath 2022). Gradient descent on
||w w^T - theta theta^T||_F^2 is described by u(theta) = (|w^T theta|, ||(I - w w^T) theta||), so
that theta_0 -> (loss of theta_0, ..., theta_T) goes through two numbers. d, T and the learning rate
are not on the slide.
"""

from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.experiments.cells import Outcome
from srhm.model import seeding
from srhm_studies.beyond.representation_cost.configuration import N_TEST
from srhm_studies.beyond.representation_cost.experiment import layer_tables, learnt, seen

Vector = NDArray[np.float64]
LEARNING_RATE = 0.04  # of the descent that is learnt; |w| = 1, and the loss falls within some steps
DEGREE = 3  # of the polynomials of two components that a statistic is regressed on


def starts(n: int, d: int, *, generator: np.random.Generator) -> Vector:
    """theta_0, (n, d): random directions, the part along w = e_1 as large as all others together.

    Both statistics are spread over [0, 1.5], as Gaussian vectors in many dimensions are not.
    """
    along = generator.uniform(-1.5, 1.5, size=n)
    across = generator.normal(size=(n, d - 1))
    across *= (generator.uniform(0, 1.5, size=n) / np.linalg.norm(across, axis=1))[:, None]
    return np.column_stack([along, across])


def losses(theta: Vector, steps: int) -> Vector:
    """||w w^T - theta theta^T||_F^2 at theta_0 to theta_T of gradient descent, (n, T + 1); w = e_1.

    It is 1 - 2 (w^T theta)^2 + ||theta||^4; its gradient 4 (||theta||^2 theta - (w^T theta) w).
    """
    theta, history = theta.copy(), []
    for _ in range(steps + 1):
        squared = np.sum(theta**2, axis=1)
        history.append(1 - 2 * theta[:, 0] ** 2 + squared**2)
        gradient = 4 * squared[:, None] * theta
        gradient[:, 0] -= 4 * theta[:, 0]
        theta -= LEARNING_RATE * gradient
    return np.stack(history, axis=1)


def statistics(theta: Vector) -> dict[str, Vector]:
    """The two of the slide, and numbers that the losses do not depend on beyond them, (n,) each."""
    return {
        "overlap": np.abs(theta[:, 0]), "rest": np.linalg.norm(theta[:, 1:], axis=1),
        "signed_overlap": theta[:, 0], "one_coordinate": theta[:, 1],
    }  # fmt: skip


def top_two(layer: Vector) -> Vector:
    """The two leading principal components of a representation (n, w), each of unit variance."""
    left = np.linalg.svd(layer - layer.mean(0), full_matrices=False)[0]
    return np.asarray(left[:, :2] * np.sqrt(len(layer)))


def explained(values: Vector, components: Vector) -> float:
    """R^2 of a statistic on polynomials of two components, on the half of the points not fitted."""
    a, b = components.T
    powers = [np.ones(len(a))]
    for degree in range(1, DEGREE + 1):
        for chosen in combinations_with_replacement((a, b), degree):
            powers.append(np.prod(chosen, axis=0))
    features = np.stack(powers, axis=1)
    half = len(values) // 2
    fitted = np.linalg.lstsq(features[:half], values[:half], rcond=None)[0]
    rest = values[half:]
    return float(1 - np.mean((rest - features[half:] @ fitted) ** 2) / np.var(rest))


def run(cell: Mapping[str, Any]) -> Outcome:
    """One network that learns theta_0 -> losses.

    cell: d, T. Row: the error on new starts over the variance, and R^2 of each of `statistics` from
    the two leading components of the middle layer. Table `components`: those of new starts with the
    slide's two statistics, for seed 0.
    """
    seed, n, d, steps = (int(cell[name]) for name in ("seed", "n", "d", "T"))
    train = starts(n, d, generator=seeding.generator(seed, role="train"))
    test = starts(N_TEST, d, generator=seeding.generator(seed, role="test"))
    y, y_test = losses(train, steps), losses(test, steps)
    mean, scale = y.mean(0), np.sqrt(y.var(0).sum() / 2)
    x = torch.from_numpy(train)
    fitted, row = learnt(cell, x, torch.from_numpy((y - mean) / scale))
    if not fitted.finite:
        return Outcome(row)
    layers = seen(fitted, torch.from_numpy(test))
    missed = layers[-1].numpy() - (y_test - mean) / scale
    row["test_error"] = float(np.mean(np.sum(missed**2, axis=1)) / row["variance"])
    components = top_two(layers[len(layers) // 2].double().numpy())
    known = statistics(test)
    row |= {f"explained_{name}": explained(one, components) for name, one in known.items()}
    tables = dict(layer_tables(fitted, x))
    if seed == 0:
        first, second = components[: N_TEST // 2].T
        tables["components"] = {
            "first": first, "second": second, "overlap": known["overlap"][: N_TEST // 2],
            "rest": known["rest"][: N_TEST // 2],
        }  # fmt: skip
    return Outcome(row, tables)
