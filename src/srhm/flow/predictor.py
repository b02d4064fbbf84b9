"""The predictor F = alpha (f(w) - f(w0)) of chapter 3a of the thesis, and its two scales.

alpha multiplies the output in the "ntk" parametrisation, alpha_tilde = sqrt(h) alpha the output in
the "mean_field" one, which is that of the SRHM paper: the same F. Large alpha_tilde is lazy
learning, small alpha_tilde feature learning; the paper trains at alpha_tilde = 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Self

from torch import Tensor

from srhm.flow.networks import Network, Weights, outputs, selected


def alpha_tilde(alpha: float, *, width: int) -> float:
    """sqrt(h) alpha."""
    return sqrt(width) * alpha


def alpha_from_tilde(value: float, *, width: int) -> float:
    """alpha_tilde / sqrt(h)."""
    return value / sqrt(width)


@dataclass(frozen=True)
class Predictor:
    """Predictor of several members.

    alpha: (E,), one for each member, so that members may differ in alpha as well as in their seed.
    initial: the weights w0 that f is measured from; None: F = alpha f, as in chapters 1 and 2.

    Raises:
        ValueError: if alpha is not positive or not one number for each member.
    """

    network: Network
    alpha: Tensor
    initial: Weights | None

    def __post_init__(self) -> None:
        if self.alpha.ndim != 1 or not bool((self.alpha > 0).all()):
            raise ValueError(f"alpha must be positive numbers (E,), not {self.alpha}")
        if self.initial is not None and len(self.initial["readout"]) != len(self.alpha):
            raise ValueError(f"{len(self.alpha)} alphas of {len(self.initial['readout'])} members")

    @property
    def factor(self) -> Tensor:
        """What multiplies the network's own output, (E,): alpha, or alpha_tilde ("mean_field")."""
        if self.network.parametrisation == "ntk":
            return self.alpha
        return self.alpha * sqrt(self.network.width)

    def select(self, members: Tensor | slice) -> Self:
        """The predictor of some members, by their indices or a slice."""
        initial = None if self.initial is None else selected(self.initial, members)
        return type(self)(self.network, self.alpha[members], initial)

    def offset(self, x: Tensor) -> Tensor | None:
        """f(w0, x) of shape (E, B, O); None without w0."""
        return None if self.initial is None else outputs(self.network, self.initial, x).detach()

    def __call__(
        self, weights: Mapping[str, Tensor], x: Tensor, *, offset: Tensor | None = None
    ) -> Tensor:
        """F of shape (E, B, O) for inputs (B, d, v) or (E, B, d, v).

        offset: `self.offset(x)`, where it is known already.
        """
        f = outputs(self.network, weights, x)
        start = self.offset(x) if offset is None else offset
        if start is not None:
            f = f - start
        return self.factor.to(f.dtype)[:, None, None] * f
