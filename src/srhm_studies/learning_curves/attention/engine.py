"""A transformer in training by autograd, with SGD or Adam."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations
from srhm.training import autograd
from srhm.training.autograd import inputs
from srhm_studies.learning_curves.attention.network import Transformer

HEADS, DEPTH, MOMENTUM = 4, 2, 0.9
TEST_BATCH = 256  # test points in memory at once


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


class TransformerEngine:
    """Adam or SGD on the mean cross-entropy of a batch: what `training.protocol.train` calls.

    optimiser: "momentum", SGD with momentum 0.9, or "adam", Adam with PyTorch's constants.
    """

    steps_at_once = 20

    def __init__(
        self,
        network: Transformer,
        parameters: GrammarParameters,
        train: Derivations,
        test: Derivations,
        *,
        optimiser: str,
        rate: float,
        batch_size: int,
    ) -> None:
        torch.set_num_threads(1)  # sums in one order, whatever the machine
        torch.set_flush_denormal(True)
        self.network, self._batch_size = network, batch_size
        dtype = network.readout.weight.dtype
        self._train, self._test = (
            (inputs(data, parameters, dtype=dtype), torch.from_numpy(data.labels.astype(np.int64)))
            for data in (train, test)
        )
        weights: Any = network.parameters()
        if optimiser == "adam":
            self._optimiser: Any = torch.optim.Adam(weights, lr=rate, fused=True)
        else:
            self._optimiser = torch.optim.SGD(weights, lr=rate, momentum=MOMENTUM, fused=True)

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        summed = 0.0
        for points in torch.from_numpy(order).split(self._batch_size):
            x, y = (part[points] for part in self._train)
            loss = cross_entropy(self.network(x), y)
            self._optimiser.zero_grad()
            loss.backward()
            self._optimiser.step()
            summed += loss.item() * len(y)
        return summed

    @torch.no_grad()
    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        right = 0
        for x, y in zip(*(part.split(TEST_BATCH) for part in self._test), strict=True):
            logits: Tensor = self.network(x)
            own = logits.gather(1, y[:, None])
            right += int(((logits >= own).sum(dim=1) == 1).sum())
        return 1 - right / len(self._test[1])

    def weights(self) -> dict[str, NDArray[Any]]:
        """Copies of the weights, by their names in the network."""
        return autograd.weights_of(self.network)

    def state(self) -> dict[str, NDArray[Any]]:
        """See `Engine`; cells are short and make no snapshots."""
        raise NotImplementedError

    def restore(self, state: Any) -> None:
        """See `state`."""
        raise NotImplementedError
