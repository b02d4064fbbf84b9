"""Outputs of trained members and their gradients in the input.

Letters of the thesis (chapter 2b): f output, fbar mean output of an ensemble. Shapes: E member,
B point, D number of the input; inputs are (B, 1, D), as those of `PlaneData`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from srhm.flow.cell import outputs_at, predictor_of
from srhm.flow.networks import Predictor, Weights, outputs, selected
from srhm.measure.trained import Member

MEMBERS_AT_ONCE = 8


@dataclass(frozen=True)
class Ensemble:
    """Members of one seed that share their data: predictor and final weights (E, ...)."""

    predictor: Predictor
    weights: Weights

    @classmethod
    def of(cls, members: Sequence[Member]) -> Self:
        """The ensemble of members of equal shape, none of which diverged."""
        ends = [end for member in members if (end := member.weights["end"]) is not None]
        weights = {name: torch.cat([end[name] for end in ends]) for name in ends[0]}
        return cls(predictor_of([member.cell for member in members], weights), weights)

    def select(self, members: slice) -> "Ensemble":
        """Some of the members."""
        return Ensemble(self.predictor.select(members), selected(self.weights, members))

    def outputs(self, x: Tensor) -> Tensor:
        """f of each member, (E, B)."""
        return outputs_at(self.predictor, self.weights, x)[..., 0]

    def gradients(self, x: Tensor) -> Tensor:
        """Gradient of f in the input, (E, B, D); of ReLU that of the linear piece at the point."""
        starts = range(0, len(self.predictor.alpha), MEMBERS_AT_ONCE)
        return torch.cat([self.select(slice(k, k + MEMBERS_AT_ONCE))._gradients(x) for k in starts])

    def _gradients(self, x: Tensor) -> Tensor:
        own, at = self.predictor, x[None].repeat(len(self.predictor.alpha), 1, 1, 1)
        at.requires_grad_()
        with torch.enable_grad():
            f = outputs(own.network, self.weights, at)
            if own.initial is not None:  # which `Predictor` itself takes for a constant
                f = f - outputs(own.network, own.initial, at)
            total = (own.factor[:, None, None] * f).sum()
        return torch.autograd.grad(total, at)[0][:, :, 0]
