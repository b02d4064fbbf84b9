"""How far weights are from products of semi-orthogonal matrices, and the bound on it.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Bottleneck
Structure on the Weights". If ||theta||^2 <= k L + c_1 and Rank Jf(x) >= k, there are V_l of
orthonormal columns, shape (w_l, k), with

    sum_l ||W_l - V_l V_(l-1)^T||_F^2 <= c_1 - 2 log |Jf(x)|_+ .

The slide prints V_(l+1) once and V_(l-1) once; V_(l-1) is what fits the shapes. |.|_+ is taken as
the product of the k largest singular values, for which the proof is the same: with V_L spanned by
the k left singular vectors of Jf and V_(l-1) by (W_l D_l-1)^T V_l, the traces of V_l^T W_l V_(l-1)
are at least k plus the logarithms of determinants whose product is |Jf|_+.
"""

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
CONVERGED = 1e-10  # relative; below it another sweep changes no figure
MOST_SWEEPS = 500


def polar(matrix: Matrix) -> Matrix:
    """The matrix of orthonormal columns whose inner product with `matrix`, (w, k), is largest."""
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left @ right)


def distance(weights: Sequence[Matrix], bases: Sequence[Matrix]) -> Matrix:
    """||W_l - V_l V_(l-1)^T||_F^2 of each layer, shape (L,); bases are V_0, ..., V_L."""
    pairs = zip(weights, bases, bases[1:], strict=False)
    return np.array([np.sum((W - after @ before.T) ** 2) for W, before, after in pairs])


def bases_of_jacobian(
    weights: Sequence[Matrix], active: Sequence[NDArray[np.bool_]], *, rank: int
) -> list[Matrix]:
    """V_0, ..., V_L that the proof takes at a point, from the output back to the input.

    active: the neurons of layers 1 to L - 1 that are above 0 there, shape (w_l,) each.
    """
    jacobian = jacobian_of(weights, active)
    bases = [np.linalg.svd(jacobian)[0][:, :rank]]
    masks = [np.ones(weights[0].shape[1], dtype=bool), *active]
    for weight, mask in zip(reversed(weights), reversed(masks), strict=True):
        bases.append(polar(mask[:, None] * (weight.T @ bases[-1])))
    return bases[::-1]


def jacobian_of(weights: Sequence[Matrix], active: Sequence[NDArray[np.bool_]]) -> Matrix:
    """Jf = W_L D_(L-1) ... D_1 W_1 with D_l of the active neurons."""
    product = weights[0]
    for weight, mask in zip(weights[1:], active, strict=True):
        product = weight @ (mask[:, None] * product)
    return product


def closest_bases(weights: Sequence[Matrix], start: Sequence[Matrix]) -> list[Matrix]:
    """V_l that make the sum of `distance` smallest, from a start, one V_l at a time.

    With the others fixed the best V_l is the polar factor of W_l V_(l-1) + W_(l+1)^T V_(l+1). The
    sum never grows; what is reached is a minimum in each V_l, as a rule the least.
    """
    bases, depth = list(start), len(weights)
    before = np.inf
    for _ in range(MOST_SWEEPS):
        for place in range(depth + 1):
            pull = np.zeros_like(bases[place])
            if place:
                pull = pull + weights[place - 1] @ bases[place - 1]
            if place < depth:
                pull = pull + weights[place].T @ bases[place + 1]
            bases[place] = polar(pull)
        now = float(distance(weights, bases).sum())
        if before - now <= CONVERGED * max(now, 1e-12):
            break
        before = now
    return bases


def bound(
    squared_norm: float, singular_values: NDArray[np.float64], *, depth: int, rank: int
) -> float:
    """c_1 - 2 log |Jf(x)|_+ with the least c_1 = ||theta||^2 - k L.

    singular_values: of Jf(x), the largest first.

    Raises:
        ValueError: if Jf(x) has fewer than `rank` positive singular values.
    """
    largest = singular_values[:rank]
    if len(largest) < rank or not np.all(largest > 0):
        raise ValueError(f"rank = {rank}: allowed are 1 to the rank of the Jacobian")
    return squared_norm - rank * depth - 2 * sum(log(value) for value in largest)
