"""Hessian of the training loss, split as H = H0 + Hp (thesis: Eq. 3 of ch. 1, Eq. 6 of ch. 2a).

    Loss = (1/(alpha^2 P)) sum_mu l(F_mu)
    H0   = (1/(alpha^2 P)) sum_mu (dF_mu)^T l''_mu dF_mu         positive semi-definite
    Hp   = (1/(alpha^2 P)) sum_mu l'_mu . d^2 F_mu

with the quadratic hinge and alpha = 1: (1/P) sum over unsatisfied points of dDelta dDelta^T, and of
Delta d^2 Delta. All functions take one member, `LossAt`; vectors have the order of
`networks.flattened`.

The nonzero eigenvalues of H0 are those of a kernel: with Theta_m the tangent kernel on the
unsatisfied points, sp(H0) = sp(Theta_m/P). Labels drop out, and so does alpha, in the "ntk"
parametrisation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import Tensor

from srhm.flow.losses import Loss
from srhm.flow.networks import Predictor, flattened, selected, unflattened

# Rows of a Hessian that are computed at a time.
CHUNK = 64
# An eigenvalue of modulus below this part of the largest one counts as zero.
ZERO = 1e-9
Part = Literal["H", "H0", "Hp"]


@dataclass(frozen=True)
class LossAt:
    """The training loss of one member at its weights.

    vector: weights (N,); predictor: of this member alone; x (B, d, v); y (B,); offset (1, B, O).
    """

    predictor: Predictor
    vector: Tensor
    x: Tensor
    y: Tensor
    loss: Loss
    offset: Tensor | None

    @classmethod
    def of(
        cls,
        predictor: Predictor,
        weights: Mapping[str, Tensor],
        x: Tensor,
        y: Tensor,
        loss: Loss,
        *,
        member: int,
    ) -> Self:
        """The loss of a member of several; inputs and labels shared, or with a leading axis."""
        member_predictor = predictor.select(slice(member, member + 1))
        x = x[member] if x.ndim == 4 else x
        y = y[member] if y.ndim == 2 else y
        shapes = predictor.network.weight_shapes()
        ordered = {name: weights[name] for name in shapes}
        vector = flattened(selected(ordered, slice(member, member + 1)))[0].detach()
        return cls(member_predictor, vector, x, y, loss, member_predictor.offset(x))

    def outputs(self, vector: Tensor) -> Tensor:
        """F (B, O) at weights (N,)."""
        weights = unflattened(self.predictor.network, vector[None])
        return self.predictor(weights, self.x, offset=self.offset)[0]

    @property
    def normalisation(self) -> float:
        """1/(alpha^2 P)."""
        return 1 / (float(self.predictor.alpha[0]) ** 2 * len(self.x))

    def total(self, vector: Tensor) -> Tensor:
        """Loss, a scalar."""
        return self.loss.values(self.outputs(vector)[None], self.y).sum() * self.normalisation

    def slopes(self) -> Tensor:
        """l' at the weights, (B, O)."""
        return self.loss.slopes(self.outputs(self.vector)[None], self.y)[0].detach()

    def curvatures(self) -> Tensor:
        """l'' at the weights, (B, O, O)."""
        F = self.outputs(self.vector)[None]
        return self.loss.curvatures(F, self.y)[0].detach().expand(len(self.x), -1, -1)


def exact_h0(at: LossAt) -> Tensor:
    """H0 (N, N) from the Jacobian dF/dw (B, O, N)."""
    J = torch.func.jacrev(at.outputs, chunk_size=CHUNK)(at.vector).detach()
    return torch.einsum("bon,bop,bpm->nm", J, at.curvatures(), J) * at.normalisation


def exact_hp(at: LossAt) -> Tensor:
    """Hp (N, N): the Hessian of sum l' F with l' held fixed."""
    hessian = torch.func.jacrev(torch.func.grad(_with_fixed_slopes(at)), chunk_size=CHUNK)
    matrix = hessian(at.vector).detach()
    return (matrix + matrix.T) / 2


