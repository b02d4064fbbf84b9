"""Distance delta between the boundaries f = 0 and fbar = 0 (chapter 2b, Eq. 3, figures 4, 9, 10).

Shapes: R draw, E member, B point, D number of the input.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

# Steps along a line, in units of the linear estimate |f|/|grad f| of the distance.
STEP, LONGEST = 0.05, 4.0


def boundary_distance(f: Tensor, mean: Tensor, gradient: Tensor) -> tuple[float, int]:
    """delta of Eq. 3, and of how many points it is the mean; NaN of none.

    f (..., B), mean (B,), gradient of f (..., B, D). |f - fbar|/|grad f|, mean over the points
    that f and fbar classify differently. Where the gradient is zero (no neuron of a ReLU network
    sees the point) f has no boundary along it: such points are left out.
    """
    slope = gradient.norm(dim=-1)
    between = (f * mean < 0) & (slope > 0)
    distance = ((f - mean).abs() / slope)[between]
    return (float(distance.mean()) if len(distance) else float("nan")), len(distance)


def estimated_distance(f: Tensor, mean: Tensor, gradient: Tensor) -> float:
    """|f - fbar|_mu/|grad f|_mu, both root mean squares over all points (and members)."""
    return float(((f - mean).square().mean() / gradient.square().sum(dim=-1).mean()).sqrt())


class Line(NamedTuple):
    """From a point to f = 0: |f|/|grad f|, the distance over it (NaN beyond LONGEST), course.

    values: f at 0, STEP, ... LONGEST in units of the linear estimate, over f at the point itself.
    """

    linear: float
    ratio: float
    values: Tensor


def along_gradient(f: Callable[[Tensor], Tensor], x: Tensor, gradient: Tensor) -> list[Line]:
    """Lines x - t sign(f) grad f/|grad f| from points x (B, D) towards f = 0.

    f: from points (n, D) to outputs (n,); gradient (B, D) that at x. If the linear estimate is
    exact the ratio is 1.
    """
    found = []
    steps = torch.arange(0, LONGEST + STEP / 2, STEP, dtype=x.dtype)
    for point, slope, value in zip(x, gradient, f(x), strict=True):
        linear = float(value.abs() / slope.norm())
        direction = value.sign() * slope / slope.norm()
        values = f(point - linear * steps[:, None] * direction) / value
        found.append(Line(linear, first_zero(steps, values), values))
    return found


def first_zero(steps: Tensor, values: Tensor) -> float:
    """Where values, 1 at first, become zero or less, linear between steps; NaN if never."""
    below = (values <= 0).nonzero()
    if not len(below):
        return float("nan")
    k = int(below[0, 0])
    high, low = float(values[k - 1]), float(values[k])
    return float(steps[k - 1]) + float(steps[k] - steps[k - 1]) * high / (high - low)


def resampled(f: Tensor, gradient: Tensor, y: Tensor, *, n: int, n_draws: int,
              generator: np.random.Generator) -> dict[str, float]:  # fmt: skip
    """Mean test error, delta and its estimate of ensembles of n drawn out of all with replacement.

    f: outputs (E, B); gradient (E, B, D); y: labels (B,), plus or minus one. All members count as
    the population, fbar is their mean: with replacement ensembles depart from it as 1/sqrt(n),
    without it would be sqrt(1/n - 1/E).
    """
    shares = generator.multinomial(n, np.full(len(f), 1 / len(f)), size=n_draws) / n
    shares_RE = torch.from_numpy(shares).to(f.dtype)
    f_RB, mean_B = shares_RE @ f, f.mean(dim=0)
    gradient_RBD = torch.einsum("re,ebd->rbd", shares_RE, gradient)
    return {
        "n": n,
        "error": float((y * f_RB <= 0).to(f.dtype).mean()),
        "delta": boundary_distance(f_RB, mean_B, gradient_RBD)[0],
        "estimate": estimated_distance(f_RB, mean_B, gradient_RBD),
    }
