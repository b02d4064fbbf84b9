"""Deep ReLU networks, fully connected or convolutional on a ring, and the gradient of their loss.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Deep Neural
Networks". L counts the weight matrices; W_L is linear.

alpha_0 = x, alpha_l = relu(W_l alpha_(l-1) + b_l), f = W_L alpha_(L-1) + b_L.

A convolution of filter size q reads at each place of a ring the q places around it, so that it is a
fully connected layer whose input is a patch. All places are rows of one matrix.

Shapes by suffix: B rows (points, or points times places), C channels, K of a patch.

They are fitted with weight decay: min (1/N) sum ||f - f*||^2 + lambda ||theta||^2, slide "L2
regularization". theta holds the biases. The slides name no optimiser. lambda L is called the
penalty: at equal penalty a network of depth L pays penalty R / L, which has a limit, so that
networks of all depths are about equally well fitted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from srhm.model import seeding


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Channels of each layer from the input to the output, and the ring of a convolution.

    places: of the ring; 1 for a fully connected network. reach: places that a filter reads on each
    side of its own, so that its size is 2 reach + 1.
    """

    channels: tuple[int, ...]
    places: int = 1
    reach: int = 0

    @property
    def depth(self) -> int:
        """L, the number of weight matrices."""
        return len(self.channels) - 1

    @property
    def filter_size(self) -> int:
        """Places that a filter reads."""
        return 2 * self.reach + 1

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Of each weight matrix: channels out, channels in times filter size."""
        steps = zip(self.channels, self.channels[1:], strict=False)
        return [(after, self.filter_size * before) for before, after in steps]

    @property
    def n_parameters(self) -> int:
        """Weights and biases."""
        return sum(rows * (columns + 1) for rows, columns in self.shapes)


@dataclass(frozen=True)
class Parameters:
    """Weights (C, K) and biases (C,) of each layer, views of one vector theta."""

    architecture: Architecture
    theta: Tensor
    weights: tuple[Tensor, ...]
    biases: tuple[Tensor, ...]


def viewed(architecture: Architecture, theta: Tensor) -> Parameters:
    """The layers within a vector (n_parameters,)."""
    weights, biases, start = [], [], 0
    for rows, columns in architecture.shapes:
        end = start + rows * columns
        weights.append(theta[start:end].view(rows, columns))
        biases.append(theta[end : end + rows])
        start = end + rows
    return Parameters(architecture, theta, tuple(weights), tuple(biases))


def initial(
    architecture: Architecture, *, generator: torch.Generator, dtype: torch.dtype
) -> Parameters:
    """Gaussian weights of variance 2 / fan-in, under which a deep signal keeps its size; no bias.

    The talk says N(0, sigma^2) and no sigma.
    """
    parameters = viewed(architecture, torch.zeros(architecture.n_parameters, dtype=dtype))
    for weight in parameters.weights:
        drawn = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
        weight.copy_(drawn * sqrt(2 / weight.shape[1]))
    return parameters


def patches(architecture: Architecture, h_BC: Tensor) -> Tensor:
    """What each filter reads, (B, K): the channels of the places from -reach to reach."""
    if architecture.reach == 0:
        return h_BC
    ring = h_BC.view(-1, architecture.places, h_BC.shape[1])
    shifts = range(-architecture.reach, architecture.reach + 1)
    return torch.cat([ring.roll(-shift, 1) for shift in shifts], 2).view(len(h_BC), -1)


def _gathered(architecture: Architecture, g_BK: Tensor) -> Tensor:
    """Transposed `patches`: each place gets what all patches have of it."""
    if architecture.reach == 0:
        return g_BK
    size = architecture.filter_size
    ring = g_BK.view(-1, architecture.places, size, g_BK.shape[1] // size)
    shifts = range(-architecture.reach, architecture.reach + 1)
    parts = [ring[:, :, i].roll(shift, 1) for i, shift in enumerate(shifts)]
    return torch.stack(parts).sum(0).view(len(g_BK), -1)


def activations(parameters: Parameters, x_BC: Tensor) -> list[Tensor]:
    """alpha_0 = x, ..., alpha_(L-1), f; (B, C) each."""
    layers = [x_BC]
    last = parameters.architecture.depth - 1
    for number, (weight, bias) in enumerate(
        zip(parameters.weights, parameters.biases, strict=True)
    ):
        read = patches(parameters.architecture, layers[-1])
        z_BC = torch.addmm(bias, read, weight.t())
        layers.append(z_BC if number == last else z_BC.clamp_min_(0))
    return layers


def loss_and_gradient(
    parameters: Parameters, x_BC: Tensor, y_BC: Tensor, gradient: Parameters
) -> Tensor:
    """C = (1/B) sum ||f - y||^2 without the penalty; writes dC/dtheta into `gradient`.

    By hand rather than by autograd, which takes several times as long on layers this small.
    """
    architecture = parameters.architecture
    layers = activations(parameters, x_BC)
    difference = layers[-1] - y_BC
    loss, delta_BC = difference.square().sum() / len(y_BC), difference * (2 / len(y_BC))
    for number in reversed(range(architecture.depth)):
        read = patches(architecture, layers[number])
        torch.mm(delta_BC.t(), read, out=gradient.weights[number])
        torch.sum(delta_BC, 0, out=gradient.biases[number])
        if number:
            back = _gathered(architecture, delta_BC @ parameters.weights[number])
            delta_BC = back.mul_(layers[number] > 0)
    return loss


# The penalty starts at `annealing` times its last value, which rids the weights of their start
# sooner, falls from half of the steps on and is at its last value from three quarters on.
FALLS, FALLEN = 0.5, 0.75
DTYPE = torch.float32


@dataclass(frozen=True)
class Fitted:
    """Parameters at the end, C without the penalty, ||theta||^2 and its part in the biases."""

    parameters: Parameters
    loss: float
    squared_norm: float
    of_biases: float

    @property
    def finite(self) -> bool:
        """Whether training has not diverged."""
        return bool(torch.isfinite(self.parameters.theta).all())


def initialisation(seed: int) -> torch.Generator:
    """Torch's generator of a seed, from the project's stream of initialisations."""
    number = int(seeding.generator(seed, role="initialisation").integers(2**62))
    return torch.Generator().manual_seed(number)


def penalty_at(part: float, last: float, annealing: float) -> float:
    """lambda L after a part of all steps: annealing times its last value at first."""
    fallen = min(1.0, max(0.0, (part - FALLS) / (FALLEN - FALLS)))
    return last * float(annealing ** (1 - fallen))


def rate_at(part: float, first: float) -> float:
    """Adam's learning rate: constant until the penalty is at its last value, then down to 0."""
    return first * min(1.0, (1 - part) / (1 - FALLEN))


