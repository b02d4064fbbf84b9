"""A small transformer for the data of a grammar, trained by autograd with Adam.

A token for each place of the input. Dimensions: B data, T places, D width, H heads.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import relu, scaled_dot_product_attention

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations
from srhm.training.autograd import NetworkEngine
from srhm_studies.learning_curves.attention.configuration import HEADS


class Block(nn.Module):
    """x + attention(norm(x)), then x + mlp(norm(x)), with one hidden layer of 2 D ReLUs."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention, self.norm_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.mixed = nn.Linear(width, width)
        self.hidden, self.back = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x_BTD: Tensor) -> Tensor:
        """Tokens (B, T, D) after the block; a permutation of places permutes them."""
        B, T, D = x_BTD.shape
        qkv = self.queries_keys_values(self.norm_attention(x_BTD))
        q, k, v = qkv.view(B, T, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        attended_BHTC = scaled_dot_product_attention(q, k, v)
        x_BTD = x_BTD + self.mixed(attended_BHTC.transpose(1, 2).reshape(B, T, D))
        return x_BTD + self.back(relu(self.hidden(self.norm_mlp(x_BTD))))


class Transformer(nn.Module):
    """Embedding, blocks, mean over places, norm, linear readout.

    A token is the embedding of the feature at its place, zero where the place is empty; with
    positions a learnt vector of the place is added. Without them the logits do not change when
    places are permuted. Embedding and positions begin as unit Gaussians, all else as PyTorch has
    it.
    """

    def __init__(
        self, *, n_features: int, n_places: int, n_classes: int, width: int, heads: int, depth: int,
        positions: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embedding = nn.Linear(n_features, width, bias=False)
        nn.init.normal_(self.embedding.weight)
        self.positions = nn.Parameter(torch.randn(n_places, width)) if positions else None
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.readout = nn.LayerNorm(width), nn.Linear(width, n_classes)

    def forward(self, x_BVT: Tensor) -> Tensor:
        """Logits (B, classes) of one-hot inputs (B, features, places)."""
        x_BTD = self.embedding(x_BVT.transpose(1, 2))
        if self.positions is not None:
            x_BTD = x_BTD + self.positions
        logits: Tensor = self.readout(self.norm(self.blocks(x_BTD).mean(dim=1)))
        return logits


DEPTH = 2


def transformer(
    parameters: GrammarParameters, *, positions: bool, width: int, generator: np.random.Generator
) -> Transformer:
    """A freshly initialised transformer; a number of the generator seeds its weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator.integers(2**63)))
        return Transformer(
            n_features=parameters.n_features, n_places=parameters.input_length,
            n_classes=parameters.n_classes, width=width, heads=HEADS, depth=DEPTH,
            positions=positions,
        )  # fmt: skip


class TransformerEngine(NetworkEngine):
    """Adam on the mean cross-entropy of a batch: what `training.protocol.train` calls.

    Its constants are PyTorch's but for the rate.
    """

    whole_batches = False

    def __init__(
        self, network: Transformer, parameters: GrammarParameters, train: Derivations,
        test: Derivations, *, rate: float, batch_size: int,
    ) -> None:  # fmt: skip
        torch.set_num_threads(1)  # sums in one order, whatever the machine
        torch.set_flush_denormal(True)
        self.network, self._parameters, self._train, self._test = network, parameters, train, test
        self._batch_size, self._whitening = batch_size, False
        self._dtype = network.readout.weight.dtype
        self._optimiser: Any = torch.optim.Adam(network.parameters(), lr=rate, fused=True)
