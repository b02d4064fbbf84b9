"""Learning with a kernel that does not move, in the space of points: another route to `linearised`.

    dF(x)/dt = -(1/P) sum_mu l'(F_mu, y_mu) Theta(x_mu, x)      thesis, chapter 3a, Eq. 28

the flow of a network whose tangent kernel is frozen, at its initialisation (the limit of lazy
learning) or at the end of training. Times are those of a network in the "ntk" parametrisation.
F(x) = sum_mu Theta(x, x_mu) c_mu throughout; the coefficients c (E, B, O) are the state.

Shapes: E member, B training point, A other point, O output.
"""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from srhm.flow.descents import Evaluation, FlowStep, Trained, gradient_flow
from srhm.flow.losses import Loss
from srhm.flow.networks import Weights


@dataclass(frozen=True)
class KernelSystem:
    """Kernels on the training set (E, B, O, B, O), labels (B,) or (E, B), and a loss."""

    theta: Tensor
    y: Tensor
    loss: Loss

    def select(self, members: Tensor) -> Self:
        """The system of some members."""
        y = self.y[members] if self.y.ndim == 2 else self.y
        return type(self)(self.theta[members], y, self.loss)

    def evaluate(self, state: Weights) -> Evaluation:
        """F, mean l, N_Delta, and the gradient in the space of features: l'/P by point."""
        F = predicted(self.theta, state["coefficients"])
        return Evaluation(
            F,
            self.loss.values(F, self.y).mean(dim=1),
            self.loss.unsatisfied(F, self.y).sum(dim=1),
            self.loss.fitted(F, self.y),
            {"coefficients": self.loss.slopes(F, self.y) / F.shape[1]},
        )

    def squared_norm(self, gradient: Weights) -> Tensor:
        """g Theta g, the squared norm of the gradient in the weights, (E,)."""
        g = gradient["coefficients"]
        return (g * predicted(self.theta, g)).sum(dim=(1, 2)).clamp(min=0)


def predicted(theta: Tensor, coefficients: Tensor) -> Tensor:
    """F (E, A, O) at the points of the first axis of theta (E, A, O, B, O)."""
    members, n, n_outputs, m, _ = theta.shape
    flat = theta.reshape(members, n * n_outputs, m * n_outputs) @ coefficients.reshape(
        members, m * n_outputs, 1
    )
    return flat.reshape(members, n, n_outputs)


def kernel_gradient_flow(
    theta: Tensor, y: Tensor, loss: Loss, *, max_evaluations: int, step: FlowStep | None = None
) -> Trained:
    """Gradient flow from F = 0 with a frozen kernel; state: "coefficients" (E, B, O).

    A network's alpha drops out: kernel of f, loss of F.
    """
    n_members, n, n_outputs = theta.shape[:3]
    start = {"coefficients": torch.zeros(n_members, n, n_outputs, dtype=theta.dtype)}
    system = KernelSystem(theta, y, loss)
    return gradient_flow(system, start, max_evaluations=max_evaluations, step=step)
