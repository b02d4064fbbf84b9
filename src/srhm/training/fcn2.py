"""Training of the FCN of the published figures: dense products in NumPy, gradients by hand."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.model.encoding import one_hot
from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations
from srhm.networks.fcn2 import activations, connected_weights, fcn2
from srhm.networks.geometry import BIAS_SCALE

Array = NDArray[Any]
# Test points in memory at once.
TEST_BATCH = 1024
MOMENTUM_OF = "momentum of "


class Fcn2Engine:
    """SGD with momentum on the mean cross-entropy of a batch."""

    steps_at_once = 200

    def __init__(
        self,
        parameters: GrammarParameters,
        weights: Mapping[str, Array],
        train: Derivations,
        test: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
        whitening: bool = False,
    ) -> None:
        self._parameters, self._train, self._test = parameters, train, test
        self._batch_size, self._whitening, self._dtype = batch_size, whitening, np.dtype(dtype)
        self._width = len(weights["readout"])
        self._layers = fcn2(parameters, width=self._width)
        self._rate, self._mu = (self._dtype.type(number) for number in (rate, momentum))
        self._weights: dict[str, Array] = {
            name: array.astype(dtype) for name, array in weights.items()
        }
        self._momenta = {name: np.zeros_like(array) for name, array in self._weights.items()}
        self._scratch = {name: np.empty_like(array) for name, array in self._weights.items()}

    @classmethod
    def of_cell(
        cls,
        cell: Mapping[str, Any],
        parameters: GrammarParameters,
        train: Derivations,
        test: Derivations,
        *,
        generator: np.random.Generator,
        **options: Any,
    ) -> "Fcn2Engine":
        """The engine of a cell, with the weights of the seed's stream of initialisation."""
        width = cell["width"]
        weights = connected_weights(parameters, width=width, bias=cell["bias"], generator=generator)
        # The rate of the paper is for outputs of 1/H.
        return cls(parameters, weights, train, test, rate=cell["learning_rate"] * width, **options)

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        x, y = self._inputs(self._train[order])
        summed = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # a divergence shows in the loss
            for start in range(0, len(order), self._batch_size):
                batch = slice(start, start + self._batch_size)
                summed += self._step(x[batch], y[batch])
        return summed

    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        right = 0
        for start in range(0, len(self._test), TEST_BATCH):
            x, y = self._inputs(self._test[start : start + TEST_BATCH])
            logits = activations(self._weights, x, self._parameters, self._width)[-1]
            label_logits = np.take_along_axis(logits, y[:, None], axis=1)
            right += int(((logits >= label_logits).sum(axis=1) == 1).sum())
        return 1 - right / len(self._test)

    def weights(self) -> dict[str, Array]:
        """Copies of weights and biases by name."""
        return {name: array.copy() for name, array in self._weights.items()}

    def state(self) -> dict[str, Array]:
        """Copies of weights and momenta."""
        momenta = {MOMENTUM_OF + name: array.copy() for name, array in self._momenta.items()}
        return {**self.weights(), **momenta}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Puts weights and momenta where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this engine.
        """
        arrays = {**self._weights, **{MOMENTUM_OF + n: p for n, p in self._momenta.items()}}
        if state.keys() != arrays.keys():
            raise ValueError(f"a state of {sorted(state)} is not one of {sorted(arrays)}")
        for name, array in arrays.items():
            if array.shape != state[name].shape or array.dtype != state[name].dtype:
                raise ValueError(f"{name}: {state[name].dtype}{state[name].shape} does not fit")
            array[...] = state[name]

    def _inputs(self, data: Derivations) -> tuple[Array, NDArray[np.int64]]:
        """Inputs (n, d v) and labels (n,)."""
        x = one_hot(data, self._parameters, whitening=self._whitening).reshape(len(data), -1)
        return x.astype(self._dtype, copy=False), data.labels.astype(np.int64)

    def _step(self, x: Array, y: NDArray[np.int64]) -> float:
        """Summed cross-entropy of one batch; trains on it."""
        weights, rows = self._weights, np.arange(len(y))
        *hidden, logits = activations(weights, x, self._parameters, self._width)
        logits -= logits.max(axis=1, keepdims=True)
        slope = np.exp(logits)
        sums = slope.sum(axis=1, keepdims=True)
        summed = float((np.log(sums[:, 0]) - logits[rows, y]).sum())
        slope /= sums
        slope[rows, y] -= 1
        slope /= self._dtype.type(len(y) * self._width)
        back = slope @ weights["readout"].T
        self._descend("readout", hidden[-1].T @ slope)
        seen = [x, *hidden]
        for k in range(len(hidden), 0, -1):
            back *= seen[k] > 0
            if f"layer{k}.bias" in weights:
                self._descend(f"layer{k}.bias", back.sum(axis=0) * self._dtype.type(BIAS_SCALE))
            back *= self._dtype.type(self._layers[k - 1].scale)
            gradient = seen[k - 1].T @ back
            back = back @ weights[f"layer{k}"].T if k > 1 else back
            self._descend(f"layer{k}", gradient)
        return summed

    def _descend(self, name: str, gradient: Array) -> None:
        """One step of SGD: m <- mu m + gradient, w <- w - rate m."""
        momentum, scratch = self._momenta[name], self._scratch[name]
        momentum *= self._mu
        momentum += gradient
        self._weights[name] -= np.multiply(momentum, self._rate, out=scratch)
