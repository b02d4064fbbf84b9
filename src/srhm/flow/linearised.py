"""Networks linearised at given weights: learning with their frozen tangent kernel, without it.

    F(x) = sum_w grad_w f(x) (w - w_f)        Loss = (1/P) sum_mu l(F_mu)

flows as dF(x)/dt = -(1/P) sum_mu l'_mu Theta(x_mu, x) with Theta the kernel at the weights w_f
(thesis, chapter 3a, Eq. 28). One step takes two products with the gradients of f, which are never
formed, instead of one with a matrix of (P O)^2 numbers: cost and memory grow as P.

Shapes: E member, B point, O output; D place, K input, H channel of a layer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from srhm.flow.flow import Evaluation, FlowStep, Trained, gradient_flow
from srhm.flow.losses import Loss
from srhm.flow.networks import Network, Weights
from srhm.flow.tangent_kernel import signals

# A linear model has no kinks, and its steps end where they become unstable. At P = 512 (CNN,
# h = 32, four classes) the constants of the thesis take as many evaluations and end at the same
# test error.
LINEAR_STEP = FlowStep(max_output_change=1.0, max_gradient_change=0.1)


@dataclass(frozen=True)
class Gradients:
    """grad_w f at points, in factors that are laid out for many products.

    patches: inputs (E or 1, B, D, K) of the filters of each layer; derivatives: of f in its
    pre-activations, (E, B, O, D H); last: (E, B, D H), what the readout sees.
    """

    network: Network
    patches: list[Tensor]
    derivatives: list[Tensor]
    last: Tensor

    @classmethod
    def at(cls, network: Network, weights: Mapping[str, Tensor], x: Tensor) -> Self:
        """At weights (E, ...) and points (B, d, v), shared, or (E, B, d, v)."""
        found = signals(network, weights, x)
        return cls(
            network,
            [p.transpose(1, 2).contiguous() for p in found.patches],
            [d.permute(0, 3, 1, 2, 4).flatten(3).contiguous() for d in found.derivatives],
            found.last.contiguous(),
        )

    def select(self, members: Tensor) -> Self:
        """Those of some members."""
        return type(self)(
            self.network,
            [p[members] if len(p) > 1 else p for p in self.patches],
            [d[members] for d in self.derivatives],
            self.last[members],
        )

    def along(self, direction: Mapping[str, Tensor]) -> Tensor:
        """sum_w (df/dw) direction_w, (E, B, O), for a direction (E, ...) by name."""
        network = self.network
        f = self.last @ direction["readout"] * network.output_scale
        if network.biased:
            f = f + direction["readout.bias"][:, None]
        for k, layer in enumerate(network.layers, start=1):
            p_EBDK, v_EDKH = self.patches[k - 1], direction[f"layer{k}"]
            if network.shared[k - 1]:
                v_EKH = v_EDKH.reshape(len(v_EDKH), -1, network.width)
                moved = p_EBDK.flatten(1, 2) @ v_EKH
                moved = moved.reshape(len(v_EKH), -1, layer.n_places, network.width)
            else:
                v_EDKH = v_EDKH.reshape(len(v_EDKH), layer.n_places, -1, network.width)
                moved = (p_EBDK.transpose(1, 2) @ v_EDKH).transpose(1, 2)
            moved = moved * layer.scale
            if network.biased:
                moved = moved + direction[f"layer{k}.bias"][:, None]
            f = f + (self.derivatives[k - 1] * moved.flatten(2)[:, :, None]).sum(dim=-1)
        return f

    def weighted(self, coefficients: Tensor) -> Weights:
        """sum over points and outputs of coefficients (E, B, O) times df/dw, (E, ...) by name."""
        network, total = self.network, {}
        members, n, _ = coefficients.shape
        for k, layer in enumerate(network.layers, start=1):
            p_EBDK = self.patches[k - 1]
            pulled = (coefficients[:, :, None] @ self.derivatives[k - 1])[:, :, 0]
            c_EBDH = pulled.reshape(members, n, layer.n_places, network.width)
            if network.shared[k - 1]:
                g = p_EBDK.flatten(1, 2).transpose(1, 2) @ c_EBDH.flatten(1, 2)
            else:
                g = p_EBDK.permute(0, 2, 3, 1) @ c_EBDH.transpose(1, 2)
            shape = network.weight_shapes()[f"layer{k}"]
            total[f"layer{k}"] = g.reshape(members, *shape) * layer.scale
            if network.biased:
                places = (1, 2) if network.shared[k - 1] else (1,)
                bias = c_EBDH.sum(dim=places)
                total[f"layer{k}.bias"] = bias.reshape(members, -1, network.width)
        total["readout"] = self.last.transpose(1, 2) @ coefficients * network.output_scale
        if network.biased:
            total["readout.bias"] = coefficients.sum(dim=1)
        return total


@dataclass(frozen=True)
class LinearisedSystem:
    """Gradients of f on a training set, labels (B,) or (E, B), and a loss; states are w - w_f."""

    gradients: Gradients
    y: Tensor
    loss: Loss

    def select(self, members: Tensor) -> Self:
        """The system of some members."""
        y = self.y[members] if self.y.ndim == 2 else self.y
        return type(self)(self.gradients.select(members), y, self.loss)

    def evaluate(self, state: Weights) -> Evaluation:
        """F, mean l, N_Delta and the gradient of (1/P) sum l."""
        F = self.gradients.along(state)
        return Evaluation(
            F,
            self.loss.values(F, self.y).mean(dim=1),
            self.loss.unsatisfied(F, self.y).sum(dim=1),
            self.loss.fitted(F, self.y),
            self.gradients.weighted(self.loss.slopes(F, self.y) / F.shape[1]),
        )

    def squared_norm(self, gradient: Weights) -> Tensor:
        """Sum of squares, (E,)."""
        parts = [array.flatten(1).square().sum(dim=1) for array in gradient.values()]
        return torch.stack(parts).sum(dim=0)


def linearised_flow(
    gradients: Gradients,
    y: Tensor,
    loss: Loss,
    *,
    max_evaluations: int,
    step: FlowStep = LINEAR_STEP,
) -> Trained:
    """Gradient flow from F = 0 with a frozen kernel; state: w - w_f by name, (E, ...)."""
    last = gradients.last
    start = {
        name: torch.zeros(len(last), *shape, dtype=last.dtype, device=last.device)
        for name, shape in gradients.network.weight_shapes().items()
    }
    system = LinearisedSystem(gradients, y, loss)
    return gradient_flow(system, start, max_evaluations=max_evaluations, step=step)
