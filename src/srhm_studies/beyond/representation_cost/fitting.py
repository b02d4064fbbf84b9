"""Networks fitted with weight decay: min (1/N) sum ||f - f*||^2 + lambda ||theta||^2.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slides "Deep Neural
Networks" and "L2 regularization". theta holds the biases. The slides name no optimiser.

lambda L is called the penalty: at equal penalty a network of depth L pays penalty R / L, which has
a limit, so that networks of all depths are about equally well fitted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from srhm.model import seeding
from srhm_studies.beyond.representation_cost.networks import (
    Architecture,
    Parameters,
    initial,
    loss_and_gradient,
    viewed,
)

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
        parameters,
        loss,
        float(parameters.theta.square().sum()),
        float(sum(bias.square().sum() for bias in parameters.biases)),
    )
