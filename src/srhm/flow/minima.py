"""A second-order end of training: to a minimum of the quadratic hinge loss (thesis, chapter 1).

    Loss = (1/(2 P)) sum_mu max(0, Delta_mu)^2      Delta = 1 - y F, F = f
    H    = H0 + Hp                                  as in `srhm.flow.hessian`

A step of Newton's method has the exact H of the unsatisfied points, H = Q diag(lambda) Q^T, and
    w - s Q (Q^T grad Loss)/(e(lambda) + mu)
with e = |lambda|, or lambda less the smallest one, for seventeen mu, and s = 1/2, 1, 2 of the best
of them: the one of smallest loss is taken. No step raises the loss, and negative modes are left
along their descent.

ReLU has cusps, where neurons switch on a training point and no gradient vanishes. Its network is
the limit of b -> infinity of ln(1 + e^(b z))/b: the end of one b is the start of the next. At the
end of the last b a neuron is at a cusp on a point if its slope 1/(1 + e^(-b z)) is neither 0 nor 1;
this slope is then the multiplier of the constraint z = 0.

For an FCN with one output, in double precision. Letters: B unsatisfied points, H neurons of a
layer, I its inputs with the one of its bias.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import softplus

from srhm.flow.networks import Network, Weights

Status = Literal["minimum", "saddle", "fitted", "stalled", "capped"]
# a, a', a'' of preactivations.
Activation = Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]
# A mean loss below it is zero, as `srhm.statistics.jamming` says.
LEAST_LOSS = 1e-9
# An eigenvalue is zero below the first part of the largest of H0, and below the second, which is
# rounding, of the largest of its own matrix: at a cusp H has eigenvalues that grow with b.
ZERO, ROUNDING = 1e-9, 1e-13
# b of the ReLU; steps for the first, for those between and for the last, as parts of the budget.
SHARPNESS = (8.0, 40.0, 200.0, 1e3, 5e3, 2.5e4, 1.25e5, 1e6)
FIRST, LAST = 0.4, 0.2
BETWEEN = 1e-6  # gradient at which a b before the last one ends
# A slope between these is at a cusp.
CUSP = (1e-3, 1 - 1e-3)
DAMPING = torch.logspace(-12, 4, 17, dtype=torch.float64)  # mu over the largest |lambda|
LENGTHS = (1.0, 2.0, 0.5)


def tanh(z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Tanh with two derivatives."""
    a = torch.tanh(z)
    slope = 1 - a * a
    return a, slope, -2 * a * slope


