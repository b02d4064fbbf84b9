"""f along its gradient, from points that f and fbar classify differently (chapter 2b, figure 9)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

# Steps along the line, in units of the linear estimate |f|/|grad f| of the distance.
STEP, LONGEST = 0.05, 4.0


@dataclass(frozen=True)
class Line:
    """One point: |f|/|grad f|, the distance to f = 0 over it (NaN beyond LONGEST), values/f(x).

    values: f at 0, STEP, ... LONGEST in units of the linear estimate, over f at the point itself.
    """

    linear: float
    ratio: float
    values: Tensor


def along_gradient(f: Callable[[Tensor], Tensor], x: Tensor, gradient: Tensor) -> list[Line]:
    """Lines x - t sign(f) grad f/|grad f| from points x (B, D) towards f = 0.

    f: from points (n, D) to outputs (n,); gradient (B, D) that at x. Between two steps f is taken
    as linear. If the linear estimate is exact the ratio is 1.
    """
    found = []
    for point, slope, value in zip(x, gradient, f(x), strict=True):
        linear = float(value.abs() / slope.norm())
        steps = torch.arange(0, LONGEST + STEP / 2, STEP, dtype=x.dtype)
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
