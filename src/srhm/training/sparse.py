"""The sparse engine: the same SGD as the reference, at the cost of the weights that a batch needs.

Without bias an empty patch is zero at every layer, so that a datum touches the weights of its own
derivation tree only: s^L rows of the first layer, which is a sum of embeddings, and the rows of
the active channels (ReLU) of s^(L-k+1) places of layer k. Momentum moves all other weights on
along a closed form; a row is brought up to date when it is next read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from srhm.architectures.geometry import Geometry
from srhm.sampling import Derivations
from srhm.training import sparse_kernels as kernels

# Powers of the momentum below this are zero.
SMALLEST_POWER = 1e-30
# Points that an evaluation works on at once; those that share weights share the reading of them.
EVALUATION_BATCH = 64


@dataclass(frozen=True)
class _Plan:
    """A geometry as the kernels read it.

    first_rows: row of the first weight of each layer; scales: factor of the activations of each
    layer (scale of the next one, 1/H for the last, and of the first one its own, too).
    """

    first_rows: tuple[int, ...]
    n_rows: int
    arities: NDArray[np.int64]
    n_inputs: NDArray[np.int64]
    scales: NDArray[Any]


def _plan(geometry: Geometry, dtype: DTypeLike) -> _Plan:
    layers = geometry.layers
    sizes = [layer.n_slots * layer.n_inputs for layer in layers]
    n_inputs = [1]  # active inputs, from the top down
    for layer in reversed(layers):
        n_inputs.append(n_inputs[-1] * layer.arity)
    scales = [layer.scale for layer in layers[1:]] + [1 / geometry.width]
    scales[0] *= layers[0].scale
    return _Plan(
        first_rows=tuple(int(n) for n in np.cumsum([0, *sizes[:-1]])),
        n_rows=sum(sizes),
        arities=np.array([layer.arity for layer in layers], dtype=np.int64),
        n_inputs=np.array(n_inputs[:0:-1], dtype=np.int64),
        scales=np.array(scales, dtype=dtype),
    )


def _bases(geometry: Geometry, plan: _Plan, data: Derivations) -> NDArray[np.int32]:
    """Row that the first channel of each active input meets, (n, inputs of all layers)."""
    columns = []
    slots = geometry.slots(data.positions)
    for k, (layer, first) in enumerate(zip(geometry.layers, plan.first_rows, strict=True)):
        base = first + slots[k] * layer.n_inputs
        columns.append(base + data.features if k == 0 else base)
    return np.ascontiguousarray(np.concatenate(columns, axis=1).astype(np.int32))


def _rows(
    geometry: Geometry, weights: Mapping[str, NDArray[Any]], dtype: DTypeLike
) -> NDArray[Any]:
    """Weights of all hidden layers as rows of one array (rows, H)."""
    names = [f"layer{k}" for k in range(1, len(geometry.layers) + 1)]
    return np.concatenate([weights[n].reshape(-1, geometry.width) for n in names]).astype(dtype)


def momentum_tables(rate: float, momentum: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """What a rest of t = 0, 1, ... steps does to a weight and its momentum m, in float64.

    The weight moves by -catch_up[t] m, catch_up[t] = rate mu (1 - mu^t)/(1 - mu), and the next
    gradient meets decays[t] m, decays[t] = mu^(t+1). The last entry holds for all longer rests.
    Powers below 1e-30 are zero.

    Raises:
        ValueError: unless 0 <= momentum < 1.
    """
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum = {momentum}: allowed are 0 to below 1")
    length = 1 if momentum == 0 else int(np.ceil(np.log(SMALLEST_POWER) / np.log(momentum)))
    powers = np.append(momentum ** np.arange(length + 1.0), 0.0)
    powers[powers < SMALLEST_POWER] = 0
    return rate * momentum * (1 - powers[:-1]) / (1 - momentum), powers[1:]


class SparseEngine:
    """SGD with momentum on the mean cross-entropy of a batch; see the module."""

    def __init__(
        self,
        geometry: Geometry,
        weights: Mapping[str, NDArray[Any]],
        train: Derivations,
        test: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
    ) -> None:
        self._geometry, self._batch_size = geometry, batch_size
        self._plan = _plan(geometry, dtype)
        self._labels = train.labels.astype(np.int32)
        self._bases = _bases(geometry, self._plan, train)
        self._test_labels = test.labels.astype(np.int64)
        self._test_bases = _bases(geometry, self._plan, test)
        self._weights = _rows(geometry, weights, dtype)
        self._momenta = np.zeros_like(self._weights)
        self._stamps = np.zeros(len(self._weights), dtype=np.int64)
        self._readout = np.ascontiguousarray(weights["readout"].T.astype(dtype))
        self._readout_momenta = np.zeros_like(self._readout)
        self._eta, self._mu = np.dtype(dtype).type(rate), np.dtype(dtype).type(momentum)
        catch_up, decays = momentum_tables(rate, momentum)
        self._catch_up, self._decays = catch_up.astype(dtype), decays.astype(dtype)
        self._steps = 0

    def steps(self, order: NDArray[np.integer]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        plan = self._plan
        summed = kernels.train(
            order.astype(np.int64), self._batch_size, self._labels, self._bases, self._weights,
            self._momenta, self._stamps, self._readout, self._readout_momenta, self._steps,
            self._eta, self._mu, self._catch_up, self._decays, plan.arities, plan.n_inputs,
            plan.scales,
        )  # fmt: skip
        self._steps += -(-len(order) // self._batch_size)
        return float(summed)

    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        logits = np.empty((len(self._test_labels), self._geometry.n_classes), self._weights.dtype)
        plan = self._plan
        kernels.evaluate(
            np.arange(len(logits)), EVALUATION_BATCH, self._test_bases, self._weights,
            self._momenta, self._stamps, self._steps, self._readout, self._catch_up, plan.arities,
            plan.n_inputs, plan.scales, np.empty((0, 0, 0), self._weights.dtype), logits,
        )  # fmt: skip
        own = np.take_along_axis(logits, self._test_labels[:, None], axis=1)
        right = (logits >= own).sum(axis=1) == 1
        return 1 - float(right.mean())

    def weights(self) -> dict[str, NDArray[Any]]:
        """Copies of the weights by name of layer, all brought up to date."""
        rows = self._weights.copy()
        kernels.catch_up_rows(rows, self._momenta, self._stamps, self._steps, self._catch_up)
        found = {}
        shapes = self._geometry.weight_shapes()
        for k, first in enumerate(self._plan.first_rows, start=1):
            shape = shapes[f"layer{k}"]
            found[f"layer{k}"] = rows[first : first + shape[0] * shape[1]].reshape(shape)
        found["readout"] = np.ascontiguousarray(self._readout.T)
        return found