def smooth_relu(sharpness: float, *, bent: bool = True) -> Activation:
    """ln(1 + e^(b z))/b with two derivatives; bent: else its second one is left out.

    With b = inf: ReLU.
    """

    def activation(z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if sharpness == inf:
            slope = (z > 0).to(z.dtype)
            return z * slope, slope, torch.zeros_like(z)
        slope = torch.sigmoid(sharpness * z)
        a = softplus(sharpness * z, threshold=40) / sharpness
        return a, slope, sharpness * slope * (1 - slope) * bent

    return activation


@dataclass(frozen=True)
class Objective:
    """Loss of a fully connected network: inputs (P, d), labels (P,) of plus and minus one.

    Weights are vectors (N,), layer by layer, each (inputs + 1) x neurons with its biases last.

    Raises:
        ValueError: if the network is no FCN of one output with biases in the ntk parametrisation.
    """

    network: Network
    x: Tensor
    y: Tensor
    sigma: Activation

    def __post_init__(self) -> None:
        net = self.network
        flat = net.n_places == 1 and all(layer.n_places == 1 for layer in net.layers)
        if not (flat and net.biased and net.n_outputs == 1 and net.parametrisation == "ntk"):
            raise ValueError(
                "a second-order end: allowed is an fcn of one output, ntk, with biases"
            )

    @property
    def scales(self) -> list[float]:
        """What the inputs of each layer are multiplied by."""
        return [*(layer.scale for layer in self.network.layers), self.network.output_scale]

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Inputs with that of the bias, and neurons, of each layer."""
        shapes = self.network.weight_shapes()
        names = [*(f"layer{k + 1}" for k in range(len(self.network.layers))), "readout"]
        return [(shapes[name][-2] + 1, shapes[name][-1]) for name in names]

    def vector(self, weights: Weights) -> Tensor:
        """Weights (1, ...) of one member as a vector (N,)."""
        names = [*(f"layer{k + 1}" for k in range(len(self.network.layers))), "readout"]
        parts = []
        for name in names:
            matrix, bias = weights[name], weights[f"{name}.bias"]
            parts += [matrix.reshape(-1), bias.reshape(-1)]
        return torch.cat(parts).detach()

    def weights(self, vector: Tensor) -> Weights:
        """The inverse of `vector`."""
        by_name: Weights = {}
        shapes = self.network.weight_shapes()
        for k, matrix in enumerate(self.matrices(vector)):
            name = f"layer{k + 1}" if k < len(self.network.layers) else "readout"
            for part, key in ((matrix[:-1], name), (matrix[-1:], f"{name}.bias")):
                by_name[key] = part.reshape(1, *shapes[key]).clone()
        return {name: by_name[name] for name in shapes}

    def matrices(self, vector: Tensor) -> list[Tensor]:
        """The matrix of each layer, (I, H)."""
        parts = vector.split([i * h for i, h in self.shapes])
        return [part.view(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def gaps(self, vector: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Delta (P,), and preactivations (P, H) of each hidden layer."""
        a, hidden = self.x, []
        for scale, matrix in zip(self.scales, self.matrices(vector), strict=True):
            z = _with_one(a * scale) @ matrix
            hidden.append(z)
            a = self.sigma(z)[0]
        return 1 - self.y * hidden[-1][:, 0], hidden[:-1]

    def losses(self, vectors: Tensor) -> Tensor:
        """Loss (T,) of several vectors (T, N); infinite where it is no number."""
        a, z, first = self.x[None], self.x[None], 0
        for scale, (rows, columns) in zip(self.scales, self.shapes, strict=True):
            matrices = vectors[:, first : first + rows * columns].reshape(-1, rows, columns)
            first += rows * columns
            z = (a * scale) @ matrices[:, :-1] + matrices[:, -1:]
            a = self.sigma(z)[0]
        overlaps = (1 - self.y * z[..., 0]).clamp(min=0)
        return (overlaps.square().sum(dim=1) / (2 * len(self.x))).nan_to_num(nan=inf, posinf=inf)

    def loss(self, vector: Tensor) -> float:
        """Loss of one vector (N,)."""
        return float(self.losses(vector[None])[0])


@dataclass(frozen=True)
class Expansion:
    """Second order about a state: Loss, gradient (N,), H0 and Hp (N, N), N_Delta."""

    loss: float
    gradient: Tensor
    h0: Tensor
    hp: Tensor
    n_unsatisfied: int


def expansion(at: Objective, vector: Tensor) -> Expansion:
    """Loss with its derivatives, layer by layer.

    Of weights W_k (from input i to neuron j) and W_l, k <= l, Hp is the sum over points of
        l' a_i a_m Z_jn + l' a_i (d a_m/d z_j) delta_n        Z = d^2 F/dz dz, delta = dF/dz
    and H0 that of the products of two gradients of F.
    """
    unsatisfied = at.gaps(vector)[0] > 0
    x, y, P = at.x[unsatisfied], at.y[unsatisfied], len(at.x)
    matrices, scales, L = at.matrices(vector), at.scales, len(at.network.layers)
    a, inputs, slopes, bends = x, list[Tensor](), list[Tensor](), list[Tensor]()
    for k in range(L):
        inputs.append(_with_one(a * scales[k]))
        a, slope, bend = at.sigma(inputs[k] @ matrices[k])
        slopes.append(slope)
        bends.append(bend)
    inputs.append(_with_one(a * scales[L]))
    gap = 1 - y * (inputs[L] @ matrices[L])[:, 0]
    pull = -y * gap  # l'
    up = (matrices[L][:-1, 0] * scales[L]).expand(len(x), -1)  # dF/da
    deltas, curved = [torch.empty(0)] * L, [torch.empty(0)] * L
    for k in reversed(range(L)):
        deltas[k], curved[k] = up * slopes[k], up * bends[k] * pull[:, None]
        up = deltas[k] @ (matrices[k][:-1].T * scales[k])
    J = torch.cat([*(_outer(inputs[k], deltas[k]) for k in range(L)), inputs[L]], dim=1)
    hp = _hp(inputs, slopes, deltas, curved, pull, matrices, scales)
    return Expansion(
        loss=float(gap.square().sum()) / (2 * P),
        gradient=J.T @ pull / P,
        h0=J.T @ J / P,
        hp=hp / P,
        n_unsatisfied=len(x),
    )


def _hp(
    inputs: list[Tensor],
    slopes: list[Tensor],
    deltas: list[Tensor],
    curved: list[Tensor],
    pull: Tensor,
    matrices: list[Tensor],
    scales: list[float],
) -> Tensor:
    L, (B, H) = len(slopes), slopes[0].shape
    ends = [0]
    for matrix in matrices:
        ends.append(ends[-1] + matrix.numel())
    hp = torch.zeros(ends[-1], ends[-1], dtype=pull.dtype)
    onward = dict[tuple[int, int], Tensor]()  # d z_l/d z_k, (B, H, H)
    for k in range(L):
        onward[k, k] = torch.eye(H, dtype=pull.dtype).expand(B, H, H)
        for q in range(k + 1, L):
            moved = onward[k, q - 1] * slopes[q - 1][:, None]
            onward[k, q] = moved @ (matrices[q][:-1] * scales[q])
    for k in range(L):
        pulled = inputs[k] * pull[:, None]
        rows = inputs[k].shape[1]
        for n in range(k, L + 1):
            M, N = matrices[n].shape
            block = torch.zeros(rows, H, M, N, dtype=pull.dtype)
            if n < L and any(bool(bend.any()) for bend in curved[n:]):
                Z = torch.stack([(onward[k, q] * curved[q][:, None]) @ onward[n, q].transpose(1, 2)
                                 for q in range(n, L)]).sum(dim=0)  # fmt: skip
                both = _outer(inputs[k], inputs[n]).T @ Z.flatten(1)
                block += both.view(rows, M, H, N).permute(0, 2, 1, 3)
            if n > k:
                moved = onward[k, n - 1] * slopes[n - 1][:, None] * scales[n]  # d a_(n-1)/d z_k
                delta = deltas[n] if n < L else torch.ones(B, 1, dtype=pull.dtype)
                mixed = _outer(pulled, delta).T @ moved.flatten(1)
                block[:, :, :-1] += mixed.view(rows, N, H, M - 1).permute(0, 2, 3, 1)
            flat = block.reshape(rows * H, M * N)
            hp[ends[k] : ends[k + 1], ends[n] : ends[n + 1]] = flat
            hp[ends[n] : ends[n + 1], ends[k] : ends[k + 1]] = flat.T
    return hp


def _with_one(inputs: Tensor) -> Tensor:
    return torch.cat([inputs, torch.ones_like(inputs[:, :1])], dim=1)


def _outer(left: Tensor, right: Tensor) -> Tensor:
    return (left[:, :, None] * right[:, None, :]).flatten(1)


@dataclass(frozen=True)
class End:
    """Where a second-order end stopped, and by which criterion.

    status: minimum (|grad| below the tolerance, no negative mode of H), saddle (|grad| below it,
    negative modes, no lower loss along the lowest of them), fitted (no unsatisfied point, or a loss
    below LEAST_LOSS), stalled (no step lowers the loss), capped (steps spent).
    gradient: |grad Loss|; n_negative: negative modes of H; n_steps: matrices H. Of a ReLU those of
    the sharpness b, inf for other activations; of one that fits, of the b at which it does.
    """

    vector: Tensor
    status: Status
    loss: float
    gradient: float
    n_negative: int
    n_unsatisfied: int
    n_steps: int
    sharpness: float = inf


def newton(at: Objective, vector: Tensor, *, max_steps: int, tolerance: float = 1e-10) -> End:
    """Damped Newton steps from a vector (N,) to a minimum of a smooth loss."""
    for step in range(max_steps + 1):
        here = expansion(at, vector)
        size = float(here.gradient.norm())
        values, modes = torch.linalg.eigh(here.h0 + here.hp)
        negative = n_negative(values, here.h0)

        end = partial(
            End, vector, loss=here.loss, gradient=size, n_negative=negative,
            n_unsatisfied=here.n_unsatisfied, n_steps=step,
        )  # fmt: skip

        if here.n_unsatisfied == 0 or here.loss <= LEAST_LOSS:
            return end(status="fitted")
        if size < tolerance and not negative:
            return end(status="minimum")
        if step == max_steps:
            return end(status="capped")
        moves = _moves(values, modes, modes.T @ here.gradient)
        if negative and size < BETWEEN:
            lowest = torch.outer(torch.logspace(-4, 0, 5, dtype=moves.dtype), modes[:, 0])
            moves = torch.cat([moves, lowest, -lowest])
        best = moves[at.losses(vector - moves).argmin()]
        lengths = torch.stack([length * best for length in LENGTHS])
        losses = at.losses(vector - lengths)
        if float(losses.min()) < here.loss:
            vector = vector - lengths[losses.argmin()]
            continue
        # The loss is exact to rounding: the gradient says whether the undamped step is one.
        after = expansion(at, vector - moves[0])
        if not (float(after.gradient.norm()) < size and after.loss <= here.loss * (1 + 1e-12)):
            return end(status="saddle" if size < tolerance else "stalled")
        vector = vector - moves[0]
    raise AssertionError("the last step returns")


def n_negative(values: Tensor, h0: Tensor) -> int:
    """How many eigenvalues (N,) of a matrix beside H0 (N, N) are negative, and not zero."""
    largest = float(torch.linalg.eigvalsh(h0)[-1])
    zero = max(ZERO * largest, ROUNDING * float(values.abs().max()))
    return int((values < -zero).sum())


def _moves(values: Tensor, modes: Tensor, pulls: Tensor) -> Tensor:
    """Steps to try (T, N), the undamped one first."""
    scales = [values.abs()]
    if values[0] < 0:
        scales.append(values - values[0] * (1 + 1e-3))
    damping = DAMPING[:, None] * values.abs().max()
    return torch.cat([pulls / (scale + damping) for scale in scales]) @ modes.T


def second_order_end(
    network: Network,
    weights: Weights,
    x: Tensor,
    y: Tensor,
    *,
    max_steps: int,
    tolerance: float = 1e-10,
) -> tuple[Weights, End]:
    """From the weights (1, ...) of a member to a minimum, with where it stopped.

    x (P, 1, d), y (P,); max_steps: matrices H at most. activation: tanh, or ReLU, which is followed
    through SHARPNESS.

    Raises:
        ValueError: as `Objective`.
    """
    torch.set_num_threads(1)
    points, labels = x[:, 0].double(), y.double()
    if network.activation == "tanh":
        at = Objective(network, points, labels, tanh)
        end = newton(at, at.vector(weights), max_steps=max_steps, tolerance=tolerance)
        return at.weights(end.vector), end
    at = Objective(network, points, labels, smooth_relu(inf))
    vector, spent = at.vector(weights), 0
    between = (1 - FIRST - LAST) / (len(SHARPNESS) - 2)
    for sharpness, after in pairwise((*SHARPNESS, None)):
        part = FIRST if sharpness == SHARPNESS[0] else between if after else LAST
        smooth = Objective(network, points, labels, smooth_relu(sharpness or inf))
        end = newton(
            smooth, vector, max_steps=int(part * max_steps),
            tolerance=BETWEEN if after else tolerance,
        )  # fmt: skip
        vector, spent = end.vector, spent + end.n_steps
        if end.status == "fitted" and at.loss(vector) <= LEAST_LOSS:
            break
    return at.weights(vector), replace(end, n_steps=spent, sharpness=sharpness or inf)
