"""Tangent kernel Theta(x, x') = grad_w f(x) . grad_w f(x'): Gram matrices, spectra, projections.

The kernel is that of the network's own output f, not of F (thesis, chapter 3a). It is summed layer
by layer from the inputs of each filter and the derivatives of f in its pre-activations, so that no
gradient in the space of weights is ever formed: cost and memory do not grow with the number of
weights.

Shapes: E member, B and A points, O and Q outputs, M = B O rows of a Gram matrix (point major).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from srhm.flow.descents import Evaluation, FlowStep, Trained, gradient_flow
from srhm.flow.losses import Loss
from srhm.flow.networks import Network, Weights, trace


@dataclass(frozen=True)
class Signals:
    """What the gradients of f are made of.

    patches: inputs (E or 1, D, B, K) of the filters of each layer; derivatives: df_o/d(pre),
    (E, O, D, B, H); last: (E, B, D H), what the readout sees.
    """

    patches: list[Tensor]
    derivatives: list[Tensor]
    last: Tensor


def tangent_kernel(
    network: Network, weights: Mapping[str, Tensor], x: Tensor, other: Tensor | None = None
) -> Tensor:
    """Theta of shape (E, B, O, A, O) for inputs x (B, d, v), and other (A, d, v); None: x itself.

    Inputs may also be (E, B, d, v), members with data of their own.
    """
    at_x = signals(network, weights, x)
    at_other = at_x if other is None else signals(network, weights, other)
    first, second = at_x.last, at_other.last
    members, n, n_outputs = len(weights["readout"]), first.shape[1], network.n_outputs
    # d f_o/d readout_(h, q) is non-zero for q = o only: one block, the same for each output.
    same = first @ second.transpose(1, 2) * network.output_scale**2
    if network.biased:
        same = same + 1
    eye = torch.eye(n_outputs, dtype=same.dtype, device=same.device)
    theta = torch.einsum("eba,oq->eboaq", same, eye).contiguous()
    for k, layer in enumerate(network.layers):
        p, r = at_x.patches[k], at_other.patches[k]
        d, c = at_x.derivatives[k], at_other.derivatives[k]
        for i in range(layer.n_places):
            # Places that share a filter meet each other, others themselves only.
            for j in range(layer.n_places) if network.shared[k] else (i,):
                gram = p[:, i] @ r[:, j].transpose(1, 2) * layer.scale**2
                if network.biased:
                    gram = gram + 1
                left = d[:, :, i].transpose(1, 2).reshape(members, n * n_outputs, -1)
                right = c[:, :, j].transpose(1, 2).reshape(members, -1, left.shape[-1])
                slopes = (left @ right.transpose(1, 2)).reshape(theta.shape)
                theta += slopes * gram[:, :, None, :, None]
    return theta


def mean_kernel(
    network: Network, weights: Mapping[str, Tensor], x: Tensor, other: Tensor | None = None
) -> Tensor:
    """(1/O) sum_o Theta_oo, (E, B, A), of `tangent_kernel`, without its O^2 blocks.

    Inputs as of `tangent_kernel`.
    """
    at_x = signals(network, weights, x)
    at_other = at_x if other is None else signals(network, weights, other)
    theta = at_x.last @ at_other.last.transpose(1, 2) * network.output_scale**2
    if network.biased:
        theta = theta + 1
    for k, layer in enumerate(network.layers):
        p, r = at_x.patches[k], at_other.patches[k]
        # Channels of all outputs side by side: their products are summed over outputs.
        d, c = (side.derivatives[k].permute(0, 2, 3, 1, 4).flatten(3) for side in (at_x, at_other))
        for i in range(layer.n_places):
            for j in range(layer.n_places) if network.shared[k] else (i,):
                gram = p[:, i] @ r[:, j].transpose(1, 2) * layer.scale**2
                if network.biased:
                    gram = gram + 1
                theta += d[:, i] @ c[:, j].transpose(1, 2) * gram / network.n_outputs
    return theta


def gram_matrix(theta: Tensor) -> Tensor:
    """Theta (E, B, O, A, O) as matrices (E, B O, A O), rows by point, then output."""
    members, n, n_outputs, m, _ = theta.shape
    return theta.reshape(members, n * n_outputs, m * n_outputs)


def relative_change(theta: Tensor, initial: Tensor) -> Tensor:
    """|Theta - Theta_0|/|Theta_0| in the Frobenius norm, (E,); chapter 3a."""
    difference = (theta - initial).flatten(1).norm(dim=1)
    return difference / initial.flatten(1).norm(dim=1)


def spectrum(gram: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues (E, M), largest first, and eigenvectors (E, M, M), one in each column."""
    values, vectors = torch.linalg.eigh(gram)
    return values.flip(-1), vectors.flip(-1)


def projections(vectors: Tensor, targets: Tensor) -> Tensor:
    """Part of the targets along each eigenvector, sum_t (phi_rho . Z_t)^2 / sum_t |Z_t|^2, (E, M).

    For targets (M, T) that members share, or (E, M, T); the parts of one member sum to 1.
    Indicators of a latent have several columns, each with the weight of its squared norm.
    """
    overlaps = vectors.transpose(-1, -2) @ targets
    norm = targets.square().sum(dim=(-2, -1))
    return overlaps.square().sum(dim=-1) / (norm[..., None] if norm.ndim else norm)


def signals(network: Network, weights: Mapping[str, Tensor], x: Tensor) -> Signals:
    """Inputs of all filters and derivatives of f in their pre-activations, at points (B, d, v)."""
    leaves = {name: array.detach().requires_grad_() for name, array in weights.items()}
    with torch.enable_grad():
        traced = trace(network, leaves, x)
    # A point's output depends on its own pre-activations only: one sum gives all derivatives.
    rows = [
        torch.autograd.grad(traced.outputs[..., o].sum(), traced.preactivations, retain_graph=True)
        for o in range(network.n_outputs)
    ]
    derivatives = [torch.stack(layer, dim=1) for layer in zip(*rows, strict=True)]
    patches = [patch.detach() for patch in traced.patches]
    return Signals(patches, derivatives, traced.hidden[-1].transpose(1, 2).flatten(2).detach())


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
        at_x = signals(network, weights, x)
        return cls(
            network,
            [p.transpose(1, 2).contiguous() for p in at_x.patches],
            [d.permute(0, 3, 1, 2, 4).flatten(3).contiguous() for d in at_x.derivatives],
            at_x.last.contiguous(),
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
