"""The sparse engine: the SGD of the reference, at the cost of the weights that a batch needs.

Without bias an empty patch is zero at every layer, so that a datum touches the weights of its own
derivation tree only: s^L rows of the first layer, which is a sum of embeddings, and of layer k the
rows of the active channels (ReLU) at s^(L-k+1) places. Momentum carries all other weights on along
a closed form; a row is brought up to date when it is next read. The result is that of dense SGD,
up to the order of floating-point sums, and depends on no thread.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.model.sampling import Derivations
from srhm.networks.geometry import Geometry
from srhm.training import sparse_kernels as kernels

# Powers of the momentum below this are zero.
SMALLEST_POWER = 1e-30
# Points that are evaluated at once: those that share weights share the reading of them.
EVALUATION_BATCH = 64


def momentum_tables(rate: float, momentum: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """What t = 0, 1, ... steps of rest do to a weight and to its momentum m, in float64.

    The weight moves by -catch_up[t] m with catch_up[t] = eta mu (1 - mu^t)/(1 - mu), and the next
    gradient meets decays[t] m with decays[t] = mu^(t+1). Powers below 1e-30 are zero; the last
    entry holds for all longer rests.

    Raises:
        ValueError: unless 0 <= momentum < 1.
    """
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum = {momentum}: allowed are 0 to below 1")
    length = 1 if momentum == 0 else int(np.ceil(np.log(SMALLEST_POWER) / np.log(momentum)))
    powers = momentum ** np.arange(length + 2.0)
    powers[powers < SMALLEST_POWER] = 0
    return rate * momentum * (1 - powers[:-1]) / (1 - momentum), powers[1:]


class SparseEngine:
    """SGD with momentum on the mean cross-entropy of a batch.

    Memory: weights, momenta and stamps, the trees of the data, and a few rows for each point of a
    batch. Engines share nothing, and compiled calls release the GIL: run them in threads.
    """

    steps_at_once = 500

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
        self._labels = train.labels.astype(np.int64)
        self._test_labels = test.labels.astype(np.int64)
        self._bases, self._test_bases = _bases(geometry, train), _bases(geometry, test)
        self._network = _network(geometry, dtype)
        self._room = _room(geometry, self._network, batch_size)
        self._state = _state(geometry, weights, dtype, with_momenta=True)
        self._rates = _rates(rate, momentum, dtype)
        self._steps = 0

    def steps(self, order: NDArray[np.integer]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them.

        Ends at the first batch whose loss is not finite, and returns that.
        """
        summed = kernels.train(
            order.astype(np.int64),
            self._batch_size,
            self._bases,
            self._labels,
            self._steps,
            self._state,
            self._rates,
            self._network,
            self._room,
        )
        self._steps += -(-len(order) // self._batch_size)
        return float(summed)

    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        right = 0
        batches = _evaluate(
            self._geometry, self._test_bases, self._steps, self._state, self._rates, self._network
        )
        for points, _, logits in batches:
            label_logits = np.take_along_axis(logits, self._test_labels[points, None], axis=1)
            right += int(((logits >= label_logits).sum(axis=1) == 1).sum())
        return 1 - right / len(self._test_labels)

    def weights(self) -> dict[str, NDArray[Any]]:
        """Copies of the weights by name of layer, all brought up to date."""
        rows = self._state.weights.copy()
        kernels.catch_up(rows, self._steps, self._state, self._rates)
        by_layer = {}
        shapes = self._geometry.weight_shapes()
        for k, first in enumerate(_first_rows(self._geometry), start=1):
            n_slots, n_inputs, width = shapes[f"layer{k}"]
            by_layer[f"layer{k}"] = rows[first : first + n_slots * n_inputs].reshape(
                n_slots, n_inputs, width
            )
        by_layer["readout"] = np.ascontiguousarray(self._state.readout.T)
        return by_layer

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of weights and momenta as they lie there, with the stamps of the rows."""
        arrays = {name: array.copy() for name, array in self._state._asdict().items()}
        return {**arrays, "steps": np.array([self._steps])}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts weights, momenta, stamps and number of steps where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this engine.
        """
        arrays = self._state._asdict()
        if state.keys() != {*arrays, "steps"}:
            raise ValueError(f"a state of {sorted(state)} is not one of {sorted(arrays)}")
        for name, array in arrays.items():
            if array.shape != state[name].shape or array.dtype != state[name].dtype:
                raise ValueError(f"{name}: {state[name].dtype}{state[name].shape} does not fit")
            array[...] = state[name]
        self._steps = int(state["steps"][0])


def representations(
    geometry: Geometry,
    weights: Mapping[str, NDArray[Any]],
    data: Derivations,
    *,
    dtype: type = np.float32,
) -> list[NDArray[Any]]:
    """Hidden layers f_1 ... f_L after ReLU at the active places, then the logits (n, n_c).

    Layer k has shape (n, s^(L-k), H), places in the order of the tree; all other places are zero.
    A fully connected layer has one place.
    """
    network = _network(geometry, dtype)
    nodes = network.n_inputs // network.arities
    outputs = [np.empty((len(data), k, geometry.width), dtype) for k in nodes]
    outputs.append(np.empty((len(data), geometry.n_classes), dtype))
    factors = network.scales.copy()
    factors[0] /= geometry.layers[0].scale  # see _network
    state = _state(geometry, weights, dtype, with_momenta=False)
    rates = _rates(0.0, 0.0, dtype)
    bases = _bases(geometry, data)
    for points, layers, logits in _evaluate(geometry, bases, 0, state, rates, network):
        for k, layer in enumerate(layers):
            np.divide(layer, factors[k], out=outputs[k][points])
        outputs[-1][points] = logits
    return outputs


def _evaluate(
    geometry: Geometry,
    bases: NDArray[np.int32],
    steps: int,
    state: kernels.State,
    rates: kernels.Rates,
    network: kernels.Sizes,
) -> Iterator[tuple[slice, list[NDArray[Any]], NDArray[Any]]]:
    """Batches of points: which, their scaled activations by layer, and their logits.

    The arrays are overwritten by the next batch.
    """
    room = _room(geometry, network, EVALUATION_BATCH)
    all_points = np.arange(len(bases))
    nodes = network.n_inputs // network.arities
    for start in range(0, len(bases), EVALUATION_BATCH):
        n = min(EVALUATION_BATCH, len(bases) - start)
        kernels.gather_bases(bases, all_points, start, n, network, room)
        kernels.forward(state, steps + 1, rates, network, room, n)
        layers = [
            room.activations[first : first + n * k].reshape(n, k, geometry.width)
            for first, k in zip(room.first_nodes, nodes, strict=True)
        ]
        yield slice(start, start + n), layers, room.logits[:n]


def _first_rows(geometry: Geometry) -> list[int]:
    """Row of the first weight of each layer, and the number of rows."""
    sizes = [layer.n_slots * layer.n_inputs for layer in geometry.layers]
    return [sum(sizes[:k]) for k in range(len(sizes))]


def _bases(geometry: Geometry, data: Derivations) -> NDArray[np.int32]:
    """Rows that the active inputs meet (n, inputs of all layers); in layer 1 of their feature."""
    slots = geometry.slots(data.positions)
    bases = [
        first + slot * layer.n_inputs
        for first, slot, layer in zip(_first_rows(geometry), slots, geometry.layers, strict=True)
    ]
    bases[0] = bases[0] + data.features
    return np.concatenate(bases, axis=1, dtype=np.int32, casting="same_kind")


def _network(geometry: Geometry, dtype: type) -> kernels.Sizes:
    layers = geometry.layers
    arities = np.array([layer.arity for layer in layers], dtype=np.int64)
    scales = np.array([layer.scale for layer in layers[1:]] + [1 / geometry.width])
    scales[0] *= layers[0].scale  # ReLU passes a factor: that of the embeddings is applied after it
    n_inputs = np.cumprod(arities[::-1])[::-1].copy()
    return kernels.Sizes(
        arities=arities,
        n_inputs=n_inputs,
        first_inputs=np.cumsum(n_inputs) - n_inputs,
        scales=scales.astype(dtype),
    )


def _room(geometry: Geometry, network: kernels.Sizes, n_points: int) -> kernels.Room:
    return kernels.room_for(n_points, network, width=geometry.width, n_classes=geometry.n_classes)


def _state(
    geometry: Geometry,
    weights: Mapping[str, NDArray[Any]],
    dtype: type,
    *,
    with_momenta: bool,
) -> kernels.State:
    """Weights as rows; without momenta, every row is up to date and none is ever read."""
    names = [f"layer{k}" for k in range(1, len(geometry.layers) + 1)]
    n_rows = sum(weights[name].shape[0] * weights[name].shape[1] for name in names)
    rows = kernels.aligned((n_rows, geometry.width), dtype)
    for name, first in zip(names, _first_rows(geometry), strict=True):
        layer = weights[name].reshape(-1, geometry.width)
        rows[first : first + len(layer)] = layer
    readout = kernels.aligned(weights["readout"].T.shape, dtype)
    readout[...] = weights["readout"].T
    return kernels.State(
        weights=rows,
        momenta=kernels.aligned(rows.shape, dtype) if with_momenta else rows,
        stamps=np.zeros(n_rows, dtype=np.int32),
        readout=readout,
        readout_momenta=kernels.aligned(readout.shape, dtype),
    )


def _rates(rate: float, momentum: float, dtype: type) -> kernels.Rates:
    catch_up, decays = momentum_tables(rate, momentum)
    scalar = np.dtype(dtype).type
    return kernels.Rates(
        eta=scalar(rate),
        mu=scalar(momentum),
        catch_up=catch_up.astype(dtype),
        decays=decays.astype(dtype),
    )
