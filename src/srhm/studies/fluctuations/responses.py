"""Outputs of trained members and their gradients with respect to the input.

Letters of the thesis (chapter 2b): f output, fbar mean output of an ensemble, delta distance
between their boundaries f = 0 and fbar = 0.

Shapes: E member, B point, D number of the input; inputs (B, 1, D), as those of `PlaneData`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from srhm.flow.members import outputs_at, predictor_of
from srhm.flow.networks import Weights, outputs, selected
from srhm.flow.predictor import Predictor
from srhm.measure.members import Member

# Members whose gradients are computed at once.
MEMBERS_AT_ONCE = 8


@dataclass(frozen=True)
class Ensemble:
    """Members of one seed that share their data: predictor and final weights (E, ...)."""

    predictor: Predictor
    weights: Weights

    @classmethod
    def of(cls, members: Sequence[Member]) -> Self:
        """The ensemble of members of equal shape, none of which diverged."""
        ends = [member.weights["end"] for member in members]
        kept = [end for end in ends if end is not None]
        weights = {name: torch.cat([end[name] for end in kept]) for name in kept[0]}
        return cls(predictor_of([member.cell for member in members], weights), weights)

    def outputs(self, x: Tensor) -> Tensor:
        """f of each member, (E, B)."""
        return outputs_at(self.predictor, self.weights, x)[..., 0]

    def member(self, number: int) -> "Ensemble":
        """One member alone."""
        one = slice(number, number + 1)
        return Ensemble(self.predictor.select(one), selected(self.weights, one))

    def gradients(self, x: Tensor) -> Tensor:
        """Gradient of f in the input, (E, B, D); of ReLU that of the linear piece at the point."""
        found = []
        for first in range(0, len(self.predictor.alpha), MEMBERS_AT_ONCE):
            part = slice(first, first + MEMBERS_AT_ONCE)
            own = self.predictor.select(part)
            at = x[None].repeat(len(own.alpha), 1, 1, 1).requires_grad_()
            with torch.enable_grad():
                total = _sum_of(own, selected(self.weights, part), at)
            found.append(torch.autograd.grad(total, at)[0][:, :, 0])
        return torch.cat(found)


def _sum_of(predictor: Predictor, weights: Weights, x: Tensor) -> Tensor:
    """Sum of F over members and points, whose gradient in x is that of each point.

    `Predictor` itself takes f(w0, x) for a constant.
    """
    f = outputs(predictor.network, weights, x)
    if predictor.initial is not None:
        f = f - outputs(predictor.network, predictor.initial, x)
    return (predictor.factor[:, None, None] * f).sum()


def boundary_distance(f: Tensor, mean: Tensor, gradient: Tensor) -> tuple[float, int]:
    """delta of Eq. 3 of chapter 2b, and of how many points it is the mean.

    f (..., B), mean (B,), gradient of f (..., B, D). |f - fbar|/|grad f|, mean over the points
    that f and fbar classify differently; NaN where there is none. Where the gradient is zero (no
    neuron of a ReLU network sees the point) f has no boundary along it: such points are left out.
    """
    slope = gradient.norm(dim=-1)
    between = (f * mean < 0) & (slope > 0)
    distance = (f - mean).abs() / slope
    n = int(between.sum())
    return (float(distance[between].mean()) if n else float("nan")), n


def estimated_distance(f: Tensor, mean: Tensor, gradient: Tensor) -> float:
    """|f - fbar|_mu/|grad f|_mu, both root mean squares over all points (and members)."""
    return float(((f - mean).square().mean() / gradient.square().sum(dim=-1).mean()).sqrt())
