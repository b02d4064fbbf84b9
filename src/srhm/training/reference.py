"""The reference engine: dense tensors, autograd, PyTorch's SGD. The oracle of all faster ones."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.model.encoding import one_hot
from srhm.model.sampling import Derivations
from srhm.networks.geometry import Geometry
from srhm.networks.hierarchical import HierarchicalNetwork
from srhm.training.autograd import AutogradEngine


class ReferenceEngine(AutogradEngine):
    """The engine of an LCN, CNN or FCN."""

    network: HierarchicalNetwork
    steps_at_once, test_batch = 200, 1024

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
        self._geometry, self._train, self._test, self.rate = geometry, train, test, rate
        self._batch_size, self._whitening = batch_size, whitening
        self._dtype = torch.float64 if dtype is np.float64 else torch.float32
        self.network = HierarchicalNetwork(
            geometry,
            {name: array.astype(dtype) for name, array in weights.items()},
            biases={name: array.astype(dtype) for name, array in (biases or {}).items()},
        )
        self._optimiser = torch.optim.SGD(self.network.parameters(), lr=rate, momentum=momentum)

    def weights(self) -> dict[str, NDArray[np.floating]]:
        """Copies of the weights, by name of layer; biases as `layer1.bias` and so on."""
        arrays = {k: v.detach().numpy().copy() for k, v in self.network.weights.items()}
        for name, bias in self.network.biases.items():
            arrays[f"{name}.bias"] = bias.detach().numpy().copy()
        return arrays

    def _tensors(self, data: Derivations) -> tuple[Tensor, Tensor]:
        x = one_hot(data, self._geometry.parameters, whitening=self._whitening)
        return torch.from_numpy(x).to(self._dtype), torch.from_numpy(data.labels.astype(np.int64))
