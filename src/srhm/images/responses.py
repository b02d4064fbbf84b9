"""What a network makes of images, layer by layer, before and after training."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from srhm.images.training import EVALUATION_BATCH

OUTPUT = "output"  # name under which the logits are found


def responses(
    network: nn.Module, x: NDArray[np.float32], *, fresh: bool = False, layers: Sequence[str] = ()
) -> dict[str, NDArray[np.float32]]:
    """Outputs (n, values) of the named modules and the logits of standardised images.

    The network is in evaluation mode. fresh: before training batch norm takes the moments of each
    batch; the running moments of a fresh network are those of no image, and with them it would be
    one without batch norm. Petrini et al. measure fresh networks so too. This changes the running
    moments.
    """
    where = next(network.parameters()).device
    network.eval()
    if fresh:
        for module in network.modules():
            if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
                module.train()
    parts: dict[str, list[Tensor]] = {name: [] for name in (*layers, OUTPUT)}
    modules = dict(network.named_modules())
    handles = [modules[name].register_forward_hook(partial(_keep, parts[name])) for name in layers]
    try:
        with torch.no_grad():
            for part in np.array_split(x, -(-len(x) // EVALUATION_BATCH)):  # no batch of a few
                parts[OUTPUT].append(network(torch.from_numpy(part).to(where)).cpu())
    finally:
        for handle in handles:
            handle.remove()
        network.eval()
    return {name: torch.cat(own).numpy() for name, own in parts.items()}


def _keep(parts: list[Tensor], module: nn.Module, inputs: object, output: Tensor) -> None:
    # A layer behind it may change it in place.
    parts.append(output.flatten(1).clone().cpu())
