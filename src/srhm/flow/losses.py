"""Losses of one point as functions of the predictor F: hinges, logistic loss, cross-entropy.

The loss of a training set is (1/(alpha^2 P)) sum_mu l(F_mu, y_mu) (thesis, chapter 3a), with
alpha = 1 the loss of chapters 1 and 2. Delta = margin - y F; a point is unsatisfied if Delta > 0.

Shapes: E member, B point, O output. Labels are (B,) if members share them, or (E, B): plus or minus
one for hinges and the logistic loss, whose F has one output; classes 0 ... O-1 for the
cross-entropy.

Every loss has values l of each point and whether it is unsatisfied (counts in N_Delta) and wrong
(misclassified; a tie is an error), (E, B); slopes dl/dF, (E, B, O); curvatures d^2 l/dF dF,
(E, B, O, O), at a cusp the derivative from the satisfied side; fitted, whether training may end,
(E,).
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import log_softmax, softplus

from srhm.flow.networks import SOFTPLUS_LINEAR_ABOVE


@dataclass(frozen=True)
class _Hinge:
    """What losses of y F share: training ends when no point is unsatisfied."""

    margin: float = 1.0
    slack = 0.0

    def gaps(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """Delta = margin - y F, (E, B).

        Raises:
            ValueError: if F has more than one output.
        """
        if F_EBO.shape[-1] != 1:
            raise ValueError(f"a hinge takes one output, not {F_EBO.shape[-1]}")
        return self.margin - y_EB.to(F_EBO.dtype) * F_EBO[..., 0]

    def unsatisfied(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """Delta > slack."""
        return self.gaps(F_EBO, y_EB) > self.slack

    def fitted(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """Whether all points are satisfied; never with an F that is not a number."""
        return (self.gaps(F_EBO, y_EB) <= self.slack).all(dim=1)

    def wrong(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """y F <= 0."""
        return y_EB * F_EBO[..., 0] <= 0


@dataclass(frozen=True)
class QuadraticHinge(_Hinge):
    """l = max(0, Delta)^2/2, chapters 1 and 2: a sharp end at N_Delta = 0.

    slack: points with Delta <= slack count as satisfied. Gradient flow comes to Delta = 0 from
    above and exponentially, and never ends with the slack of 0 that Adam and SGD can do with.
    """

    slack: float = 0.0

    def values(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """max(0, Delta)^2/2."""
        return self.gaps(F_EBO, y_EB).clamp(min=0).square() / 2

    def slopes(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """-y max(0, Delta)."""
        return (-y_EB * self.gaps(F_EBO, y_EB).clamp(min=0))[..., None]

    def curvatures(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """1 where Delta > 0."""
        return (self.gaps(F_EBO, y_EB) > 0).to(F_EBO.dtype)[..., None, None]


@dataclass(frozen=True)
class SoftHinge(_Hinge):
    """l = ln(1 + e^(beta Delta))/beta with beta = 20, chapter 3a."""

    sharpness: float = 20.0

    def values(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """ln(1 + e^(beta Delta))/beta."""
        return softplus(
            self.gaps(F_EBO, y_EB), beta=self.sharpness, threshold=SOFTPLUS_LINEAR_ABOVE
        )

    def slopes(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """-y/(1 + e^(-beta Delta))."""
        return (-y_EB * torch.sigmoid(self.sharpness * self.gaps(F_EBO, y_EB)))[..., None]

    def curvatures(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """beta p (1 - p) with p = 1/(1 + e^(-beta Delta))."""
        p = torch.sigmoid(self.sharpness * self.gaps(F_EBO, y_EB))
        return (self.sharpness * p * (1 - p))[..., None, None]


@dataclass(frozen=True)
class Logistic(_Hinge):
    """l = ln(1 + e^(-y F)), the cross-entropy of two classes, chapter 1.

    It has no margin and never is zero: a point is unsatisfied if it is misclassified, and training
    ends when none is.
    """

    margin: float = 0.0

    def unsatisfied(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """y F <= 0."""
        return self.wrong(F_EBO, y_EB)

    def fitted(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """Whether all points are on their side; never with an F that is not a number."""
        return (self.gaps(F_EBO, y_EB) < 0).all(dim=1)

    def values(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """ln(1 + e^(-y F))."""
        return softplus(self.gaps(F_EBO, y_EB), threshold=SOFTPLUS_LINEAR_ABOVE)

    def slopes(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """-y/(1 + e^(y F))."""
        return (-y_EB * torch.sigmoid(self.gaps(F_EBO, y_EB)))[..., None]

    def curvatures(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """p (1 - p) with p = 1/(1 + e^(y F))."""
        p = torch.sigmoid(self.gaps(F_EBO, y_EB))
        return (p * (1 - p))[..., None, None]


@dataclass(frozen=True)
class CrossEntropy:
    """l = -ln softmax(F)_y. It never is zero: training ends at a mean below `threshold`.

    A point counts as unsatisfied while its own l is above the threshold: a definition of this
    package, since the thesis measures N_Delta with hinges only.
    """

    threshold: float = 1e-3

    def values(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """-ln softmax(F)_y."""
        return -log_softmax(F_EBO, dim=-1).gather(-1, _classes(F_EBO, y_EB))[..., 0]

    def slopes(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """softmax(F) - one-hot y."""
        p_EBO = torch.softmax(F_EBO, dim=-1)
        return p_EBO.scatter_add(-1, _classes(F_EBO, y_EB), -torch.ones_like(p_EBO[..., :1]))

    def curvatures(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """diag(p) - p p^T with p = softmax(F)."""
        p_EBO = torch.softmax(F_EBO, dim=-1)
        return torch.diag_embed(p_EBO) - p_EBO[..., :, None] * p_EBO[..., None, :]

    def unsatisfied(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """l > threshold."""
        return self.values(F_EBO, y_EB) > self.threshold

    def fitted(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """Whether the mean of l is below the threshold."""
        return self.values(F_EBO, y_EB).mean(dim=1) < self.threshold

    def wrong(self, F_EBO: Tensor, y_EB: Tensor) -> Tensor:
        """Another class has as large an output, or a larger one."""
        label_outputs = F_EBO.gather(-1, _classes(F_EBO, y_EB))
        return (label_outputs <= F_EBO).sum(dim=-1) > 1


Loss = QuadraticHinge | SoftHinge | Logistic | CrossEntropy


def _classes(F_EBO: Tensor, y_EB: Tensor) -> Tensor:
    return y_EB.to(torch.int64).expand(F_EBO.shape[:2])[..., None]


def errors(loss: Loss, F_EBO: Tensor, y_B: Tensor) -> Tensor:
    """Misclassified fraction of each member, (E,)."""
    return loss.wrong(F_EBO, y_B).to(F_EBO.dtype).mean(dim=1)


def ensemble_error(loss: Loss, F_EBO: Tensor, y_B: Tensor) -> float:
    """Misclassified fraction of the mean output of all members."""
    return float(errors(loss, F_EBO.mean(dim=0, keepdim=True), y_B)[0])


def output_variance(F_EBO: Tensor) -> float:
    """<(F_i(x) - mean_i F_i(x))^2> over members and points, summed over outputs.

    Divided by E - 1: unbiased whatever the size of the ensemble. NaN for one member.
    """
    if len(F_EBO) < 2:
        return float("nan")
    return float(F_EBO.var(dim=0).sum(dim=-1).mean())


def output_norm(F_EBO: Tensor) -> Tensor:
    """Root mean square of F over the points, (E,): |f|_mu of chapter 2b."""
    return F_EBO.square().sum(dim=-1).mean(dim=1).sqrt()
