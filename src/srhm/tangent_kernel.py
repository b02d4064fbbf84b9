"""Tangent kernels: of a fully connected ReLU net of infinite width, and of any module of PyTorch.

>>> import numpy as np
>>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
>>> infinite_width_kernel(x, depth=1).round(4).tolist()
[[0.5, 0.0796], [0.0796, 0.5]]

The first loads NumPy alone.
"""

from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from srhm.declare.names import extra
from srhm.model.grammar import whole

if TYPE_CHECKING:
    from torch import Tensor, nn


def infinite_width_kernel(
    x: ArrayLike, other: ArrayLike | None = None, *, depth: int, biased: bool = False
) -> NDArray[np.float64]:
    """Theta(x, x') of a fully connected ReLU net with `depth` hidden layers, before training.

    The net is that of Eq. 9: each layer is sigma(W f / sqrt(inputs)), the output W f / sqrt(H), all
    weights standard Gaussians, biases 0. No factor of 2 makes up for the ReLU: K halves with each
    layer. With K_0 = Theta_0 = x.x'/d,

        K_k = sqrt(K K') (sin t + (pi - t) cos t) / (2 pi)
        Theta_k = K_k + Theta_(k-1) (pi - t) / (2 pi),

    K, K' and t the squared lengths of x and x' and the angle between them in layer k-1 (arc-cosine
    kernels of Cho and Saul, 2009; Jacot et al., 2018). Each Theta_k is larger by 1 with biases. A
    net of width H differs from it by 1/sqrt(H); with 1/H in the output, Eq. 10, its kernel is H
    times as small.

    Args:
        x: (n, d), or more axes, which are flattened, as one-hot places (n, d, v) are.
        other: (m, d), alike; without it x itself.
        depth: number of hidden layers.
        biased: whether each layer has a bias.

    Returns:
        The kernel, (n, m).

    Raises:
        TypeError: if the depth is no whole number.
        ValueError: if there is no hidden layer, or the inputs do not have one size.
    """
    depth = whole(depth, "depth", least=1)
    left = _rows(x)
    right = left if other is None else _rows(other)
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"inputs of {left.shape[1]} and {right.shape[1]} values: allowed are inputs of one size"
        )
    covariance = left @ right.T / left.shape[1]
    lengths = np.sqrt(np.outer((left**2).mean(axis=1), (right**2).mean(axis=1)))
    theta = covariance + biased
    for _ in range(depth):
        # An input of zeros has no angle to others; of ReLU at 0 PyTorch takes the slope 0.
        cosine = np.divide(covariance, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        angle = np.arccos(cosine.clip(-1, 1))
        slope = np.where(lengths > 0, (pi - angle) / (2 * pi), 0)
        covariance = lengths * (np.sin(angle) / (2 * pi) + slope * np.cos(angle))
        lengths = lengths / 2
        theta = covariance + biased + theta * slope
    return theta


def empirical_kernel(network: "nn.Module", x: "Tensor", other: "Tensor | None" = None) -> "Tensor":
    """Theta(x, x') of any module with its weights of now: grad f_o(x) . grad f_q(x').

    The gradients are held at once: n times outputs times weights.

    Args:
        network: gives (n, outputs) or (n,) of inputs (n, ...), each of its own point alone; put a
            network with batch norm into eval mode.
        x: (n, ...), inputs.
        other: (m, ...), further inputs; without it x itself.

    Returns:
        The kernel, (n, outputs, m, outputs).
    """
    with extra("torch"):
        import torch
        from torch.func import functional_call, jacrev, vmap

    weights = {name: parameter.detach() for name, parameter in network.named_parameters()}

    def output(own: "dict[str, Tensor]", point: "Tensor") -> "Tensor":
        return functional_call(network, own, (point[None],))[0].reshape(-1)

    def gradients(points: "Tensor") -> "list[Tensor]":
        jacobians = vmap(jacrev(output), (None, 0))(weights, points)
        return [jacobian.flatten(2) for jacobian in jacobians.values()]

    of_x = gradients(x)
    of_other = of_x if other is None else gradients(other)
    parts = [torch.einsum("nop,mqp->nomq", a, b) for a, b in zip(of_x, of_other, strict=True)]
    return torch.stack(parts).sum(dim=0)


def _rows(x: ArrayLike) -> NDArray[np.float64]:
    points = np.asarray(x, dtype=np.float64)
    if points.ndim < 2:
        raise ValueError(f"inputs of shape {points.shape}: allowed are (n, d), or more axes")
    return points.reshape(len(points), -1)