def fit(architecture: Architecture, x_BC: Tensor, y_BC: Tensor, cell: Mapping[str, Any]) -> Fitted:
    """A network fitted by Adam on all points, in float32 with subnormal numbers flushed.

    cell: penalty (lambda L at the end), annealing (times it at the start), steps, learning_rate,
    seed (of the initialisation).
    x_BC, y_BC: for convolutions, rows are the places of each point.
    """
    torch.set_num_threads(1)  # sums in one order, whatever the machine
    torch.set_flush_denormal(True)  # decay makes weights subnormal, which is four times slower
    x_BC, y_BC = x_BC.to(DTYPE), y_BC.to(DTYPE)
    parameters = initial(architecture, generator=initialisation(int(cell["seed"])), dtype=DTYPE)
    gradient = viewed(architecture, torch.zeros_like(parameters.theta))
    parameters.theta.grad = gradient.theta
    adam = torch.optim.Adam([parameters.theta], fused=True)
    (group,) = adam.param_groups
    steps = int(cell["steps"])
    for step in range(steps):
        part = step / steps
        group["lr"] = rate_at(part, float(cell["learning_rate"]))
        # Adam adds weight_decay * theta to the gradient; lambda ||theta||^2 has 2 lambda theta.
        penalty = penalty_at(part, float(cell["penalty"]), float(cell["annealing"]))
        weight_decay = penalty / architecture.depth
        group["weight_decay"] = 2 * weight_decay
        loss_and_gradient(parameters, x_BC, y_BC, gradient)
        adam.step()
    loss = float(loss_and_gradient(parameters, x_BC, y_BC, gradient))
    return Fitted(
        parameters, loss, float(parameters.theta.square().sum()),
        float(sum(bias.square().sum() for bias in parameters.biases)),
    )  # fmt: skip
