"""Ensembles of n members drawn with replacement out of all of them (chapter 2b, figures 4 and 10).

The members that there are count as the whole population: fbar is their mean, and with replacement
an ensemble of n departs from it as 1/sqrt(n), whatever their number. Without replacement it would
be sqrt(1/n - 1/E).

Shapes: R draw, E member, B point, D number of the input.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from srhm.studies.fluctuations.responses import boundary_distance, estimated_distance


@dataclass(frozen=True)
class Resampled:
    """Of ensembles of n: mean test error, delta (Eq. 3) and its estimate, of how many draws."""

    n: int
    error: float
    delta: float
    estimate: float


def resampled(
    f: Tensor,
    gradient: Tensor,
    y: Tensor,
    *,
    n: int,
    n_draws: int,
    generator: np.random.Generator,
) -> Resampled:
    """Averages over draws of n members.

    f: outputs (E, B); gradient (E, B, D); y: labels (B,), plus or minus one. The gradient of a mean
    output is the mean gradient.
    """
    shares = generator.multinomial(n, np.full(len(f), 1 / len(f)), size=n_draws) / n
    shares_RE = torch.from_numpy(shares).to(f.dtype)
    f_RB = shares_RE @ f
    gradient_RBD = torch.einsum("re,ebd->rbd", shares_RE, gradient)
    mean_B = f.mean(dim=0)
    return Resampled(
        n=n,
        error=float((y * f_RB <= 0).to(f.dtype).mean()),
        delta=boundary_distance(f_RB, mean_B, gradient_RBD)[0],
        estimate=estimated_distance(f_RB, mean_B, gradient_RBD),
    )
