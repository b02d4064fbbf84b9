"""What further training of a PyTorch network depends on, as arrays by name, and back.

Weights and buffers, the momenta of SGD, and the stream from which masks of dropout are drawn.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

# Entries beside parameters and buffers.
MOMENTUM, STREAM = "momentum of ", "stream"


def weights_of(network: nn.Module) -> dict[str, NDArray[Any]]:
    """Copies of parameters and of batch norm's buffers, by their names in the network."""
    return {name: value.cpu().numpy().copy() for name, value in network.state_dict().items()}


def state_of(
    network: nn.Module, optimiser: torch.optim.Optimizer, stream: torch.Generator
) -> dict[str, NDArray[Any]]:
    """Copies of weights, of momenta (there from the first step on) and of dropout's stream."""
    found = weights_of(network)
    for name, parameter in network.named_parameters():
        momentum = optimiser.state[parameter].get("momentum_buffer")
        if momentum is not None:
            found[MOMENTUM + name] = momentum.cpu().numpy().copy()
    return {**found, STREAM: stream.get_state().numpy().copy()}


def restore(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    stream: torch.Generator,
    state: Mapping[str, NDArray[Any]],
) -> None:
    """Puts network, optimiser and stream where `state_of` was taken, on the network's device.

    Raises:
        ValueError: if names, shapes or precisions are not those of this network.
    """
    own = network.state_dict()
    momenta = {MOMENTUM + name: p for name, p in network.named_parameters()}
    expected = {*own, STREAM}
    if not expected <= state.keys() <= expected | momenta.keys():
        odd = sorted((state.keys() ^ expected) - momenta.keys())
        raise ValueError(f"the state is not one of this network: {', '.join(odd)}")
    values = {name: torch.from_numpy(np.array(array)) for name, array in state.items()}
    masks = values.pop(STREAM)
    for name, value in values.items():
        like = own[name] if name in own else momenta[name]
        if like.ndim == 0 and value.shape == (1,):  # a file has no arrays without axes
            values[name] = value = value[0]
        if value.shape != like.shape or value.dtype != like.dtype:
            raise ValueError(f"{name}: {value.dtype}{tuple(value.shape)} does not fit")
    network.load_state_dict({name: values[name] for name in own})
    for name, parameter in momenta.items():
        if name in values:
            optimiser.state[parameter]["momentum_buffer"] = values[name].to(parameter.device)
    stream.set_state(masks)
