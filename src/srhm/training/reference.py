"""The reference engine: dense tensors, autograd, PyTorch's SGD. The oracle of all faster ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from srhm.model.encoding import one_hot
from srhm.model.sampling import Derivations
from srhm.networks.geometry import Geometry
from srhm.networks.hierarchical import HierarchicalNetwork

# Test points in memory at once.
TEST_BATCH = 1024


class ReferenceEngine:
    """SGD with momentum on the mean cross-entropy of a batch, one autograd step after the other."""

    steps_at_once = 200

    def __init__(
        self,
        geometry: Geometry,
        weights: Mapping[str, NDArray[np.floating]],
        train: Derivations,
        test: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
        biases: Mapping[str, NDArray[np.floating]] | None = None,
        whitening: bool = False,
    ) -> None:
        torch.set_num_threads(1)  # sums in one order, whatever the machine; cells run side by side
        torch.set_flush_denormal(True)  # momenta of weights at rest decay for ever
        self._geometry, self._train, self._test = geometry, train, test
        self._batch_size, self._whitening = batch_size, whitening
        self._dtype = torch.float64 if dtype is np.float64 else torch.float32
        self.network = HierarchicalNetwork(
            geometry,
            {name: array.astype(dtype) for name, array in weights.items()},
            biases={name: array.astype(dtype) for name, array in (biases or {}).items()},
        )
        self._optimiser = torch.optim.SGD(self.network.parameters(), lr=rate, momentum=momentum)

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        summed = 0.0
        for start in range(0, len(order), self._batch_size):
            x, y = self._tensors(self._train[order[start : start + self._batch_size]])
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
        for start in range(0, len(self._test), TEST_BATCH):
            x, y = self._tensors(self._test[start : start + TEST_BATCH])
            logits = self.network(x)
            label_logits = logits.gather(1, y[:, None])
            right += int(((logits >= label_logits).sum(dim=1) == 1).sum())
        return 1 - right / len(self._test)

    def weights(self) -> dict[str, NDArray[np.floating]]:
        """Copies of the weights, by name of layer; biases as `layer1.bias` and so on."""
        arrays = {k: v.detach().numpy().copy() for k, v in self.network.weights.items()}
        for name, bias in self.network.biases.items():
            arrays[f"{name}.bias"] = bias.detach().numpy().copy()
        return arrays

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of parameters and momenta; a momentum is there from the first step on."""
        arrays = {}
        for name, parameter in self.network.named_parameters():
            arrays[name] = parameter.detach().numpy().copy()
            momentum = self._optimiser.state[parameter].get("momentum_buffer")
            if momentum is not None:
                arrays[f"momentum of {name}"] = momentum.numpy().copy()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts parameters and momenta where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this engine.
        """
        parameters = dict(self.network.named_parameters())
        momenta = {f"momentum of {name}": p for name, p in parameters.items()}
        if not parameters.keys() <= state.keys() <= parameters.keys() | momenta.keys():
            raise ValueError(f"a state of {sorted(state)} is not one of {sorted(parameters)}")
        for name, array in state.items():
            parameter = {**parameters, **momenta}[name]
            value = torch.from_numpy(array.copy())
            if value.shape != parameter.shape or value.dtype != parameter.dtype:
                raise ValueError(f"{name}: {value.dtype}{tuple(value.shape)} does not fit")
            if name in parameters:
                parameter.data.copy_(value)
            else:
                self._optimiser.state[parameter]["momentum_buffer"] = value

    def _tensors(self, data: Derivations) -> tuple[Tensor, Tensor]:
        x = one_hot(data, self._geometry.parameters, whitening=self._whitening)
        return torch.from_numpy(x).to(self._dtype), torch.from_numpy(data.labels.astype(np.int64))
