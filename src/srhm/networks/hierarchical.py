"""LCN, CNN and FCN in dense PyTorch (Eq. 9, 10): the reference for every faster evaluation.

Shapes: B batch, D places, K places of a filter, C channels in, H channels out.
"""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from srhm.networks.geometry import BIAS_SCALE, Geometry


class HierarchicalNetwork(nn.Module):
    """Network of a geometry with given initial weights, and biases if given."""

    def __init__(
        self,
        geometry: Geometry,
        weights: Mapping[str, NDArray[np.floating]],
        *,
        biases: Mapping[str, NDArray[np.floating]] | None = None,
    ) -> None:
        super().__init__()
        self.geometry = geometry
        self.weights = nn.ParameterDict(
            {name: nn.Parameter(torch.tensor(array)) for name, array in weights.items()}
        )
        self.biases = nn.ParameterDict(
            {name: nn.Parameter(torch.tensor(array)) for name, array in (biases or {}).items()}
        )
        # Modules of their own, so that a forward hook can record each layer.
        self.activations = nn.ModuleList(nn.ReLU() for _ in geometry.layers)

    def forward(self, x_BDC: Tensor) -> Tensor:
        """Logits (B, n_c) of inputs (B, d, v)."""
        return self.representations(x_BDC)[-1]

    def representations(self, x_BDC: Tensor) -> list[Tensor]:
        """Hidden layers f_1 ... f_L after ReLU, each (B, places, H), then the logits (B, n_c)."""
        outputs = []
        for k, layer in enumerate(self.geometry.layers, start=1):
            w_SCH = self.weights[f"layer{k}"]
            batch, _, channels = x_BDC.shape
            x_BDKC = x_BDC.reshape(batch, layer.n_places, -1, channels)
            w_FKCH = layer.filters(w_SCH)
            if layer.shared:
                pre_BDH = torch.einsum("bdkc,kch->bdh", x_BDKC, w_FKCH[0])
            else:
                pre_BDH = torch.einsum("bdkc,dkch->bdh", x_BDKC, w_FKCH)
            pre_BDH = pre_BDH * layer.scale  # Eq. 9 divides by channels, not by the fan-in
            if f"layer{k}" in self.biases:
                pre_BDH = pre_BDH + BIAS_SCALE * self.biases[f"layer{k}"]
            x_BDC = self.activations[k - 1](pre_BDH)
            outputs.append(x_BDC)
        # Eq. 10: summed over channels and divided by H
        outputs.append(x_BDC[:, 0] @ self.weights["readout"] / self.geometry.width)
        return outputs
