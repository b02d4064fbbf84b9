"""Deep linear networks, where the representation cost has a closed form.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slides "L2
regularization" and "Representation geodesics". With A = W_L ... W_1:

    R(A) = L sum_i s_i(A)^(2/L)                    (Dai, Karzand, Srebro 2021)
    Sigma_l(x, y) = x^T (A^T A)^(l/L) y            at the parameters of least norm

The slides have no biases here.
"""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import linalg, optimize

from srhm.experiments.cells import Column, Outcome
from srhm.model import seeding
from srhm_studies.beyond.representation_cost.configuration import LARGE, SINGULAR_VALUES
from srhm_studies.beyond.representation_cost.spectra import VISIBLE

Matrix = NDArray[np.float64]
# lambda L, from the first to the last: each minimum is the start of the next. The first is small
# beside 0.5^2, which the smallest singular value costs, and the last moves R by less than 1e-4.
PENALTIES = (1e-2, 1e-3, 1e-4, 1e-5)
MOST_EVALUATIONS = 4000
# The minimisation leaves zeros of about 1e-10, whose power 2 / L is not small in a deep network.
RESOLVED = 1e-6


def representation_cost(singular_values: NDArray[np.float64], *, depth: int) -> float:
    """R(A) = L sum_i s_i^(2/L), over the singular values above RESOLVED times the largest."""
    positive = singular_values[singular_values > RESOLVED * singular_values.max()]
    return float(depth * np.sum(positive ** (2 / depth)))


def geodesic(matrix: Matrix, *, depth: int, layer: int) -> Matrix:
    """(A^T A)^(l/L), the Gram matrix of layer l in the coordinates of the input."""
    _, values, right = np.linalg.svd(matrix)
    return np.asarray((right.T * values ** (2 * layer / depth)) @ right)


def product(weights: Sequence[Matrix]) -> Matrix:
    """W_L ... W_1."""
    matrix = weights[0]
    for weight in weights[1:]:
        matrix = weight @ matrix
    return matrix


def minimised(
    target: Matrix, *, depth: int, penalties: Sequence[float], generator: np.random.Generator
) -> list[Matrix]:
    """Weights (d, d) at a minimum of ||W_L ... W_1 - A||_F^2 + lambda ||theta||^2.

    By gradients (L-BFGS in float64) from random orthogonal matrices, with lambda = penalty / L for
    each penalty in turn.
    """
    d = len(target)
    wanted = torch.from_numpy(target)

    def objective(theta: NDArray[np.float64], weight_decay: float) -> tuple[float, Any]:
        vector = torch.tensor(theta, requires_grad=True)
        weights = vector.view(depth, d, d)
        matrix = weights[0]
        for layer in range(1, depth):
            matrix = weights[layer] @ matrix
        loss = (matrix - wanted).square().sum() + weight_decay * vector.square().sum()
        loss.backward()
        return float(loss.detach()), vector.grad.numpy()  # type: ignore[union-attr]

    theta = np.stack([linalg.qr(generator.normal(size=(d, d)))[0] for _ in range(depth)]).ravel()
    for penalty in penalties:
        theta = optimize.minimize(
            objective,
            theta,
            args=(penalty / depth,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": MOST_EVALUATIONS, "maxfun": MOST_EVALUATIONS, "ftol": 1e-14,
                     "gtol": 1e-9, "maxcor": 30},
        ).x  # fmt: skip
    return list(theta.reshape(depth, d, d))


def random_matrix(rank: int, d: int, *, generator: np.random.Generator) -> Matrix:
    """A matrix (d, d) with the first `rank` of SINGULAR_VALUES and random singular vectors."""
    left, right = (linalg.qr(generator.normal(size=(d, d)))[0] for _ in range(2))
    return np.asarray((left[:, :rank] * np.array(SINGULAR_VALUES[:rank])) @ right[:rank])


def run(cell: Mapping[str, Any]) -> Outcome:
    """One deep linear network fitted to a matrix of known rank.

    cell: L, rank (1 to 3), d, seed. Row: squared norm of the parameters, R of the target and of the
    matrix that is reached, its relative distance to the target, and the largest relative distance
    of a layer's Gram matrix from the geodesic; table `layers` has it by layer.
    """
    depth, d, seed = int(cell["L"]), int(cell["d"]), int(cell["seed"])
    torch.set_flush_denormal(True)
    target = random_matrix(
        int(cell["rank"]), d, generator=seeding.generator(seed, role="transformation")
    )
    weights = minimised(
        target, depth=depth, penalties=PENALTIES,
        generator=seeding.generator(seed, role="initialisation"),
    )  # fmt: skip
    reached = product(weights)
    wanted = np.array(SINGULAR_VALUES[: int(cell["rank"])], dtype=np.float64)
    values: Matrix = np.asarray(np.linalg.svd(reached, compute_uv=False), dtype=np.float64)
    visible = list[int]()
    apart, norms, partial = list[float](), list[float](), np.eye(d)
    for layer, weight in enumerate(weights, start=1):
        partial = weight @ partial
        ideal = geodesic(reached, depth=depth, layer=layer)
        apart.append(float(np.linalg.norm(partial.T @ partial - ideal) / np.linalg.norm(ideal)))
        norms.append(float(np.sum(weight**2)))
        visible.append(int(np.sum(np.linalg.svd(partial)[1] > VISIBLE)))
    row = {
        "squared_parameters": float(sum(norms)),
        "cost_of_target": representation_cost(wanted, depth=depth),
        "cost_of_map": representation_cost(values, depth=depth),
        "loss": float(np.sum((reached - target) ** 2)),
        "jacobian_rank": float(np.sum(values > 0.1)),
        "geodesic_distance": max(apart),
    }  # fmt: skip
    absent = [nan] * depth
    layers: dict[str, Column] = {
        "k": list(range(1, depth + 1)),
        "squared_parameters": norms,
        "n_large": [int(np.sum(np.linalg.svd(weight)[1] > LARGE)) for weight in weights],
        "n_visible": visible,
        "representation_norm": absent,
        "distance": absent,
        "geodesic_distance": apart,
    }
    return Outcome(row, {"layers": layers})
