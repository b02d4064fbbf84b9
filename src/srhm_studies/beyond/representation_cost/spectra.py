"""What is read off a trained network: singular values, ranks, Jacobians.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slides "Bottleneck
Structure on the Weights", "Convolutional Networks", "Minima stability".

How far weights are from products of semi-orthogonal matrices, and the bound on it: if ||theta||^2
<= k L + c_1 and Rank Jf(x) >= k, there are V_l of orthonormal columns, shape (w_l, k), with

    sum_l ||W_l - V_l V_(l-1)^T||_F^2 <= c_1 - 2 log |Jf(x)|_+ .

The slide prints V_(l+1) once and V_(l-1) once; V_(l-1) is what fits the shapes. |.|_+ is taken as
the product of the k largest singular values, for which the proof is the same: with V_L spanned by
the k left singular vectors of Jf and V_(l-1) by (W_l D_l-1)^T V_l, the traces of V_l^T W_l V_(l-1)
are at least k plus the logarithms of determinants whose product is |Jf|_+.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm_studies.beyond.representation_cost.configuration import LARGE
from srhm_studies.beyond.representation_cost.networks import Architecture, Parameters, activations

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

    singular_values: of Jf(x), the largest first, `rank` of them positive.
    """
    return squared_norm - rank * depth - 2 * sum(log(value) for value in singular_values[:rank])


# Directions of a representation with more than this part of the largest singular value count.
VISIBLE = 0.1


def middle_layers(depth: int) -> range:
    """Numbers l of the middle half of the weight matrices, 1 to L: those of the bottleneck."""
    first = depth // 4 + 1
    return range(first, max(first + 1, depth - depth // 4 + 1))


def singular_values(architecture: Architecture, weight: Tensor) -> NDArray[np.float64]:
    """Singular values of a layer by frequency, (frequencies, values), the largest first.

    At frequency omega those of sum_j w_j e^(-2 pi i omega j / n) over the filter; omega = 0 ...
    n / 2, of which those between stand for a pair. A fully connected layer has omega = 0 alone.
    """
    rows = weight.shape[0]
    taps = weight.double().view(rows, architecture.filter_size, -1).permute(1, 0, 2).numpy()
    offsets = np.arange(-architecture.reach, architecture.reach + 1)
    frequencies = np.arange(architecture.places // 2 + 1)
    phases = np.exp(2j * np.pi * np.outer(frequencies, offsets) / architecture.places)
    return np.linalg.svd(np.einsum("wj,joi->woi", phases, taps), compute_uv=False)


def n_large(values: NDArray[np.float64]) -> int:
    """Number of singular values that count as near 1."""
    return int(np.sum(values > LARGE))


def representation_values(layer_BC: Tensor) -> NDArray[np.float64]:
    """Singular values of a centred representation over sqrt(B), the largest first."""
    centred = layer_BC.double() - layer_BC.double().mean(0)
    return np.asarray(torch.linalg.svdvals(centred).numpy() / np.sqrt(len(layer_BC)))


def n_visible(values: NDArray[np.float64]) -> int:
    """Number of directions in which a representation is spread."""
    return int(np.sum(values > VISIBLE * values[0])) if values[0] > 0 else 0


def linear_parts(parameters: Parameters, x_BC: Tensor) -> tuple[Tensor, list[Tensor]]:
    """The linear map that a fully connected ReLU network is around each point.

    Jf, (B, out, in), and where the layers are above 0, (B, w_l) each.
    """
    layers = activations(parameters, x_BC)
    active = [layer > 0 for layer in layers[1:-1]]
    product = parameters.weights[0].expand(len(x_BC), -1, -1)
    for weight, on in zip(parameters.weights[1:], active, strict=True):
        product = weight @ (on[:, :, None] * product)
    return product, active


def parameter_jacobians(parameters: Parameters, x_BC: Tensor) -> tuple[Matrix, Matrix]:
    """||J_theta f(x)||_op^2 and ||J_theta f(x)||_F^2 of each point, (B,) each.

    From the tangent kernel's blocks. That of a point is sum_l (||alpha_(l-1)||^2 + 1) B_l B_l^T,
    B_l = df / dz_l; 1 is the bias.
    """
    layers = activations(parameters, x_BC)
    n, out = len(x_BC), parameters.weights[-1].shape[0]
    back = torch.eye(out, dtype=x_BC.dtype).expand(n, -1, -1)
    block = torch.zeros(n, out, out, dtype=x_BC.dtype)
    for number in reversed(range(parameters.architecture.depth)):
        size = layers[number].square().sum(1) + 1
        block += size[:, None, None] * (back @ back.transpose(1, 2))
        if number:
            back = (back @ parameters.weights[number]) * (layers[number] > 0)[:, None, :]
    eigenvalues = torch.linalg.eigvalsh(block.double()).numpy()
    return eigenvalues[:, -1], eigenvalues.sum(1)


def structure(
    parameters: Parameters, x_BC: Tensor, *, rank: int
) -> tuple[dict[str, float], Matrix | None]:
    """Both sides of the two bounds at k = rank, at the point x whose |Jf(x)|_+ is the largest.

    Besides ||W_l - V_l V_(l-1)^T||_F^2 of each layer at the minimum of its sum, `structure`.
    structure_of_proof: that sum at the proof's V; structure_bound: c_1 - 2 log |Jf(x)|_+. signal:
    sum_l ||alpha_(l-1)(x)||^2; signal_bound: ||J_theta f(x)||_F^2 e^(2 c_1 / k) /
    (k |Jf(x)|_+^(2/k)), slide "Convergence of the representations" with c L =
    ||J_theta f(x)||_F^2. Nothing where no point has a Jacobian of that rank.
    """
    jacobians, all_active = linear_parts(parameters, x_BC)
    values = np.linalg.svd(jacobians.double().numpy(), compute_uv=False)[:, :rank]
    if values.shape[1] < rank or not np.any(values[:, -1] > 0):
        return {}, None
    logs = np.full(len(values), -np.inf)
    positive = values[:, -1] > 0
    logs[positive] = np.log(values[positive]).sum(1)
    point = int(np.argmax(logs))
    weights = [weight.double().numpy() for weight in parameters.weights]
    active = [on[point].numpy() for on in all_active]
    start = bases_of_jacobian(weights, active, rank=rank)
    bases = closest_bases(weights, start)
    squared_norm = float(parameters.theta.double().square().sum())
    depth = parameters.architecture.depth
    at = x_BC[point : point + 1]
    layers = activations(parameters, at)[:-1]
    derivative = float(parameter_jacobians(parameters, at)[1][0])
    excess, apart = squared_norm - rank * depth, distance(weights, bases)
    return {
        "structure": float(apart.sum()),
        "structure_of_proof": float(distance(weights, start).sum()),
        "structure_bound": bound(squared_norm, values[point], depth=depth, rank=rank),
        "log_jacobian": float(logs[point]),
        "signal": float(sum(layer.double().square().sum() for layer in layers)),
        "signal_bound": derivative / rank * exp(2 * (excess - logs[point]) / rank),
    }, apart


def mean_large(architecture: Architecture, weights: Sequence[Tensor]) -> float:
    """Mean number of singular values near 1 over the middle layers: the bottleneck's rank."""
    layers = middle_layers(architecture.depth)
    counts = [n_large(singular_values(architecture, weights[number - 1])) for number in layers]
    return float(np.mean(counts))
