"""A transformer in training by autograd, with SGD or Adam."""

from typing import Any

import numpy as np
import torch

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations
from srhm.studies.attention.network import Transformer
from srhm.training.network import NetworkEngine

HEADS, DEPTH = 4, 2


def transformer(
    parameters: GrammarParameters, *, positions: bool, width: int, generator: np.random.Generator
) -> Transformer:
    """A freshly initialised transformer; a number of the generator seeds its weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator.integers(2**63)))
        return Transformer(
            n_features=parameters.n_features,
            n_places=parameters.input_length,
            n_classes=parameters.n_classes,
            width=width,
            heads=HEADS,
            depth=DEPTH,
            positions=positions,
        )


class TransformerEngine(NetworkEngine):
    """Steps, loss and test error of the engine of named nets, of a network that is given.

    optimiser: "momentum", SGD with momentum 0.9, or "adam", Adam with PyTorch's constants. It makes
    no snapshots: `state` is of SGD alone.
    """

    def __init__(  # noqa: no super: that of named nets makes its own network
        self,
        network: Transformer,
        parameters: GrammarParameters,
        train: Derivations,
        test: Derivations,
        *,
        optimiser: str,
        rate: float,
        batch_size: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        torch.set_num_threads(1)  # sums in one order, whatever the machine
        torch.set_flush_denormal(True)
        self._parameters, self._train, self._test = parameters, train, test
        self._batch_size, self._whitening, self._dtype = batch_size, False, dtype
        self.network = network.to(dtype)
        weights: Any = self.network.parameters()
        if optimiser == "adam":
            self._optimiser: Any = torch.optim.Adam(weights, lr=rate, fused=True)
        else:
            self._optimiser = torch.optim.SGD(weights, lr=rate, momentum=0.9, fused=True)
