"""LCN and CNN as one would write them for speed in PyTorch: unfold, matmul, fused SGD.

The stride is the filter, so that unfolding is a reshape. Symbols are kept as integers on the
device; the one-hot input is looked up.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from srhm.model.encoding import symbols
from srhm.model.sampling import Derivations
from srhm.networks.geometry import Geometry


class DenseNetwork(nn.Module):
    """LCN or CNN whose layers are one matrix product each."""

    def __init__(self, geometry: Geometry, weights: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        self.geometry = geometry
        shared = geometry.net == "cnn"
        self.layers = nn.ParameterList()
        for k, layer in enumerate(geometry.layers, start=1):
            places = 1 if shared else layer.n_places
            w_PKH = torch.from_numpy(weights[f"layer{k}"]).reshape(places, -1, geometry.width)
            self.layers.append(nn.Parameter((w_PKH[0] if shared else w_PKH).clone()))
        self.readout = nn.Parameter(torch.from_numpy(weights["readout"]).clone())

    def forward(self, x_BDC: Tensor) -> Tensor:
        """Logits (B, n_c) of inputs (B, d, v)."""
        batch = len(x_BDC)
        for layer, w in zip(self.geometry.layers, self.layers, strict=True):
            x_BPK = x_BDC.reshape(batch, layer.n_places, -1)
            if w.dim() == 2:
                pre_BPH = x_BPK @ w
            else:
                pre_BPH = torch.bmm(x_BPK.transpose(0, 1), w).transpose(0, 1)
            x_BDC = torch.relu(pre_BPH * layer.scale)
        return x_BDC[:, 0] @ self.readout / self.geometry.width


class DenseEngine:
    """SGD with momentum on a DenseNetwork."""

    def __init__(
        self,
        geometry: Geometry,
        weights: Mapping[str, np.ndarray],
        train: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        device: torch.device | str = "cpu",
    ) -> None:
        torch.set_flush_denormal(True)
        self._batch_size, self._device = batch_size, device
        self._symbols = torch.from_numpy(symbols(train, geometry.parameters).astype(np.int64))
        self._labels = torch.from_numpy(train.labels.astype(np.int64))
        n_features = geometry.parameters.n_features
        self._table = torch.cat([torch.zeros(1, n_features), torch.eye(n_features)]).to(device)
        self._symbols, self._labels = self._symbols.to(device), self._labels.to(device)
        self.network = DenseNetwork(geometry, weights).to(device)
        self._optimiser = torch.optim.SGD(
            self.network.parameters(), lr=rate, momentum=momentum, fused=True
        )

    def steps(self, order: np.ndarray) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        summed = torch.zeros((), device=self._device)
        for rows in torch.from_numpy(order).to(self._device).split(self._batch_size):
            x_BDC = self._table[self._symbols[rows]]
            loss = cross_entropy(self.network(x_BDC), self._labels[rows])
            self._optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self._optimiser.step()
            summed += loss.detach() * len(rows)
        return summed.item()
