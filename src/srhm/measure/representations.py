"""Layers of LCN, CNN and FCN from their weights, as sensitivities see them.

Without biases and whitening only the places of a datum's derivation tree are not zero, s^(L-k) of
them in layer k, and the networks are evaluated there only.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.measure.cells import measure_stored
from srhm.measure.sensitivity import Probe, Representation, one_node
from srhm.model.encoding import one_hot
from srhm.model.grammar import parameters_of
from srhm.model.sampling import Derivations
from srhm.networks import fcn2
from srhm.networks.geometry import BIAS_SCALE, Geometry
from srhm.networks.registry import CONNECTED
from srhm.training import sparse
from srhm.training.cell import geometry_of


def hierarchical_probe(
    weights: Mapping[str, NDArray[np.floating]], geometry: Geometry, *, whitening: bool = False
) -> Probe:
    """How sensitivities see an LCN, CNN or FCN: hidden layers "1" ... "L", and "output"."""
    hidden = [str(k) for k in range(1, len(geometry.layers) + 1)]
    parameters, n_nodes, n_places = geometry.parameters, geometry.parameters.n_leaves, 0
    for layer in geometry.layers:
        n_nodes //= layer.arity
        n_places += n_nodes
    values_per_point = n_places * geometry.width
    if whitening or "layer1.bias" in weights:
        n_places = sum(layer.n_places for layer in geometry.layers)
        inputs = parameters.input_length * parameters.n_features
        values_per_point = inputs + n_places * geometry.width
    return Probe(
        layers=(*hidden, "output"),
        represent=lambda data: layer_representations(weights, geometry, data, whitening=whitening),
        values_per_point=values_per_point,
    )


def probe_of_cell(cell: Mapping[str, Any], weights: Mapping[str, NDArray[np.floating]]) -> Probe:
    """The network of a cell with these weights."""
    if cell["net"] in CONNECTED:
        return connected_probe(cell, weights)
    return hierarchical_probe(weights, geometry_of(cell), whitening=cell["whitening"])


def connected_probe(cell: Mapping[str, Any], weights: Mapping[str, NDArray[np.floating]]) -> Probe:
    """How sensitivities see a net of `registry.CONNECTED`: units of each layer, and "output"."""
    parameters, width = parameters_of(cell), cell["width"]
    layers = fcn2.fcn2(parameters, width=width)

    def represent(data: Derivations) -> list[Representation]:
        x = one_hot(data, parameters, whitening=cell["whitening"]).reshape(len(data), -1)
        return [one_node(f) for f in fcn2.activations(weights, x, parameters, width)]

    return Probe(
        layers=(*(str(k) for k in range(1, len(layers) + 1)), "output"),
        represent=represent,
        values_per_point=layers[0].n_inputs + sum(layer.n_units for layer in layers),
    )


def layer_representations(
    weights: Mapping[str, NDArray[np.floating]],
    geometry: Geometry,
    data: Derivations,
    *,
    whitening: bool = False,
) -> list[Representation]:
    """Hidden layers f_1 ... f_L after ReLU, then the logits (Eq. 9, 10), from weights by name.

    Evaluated at the places of the derivation trees, or everywhere if the weights hold biases
    (`layer1.bias` ...) or the input is whitened, as an empty patch is not zero then.
    """
    if not whitening and "layer1.bias" not in weights:
        return _sparse(weights, geometry, data)
    hidden = _dense(weights, geometry, data, whitening)
    last = hidden[-1].values[:, 0]
    logits = last @ weights["readout"] / geometry.width  # Eq. 10: summed over channels, over H
    return [*hidden, one_node(logits)]


def _sparse(
    weights: Mapping[str, NDArray[np.floating]], geometry: Geometry, data: Derivations
) -> list[Representation]:
    """As the engine evaluates its test set: at the active places of each datum only."""
    dtype = weights["readout"].dtype.type
    *hidden, logits = sparse.representations(geometry, weights, data, dtype=dtype)
    layers: list[Representation] = []
    places = data.positions
    for values, layer in zip(hidden, geometry.layers, strict=True):
        places = places[:, :: layer.arity] // layer.filter_size
        layers.append(Representation(values, places, layer.n_places))
    return [*layers, one_node(logits)]


def _dense(
    weights: Mapping[str, NDArray[np.floating]],
    geometry: Geometry,
    data: Derivations,
    whitening: bool,
) -> list[Representation]:
    n, hidden = len(data), []
    x_BDC = one_hot(data, geometry.parameters, whitening=whitening)
    for k, layer in enumerate(geometry.layers, start=1):
        w_FKH = layer.filters(weights[f"layer{k}"]).reshape(layer.n_filters, -1, geometry.width)
        x_DBK = x_BDC.reshape(n, layer.n_places, -1).swapaxes(0, 1)
        pre_BDH = (x_DBK @ w_FKH).swapaxes(0, 1) * layer.scale
        if f"layer{k}.bias" in weights:
            pre_BDH += BIAS_SCALE * weights[f"layer{k}.bias"]
        x_BDC = np.maximum(pre_BDH, 0)
        hidden.append(one_node(x_BDC))
    return hidden


# Rows of SENSITIVITIES of all cells of a curve.
measure_sensitivities = partial(measure_stored, probe_of=probe_of_cell)
