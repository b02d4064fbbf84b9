"""Singular values of weights and of representations, and how many of them count.

The talk on bottlenecks (A. Jacot, 2023; slide 'Bottleneck Structure on the Weights') counts
singular values near 1; the participation ratio is the usual measure.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from srhm.flow.networks import Network, trace


def singular_values(network: Network, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Singular values of every layer's linear map, scales included, largest first.

    layer1 ... layerL: (E, filters, r), one filter matrix (K C, H) for each place of an LCN and one
    for all places of a CNN or FCN; readout: (E, 1, r) of the matrix (H, O).
    """
    found = {}
    for k, (layer, shared) in enumerate(zip(network.layers, network.shared, strict=True), 1):
        w = weights[f"layer{k}"]
        filters = w.reshape(len(w), 1 if shared else layer.n_places, -1, network.width)
        found[f"layer{k}"] = torch.linalg.svdvals(filters * layer.scale)
    found["readout"] = torch.linalg.svdvals(weights["readout"] * network.output_scale)[:, None]
    return found


def representation_eigenvalues(
    network: Network, weights: Mapping[str, Tensor], x: Tensor
) -> dict[str, Tensor]:
    """Eigenvalues of the covariance over the data of each hidden layer and of the output.

    layer1 ... layerL, output: (E, r), largest first, r the smaller of the number of data and of
    values (places times H); covariance divided by the number of data. x: (B, d, v) or (E, B, d, v).
    """
    with torch.no_grad():
        found = trace(network, weights, x)
    spectra = {}
    for k, hidden_EDBH in enumerate(found.hidden, start=1):
        members, _, batch, _ = hidden_EDBH.shape
        spectra[f"layer{k}"] = hidden_EDBH.transpose(1, 2).reshape(members, batch, -1)
    spectra["output"] = found.outputs
    return {name: _covariance_eigenvalues(z_EBF) for name, z_EBF in spectra.items()}


def participation_ratio(eigenvalues: Tensor) -> Tensor:
    """(sum lambda)^2/sum lambda^2 over the last axis: n for n equal ones; NaN if all are zero.

    For singular values s, lambda = s^2.
    """
    return eigenvalues.sum(dim=-1).square() / eigenvalues.square().sum(dim=-1)


def n_above_half(values: Tensor) -> Tensor:
    """How many are above half of the largest, over the last axis."""
    return (values > values.amax(dim=-1, keepdim=True) / 2).sum(dim=-1)


def _covariance_eigenvalues(z_EBF: Tensor) -> Tensor:
    centred = z_EBF - z_EBF.mean(dim=1, keepdim=True)
    return torch.linalg.svdvals(centred).square() / z_EBF.shape[1]
