"""Activations of any architecture through forward hooks: one mechanism for all of them.

An activation layer is a module that applies ReLU or swish to a representation. Swish and sigmoid
inside a squeeze-and-excitation gate a side branch and do not count. The output is the logits.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn

OUTPUT = "output"  # name under which the logits are recorded
KINDS = (nn.ReLU, nn.SiLU)


def activation_layers(network: nn.Module) -> list[str]:
    """Names of the activation layers k = 1 ... N in the order in which they are executed.

    Each is a module of its own that is executed once, and modules are registered in the order of
    execution; the tests hold every architecture to it.
    """
    return [name for name, module in network.named_modules() if isinstance(module, KINDS)]


@torch.no_grad()
def record_activations(network: nn.Module, x: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
    """Outputs of the named modules for one batch, in eval mode, by name in the order of `names`.

    "output" names the logits. Tensors have the batch first and the layer's own shape; only those
    asked for are kept. Each module is left in the mode in which it was.

    Raises:
        ValueError: if a name is no module of the network, or the module is not executed exactly
            once, so that its output is not one representation.
    """
    modules = dict(network.named_modules())
    unknown = [name for name in names if name != OUTPUT and (not name or name not in modules)]
    if unknown:
        raise ValueError(f"the network has no module {', '.join(map(repr, unknown))}")
    outputs_of: dict[str, list[Tensor]] = {name: [] for name in names}
    handles = [
        modules[name].register_forward_hook(partial(_keep, outputs_of[name]))
        for name in outputs_of
        if name != OUTPUT
    ]
    try:
        with _measuring(network):
            logits = network(x)
    finally:
        for handle in handles:
            handle.remove()
    if OUTPUT in outputs_of:
        outputs_of[OUTPUT].append(logits)
    for name, outputs in outputs_of.items():
        if len(outputs) != 1:
            raise ValueError(f"module {name!r} is executed {len(outputs)} times, not once")
    return {name: outputs[0] for name, outputs in outputs_of.items()}


def _keep(outputs: list[Tensor], module: nn.Module, inputs: object, output: Tensor) -> None:
    # A layer behind it may change it in place.
    outputs.append(output.clone() if isinstance(output, Tensor) else output)


@contextmanager
def _measuring(network: nn.Module) -> Iterator[None]:
    """Eval mode while the block runs; then each module is as it was, frozen ones too."""
    modes = {module: module.training for module in network.modules()}
    network.eval()
    try:
        yield
    finally:
        for module, mode in modes.items():
            module.training = mode
