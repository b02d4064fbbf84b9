"""The dense engine: the SGD of the reference with gradients by hand, for inputs without zeros.

With whitening or biases no patch is zero, so that the sparse engine does not apply. Networks and
batches are small, and nearly all the time of an autograd step is overhead: a step here is the same
products of matrices, in NumPy.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.model.encoding import one_hot
from srhm.networks.geometry import BIAS_SCALE, Layer
from srhm.training.reference import ReferenceEngine

Array = NDArray[Any]


class Parameter(NamedTuple):
    """Weights or biases and their momentum, both in the memory of PyTorch's."""

    value: Array
    momentum: Array


class DenseEngine(ReferenceEngine):
    """SGD with momentum on the mean cross-entropy of a batch; arguments of `ReferenceEngine`."""

    def __init__(self, *arguments: Any, rate: float, momentum: float, **options: Any) -> None:
        super().__init__(*arguments, rate=rate, momentum=momentum, **options)
        self._rate, self._mu = rate, momentum
        self._layers = self._geometry.layers
        self._scalar: Any = np.float64 if self._dtype == torch.float64 else np.float32
        self._share_momenta()

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        data = self._train[order]
        x = one_hot(data, self._geometry.parameters, whitening=self._whitening)
        x, y = x.astype(self._scalar, copy=False), data.labels.astype(np.int64)
        summed = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # a divergence shows in the loss
            for start in range(0, len(order), self._batch_size):
                batch = slice(start, start + self._batch_size)
                summed += self._step(x[batch], y[batch])
        return summed

    def restore(self, state: Mapping[str, Array]) -> None:
        """As `ReferenceEngine.restore`."""
        super().restore(state)
        self._share_momenta()

    def _share_momenta(self) -> None:
        """Momenta where the optimiser looks for them, zero as far as there are none."""
        self._parameters = dict[str, Parameter]()
        for name, parameter in self.network.named_parameters():
            parameter_state = self._optimiser.state[parameter]
            parameter_state.setdefault("momentum_buffer", torch.zeros_like(parameter))
            self._parameters[name] = Parameter(
                parameter.detach().numpy(), parameter_state["momentum_buffer"].numpy()
            )

    def _step(self, x_BDC: Array, y_B: Array) -> float:
        """Summed cross-entropy of one batch; trains on it."""
        n, width = len(y_B), self._geometry.width
        seen, layers = [], []
        f_BDH = x_BDC
        for k, layer in enumerate(self._layers, start=1):
            seen.append(_patches(f_BDH, layer))
            f_BDH = self._forward(k, layer, seen[-1], n)
            layers.append(f_BDH)
        readout = self._parameters["weights.readout"].value
        f_BH = f_BDH[:, 0]
        loss, slope_BA = _cross_entropy(f_BH @ readout / self._scalar(width), y_B)
        slope_BA /= self._scalar(width)
        slope_BDH = (slope_BA @ readout.T)[:, None]
        self._descend("weights.readout", f_BH.T @ slope_BA)
        for k in range(len(self._layers), 0, -1):
            slope_BDH = self._backward(k, seen[k - 1], layers[k - 1], slope_BDH)
        return loss

    def _forward(self, k: int, layer: Layer, x: Array, n: int) -> Array:
        """f_k (n, places, H) of what its filters see."""
        weights = self._weights(k, x)
        pre = x @ weights
        if x.ndim == 3:  # places first
            pre = pre.transpose(1, 0, 2)
        pre_BDH = pre.reshape(n, layer.n_places, -1) * self._scalar(layer.scale)
        bias = self._parameters.get(f"biases.layer{k}")
        if bias is not None:
            pre_BDH += self._scalar(BIAS_SCALE) * bias.value
        return np.maximum(pre_BDH, 0, out=pre_BDH)

    def _backward(self, k: int, x: Array, f_BDH: Array, slope_BDH: Array) -> Array:
        """Slope of the loss at the inputs of layer k; trains the layer."""
        n, n_places, width = f_BDH.shape
        slope_BDH = slope_BDH * (f_BDH > 0)
        if f"biases.layer{k}" in self._parameters:
            self._descend(f"biases.layer{k}", slope_BDH.sum(axis=0) * self._scalar(BIAS_SCALE))
        slope_BDH *= self._scalar(self._layers[k - 1].scale)
        weights = self._weights(k, x)
        if x.ndim == 3:
            slope = slope_BDH.transpose(1, 0, 2)
            gradient = x.transpose(0, 2, 1) @ slope
            below = (slope @ weights.transpose(0, 2, 1)).transpose(1, 0, 2) if k > 1 else slope
        else:
            slope = slope_BDH.reshape(n * n_places, width)
            gradient = x.T @ slope
            below = slope @ weights.T if k > 1 else slope
        value = self._parameters[f"weights.layer{k}"].value
        by_filter = gradient.reshape(-1, *value.shape[1:])
        self._descend(f"weights.layer{k}", self._layers[k - 1].summed(by_filter))
        return below.reshape(n, -1, width)

    def _weights(self, k: int, x: Array) -> Array:
        """Weights of layer k as what its inputs are multiplied with: (K C, H), or one a place."""
        filters = self._layers[k - 1].filters(self._parameters[f"weights.layer{k}"].value)
        return filters.reshape(*x.shape[:-2], x.shape[-1], self._geometry.width)

    def _descend(self, name: str, gradient: Array) -> None:
        """One step of SGD: m <- mu m + gradient, w <- w - rate m."""
        value, momentum = self._parameters[name]
        momentum *= self._scalar(self._mu)
        momentum += gradient
        value -= self._scalar(self._rate) * momentum


def _patches(x_BDC: Array, layer: Layer) -> Array:
    """What filters see: (n places, K C), or (places, n, K C) if each place has its own weights."""
    n = len(x_BDC)
    if layer.n_filters > 1:
        return x_BDC.reshape(n, layer.n_places, -1).transpose(1, 0, 2)
    return x_BDC.reshape(n * layer.n_places, -1)


def _cross_entropy(logits_BA: Array, y_B: Array) -> tuple[float, Array]:
    """Sum over the batch, and the slope of its mean at the logits."""
    rows = np.arange(len(y_B))
    shifted = logits_BA - logits_BA.max(axis=1, keepdims=True)
    slope = np.exp(shifted)
    sums = slope.sum(axis=1, keepdims=True)
    summed = float((np.log(sums[:, 0]) - shifted[rows, y_B]).sum())
    slope /= sums
    slope[rows, y_B] -= 1
    slope /= len(y_B)
    return summed, slope
