"""Full-batch Adam of one FCN in plain arrays, with no autograd and no members.

The rule of `srhm.flow.descents.adam` for a quadratic hinge and F = f. Only unsatisfied points take
part in the way back, a quarter of all near jamming: for the long trainings of thousands of points
that the smallest network that fits asks for.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Found(NamedTuple):
    """weights at the end, by name; no point unsatisfied; mean of l; N_Delta; gradients computed."""

    weights: dict[str, Array]
    fitted: bool
    mean_loss: float
    n_unsatisfied: int
    evaluations: int


def adam(
    weights: dict[str, Array],
    x: Array,
    y: Array,
    *,
    slack: float,
    max_evaluations: int,
    first_rate: float,
    last_rate: float,
) -> Found:
    """Trains ReLU layers with biases from weights named as in `srhm.flow.networks`.

    x (P, d); y (P,) of plus and minus one; slack: gaps up to it count as satisfied.
    """
    depth = sum(name.startswith("layer") and not name.endswith("bias") for name in weights)
    names = [*(f"layer{k}" for k in range(1, depth + 1)), "readout"]
    state = {name: array.copy() for name, array in weights.items()}
    # Arrays are views of one vector: Adam moves all of them in one step.
    vector = np.concatenate([array.ravel() for array in state.values()])
    gradient, mean, square = (np.zeros_like(vector) for _ in range(3))
    first = 0
    slopes = {}
    for name, array in state.items():
        part = slice(first, first + array.size)
        state[name], slopes[name] = vector[part], gradient[part]
        first += array.size
    matrices = [state[name].reshape(-1, weights[f"{name}.bias"].size) for name in names]
    of_matrices = [
        slopes[name].reshape(matrix.shape) for name, matrix in zip(names, matrices, strict=True)
    ]
    scales = [1 / sqrt(len(matrix)) for matrix in matrices]
    for count in range(max_evaluations):
        hidden = [x]
        for name, matrix, scale in zip(names, matrices, scales, strict=True):
            z = hidden[-1] @ (scale * matrix) + state[f"{name}.bias"]
            hidden.append(np.maximum(z, 0, out=z) if name != "readout" else z)
        gaps = 1 - y * hidden[-1][:, 0]
        active = np.flatnonzero(gaps > 0)
        n_unsatisfied = int((gaps > slack).sum())
        if not n_unsatisfied or count == max_evaluations - 1:
            break
        back = (-y[active] * gaps[active] / len(y))[:, None]
        for k in reversed(range(len(names))):
            below = hidden[k][active]
            np.matmul(below.T, scales[k] * back, out=of_matrices[k])
            slopes[f"{names[k]}.bias"][:] = back.sum(axis=0)
            if k:
                back = (back @ (scales[k] * matrices[k]).T) * (below > 0)
        rate = first_rate * (last_rate / first_rate) ** (count / (max_evaluations - 1))
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        root = np.sqrt(square / (1 - 0.999 ** (count + 1))) + 1e-8
        vector -= rate * mean / (1 - 0.9 ** (count + 1)) / root
    return Found(
        weights={name: state[name].reshape(array.shape) for name, array in weights.items()},
        fitted=not n_unsatisfied,
        mean_loss=float((gaps[active] ** 2).sum() / 2 / len(y)),
        n_unsatisfied=n_unsatisfied,
        evaluations=count + 1,
    )