def h0_spectrum_from_kernel(theta: Tensor, at: LossAt) -> Tensor:
    """The P O largest eigenvalues of H0 from the tangent kernel on the training set, descending.

    theta: (B, O, B, O), of the network's own f. For H0 of N > P O weights all others are zero.
    """
    values, vectors = torch.linalg.eigh(at.curvatures())
    root = vectors @ torch.diag_embed(values.clamp(min=0).sqrt()) @ vectors.transpose(1, 2)
    # dF/dw = factor df/dw.
    scale = float(at.predictor.factor[0]) ** 2 * at.normalisation
    folded = torch.einsum("bop,bpaq,aqr->boar", root, theta, root) * scale
    n = folded.shape[0] * folded.shape[1]
    return torch.linalg.eigvalsh(folded.reshape(n, n)).flip(0)


def signs(eigenvalues: Tensor, *, n: int) -> dict[str, int]:
    """How many of n eigenvalues are zero, negative and positive; those not given are zero.

    Zero is a modulus below `ZERO` times the largest.
    """
    threshold = ZERO * float(eigenvalues.abs().max()) if len(eigenvalues) else 0.0
    negative = int((eigenvalues < -threshold).sum())
    positive = int((eigenvalues > threshold).sum())
    zero = n - negative - positive
    return {"n_zero": zero, "n_negative": negative, "n_positive": positive}


def product(at: LossAt, part: Part) -> Callable[[Tensor], Tensor]:
    """v -> H v, H0 v or Hp v for vectors (N,), without the matrix: two passes for each product."""
    # One graph, gone through backwards for every v: forward mode would compile scripts in torch.
    w = at.vector.clone().requires_grad_()
    if part == "H0":
        curvature, F = at.curvatures(), at.outputs(w)
        u = torch.zeros_like(F, requires_grad=True)
        (pulled,) = torch.autograd.grad(F, w, u, create_graph=True)

        def h0(v: Tensor) -> Tensor:
            # u -> u J is linear, and its derivative in u along v is J v.
            (moved,) = torch.autograd.grad(pulled, u, v, retain_graph=True)
            weighted = torch.einsum("bop,bp->bo", curvature, moved)
            (unscaled,) = torch.autograd.grad(F, w, weighted, retain_graph=True)
            return unscaled * at.normalisation

        return h0
    value = (at.total if part == "H" else _with_fixed_slopes(at))(w)
    (gradient,) = torch.autograd.grad(value, w, create_graph=True)

    def hessian(v: Tensor) -> Tensor:
        (H_v,) = torch.autograd.grad(gradient, w, v, retain_graph=True)
        return H_v

    return hessian


def lanczos(
    at: LossAt,
    part: Part,
    *,
    n_eigenvalues: int,
    which: Literal["LA", "SA", "LM", "BE"],
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Some eigenvalues of H, H0 or Hp by Lanczos iteration (ARPACK, eigsh of SciPy), increasing.

    which: the largest (LA), the smallest (SA), those of largest modulus (LM), or half of them from
    either end (BE). generator: of the first vector.

    Raises:
        scipy.sparse.linalg.ArpackNoConvergence: if the iteration does not converge.
    """
    n, times = len(at.vector), product(at, part)

    def matvec(v: NDArray[np.floating]) -> NDArray[np.floating]:
        return times(torch.from_numpy(v.reshape(-1)).to(at.vector.dtype)).numpy()

    dtype = at.vector.numpy().dtype
    operator = LinearOperator((n, n), matvec=matvec, dtype=dtype)
    first = generator.standard_normal(n).astype(dtype)
    eigenvalues = eigsh(operator, k=n_eigenvalues, which=which, v0=first, return_eigenvectors=False)
    return np.sort(eigenvalues)


def _with_fixed_slopes(at: LossAt) -> Callable[[Tensor], Tensor]:
    slopes = at.slopes()

    def weighted(vector: Tensor) -> Tensor:
        return (slopes * at.outputs(vector)).sum() * at.normalisation

    return weighted
