"""Layers of VGG, ResNet and EfficientNet from their stored weights, as sensitivities see them.

All activation layers, through forward hooks, in eval mode, then the logits.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from srhm.measure.cells import measure_stored
from srhm.measure.sensitivity import Probe, Representation, one_node
from srhm.model.grammar import GrammarParameters, parameters_of
from srhm.model.sampling import Derivations
from srhm.networks.activations import OUTPUT, activation_layers, record_activations
from srhm.training.autograd import inputs, network_for

# Points of one forward pass: more at a time are slower, as activations leave the caches.
BATCH = 64


def restored(cell: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> nn.Module:
    """The network of a cell with its stored weights, in eval mode.

    Without weights it has some initial ones; only the names of its layers are of use then.

    Raises:
        RuntimeError: if the weights are those of another network.
    """
    network = network_for(
        cell["net"], parameters_of(cell), width=cell["width"], generator=torch.Generator()
    )
    if weights:
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
        network.load_state_dict(tensors)
    return network.eval()


def network_probe(
    network: nn.Module, parameters: GrammarParameters, *, whitening: bool = False
) -> Probe:
    """How sensitivities see a named net: its activation layers by name, and "output"."""
    layers = (*activation_layers(network), OUTPUT)

    def represent(data: Derivations) -> list[Representation]:
        outputs: list[list[NDArray[np.floating]]] = [[] for _ in layers]
        for start in range(0, len(data), BATCH):
            x = inputs(data[start : start + BATCH], parameters, whitening=whitening)
            for k, values in enumerate(record_activations(network, x, layers).values()):
                outputs[k].append(values.flatten(1).numpy())
        return [one_node(np.concatenate(values)) for values in outputs]

    # Batch norm in eval mode takes a single point too; it need not be a possible datum.
    point = torch.zeros(1, parameters.n_features, parameters.input_length)
    values = sum(f.numel() for f in record_activations(network, point, layers).values())
    return Probe(layers=layers, represent=represent, values_per_point=values)


def probe_of_cell(cell: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> Probe:
    """The network of a cell with these weights."""
    torch.set_num_threads(1)  # sums in one order, whatever the machine
    return network_probe(restored(cell, weights), parameters_of(cell), whitening=cell["whitening"])


# Rows of SENSITIVITIES of all cells of a curve.
measure_sensitivities = partial(measure_stored, probe_of=probe_of_cell)
