"""Error of single members and of their mean, variance and norm of F (thesis, 3a, Eq. 16).

Shapes: E member, B test point, O output; labels (B,), the same for all members.
"""

from torch import Tensor

from srhm.flow.losses import Loss


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
