"""Blocks of Tetris learnt in one orientation and tested in others (thesis, ch. 5, section 5.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.beyond.equivariance.blocks import BLOCKS, random_rotations, voxels
from srhm_studies.beyond.equivariance.steerable import (
    MeanOfVoxels,
    Readout,
    layers,
    n_parameters,
    normalised,
)


def run(cell: Mapping[str, Any]) -> Outcome:
    """Accuracy on blocks in random rotations, of a network that has seen each block once."""
    draws = torch_generator(cell["seed"])
    hidden = layers(cell["net"], width=cell["width"], filtered=cell["low_pass"], draws=draws)
    seen = inputs(np.eye(3)[None], cell["n"])
    means = normalised(hidden, seen).mean(dim=(2, 3, 4))
    network = nn.Sequential(hidden, MeanOfVoxels(), Readout(means, len(BLOCKS), draws=draws))
    labels = torch.arange(len(BLOCKS))
    optimiser = torch.optim.Adam(network.parameters(), lr=cell["learning_rate"])
    decay = torch.optim.lr_scheduler.LinearLR(optimiser, 1, 0.02, cell["steps"])
    for _ in range(cell["steps"]):
        loss = functional.cross_entropy(network(seen), labels)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        decay.step()
    rotations = random_rotations(cell["rotations"], generator(cell["seed"], role="test"))
    with torch.no_grad():
        right = [
            (network(inputs(one[None], cell["n"])).argmax(dim=1) == labels).float().mean()
            for one in rotations
        ]
        fitted = (network(seen).argmax(dim=1) == labels).float().mean()
    return Outcome(
        {
            "accuracy": float(torch.stack(right).mean()),
            "train_accuracy": float(fitted),
            "loss": loss.item(),
            "parameters": n_parameters(network),
        }
    )


def torch_generator(seed: int) -> torch.Generator:
    """Torch's generator of a seed, from the project's stream of initialisations."""
    number = int(generator(seed, role="initialisation").integers(2**62))
    return torch.Generator().manual_seed(number)


def inputs(rotations: NDArray[np.float64], n: int) -> Tensor:
    """All blocks in these rotations, shape (rotations x blocks, 1, n, n, n)."""
    return torch.as_tensor(voxels(rotations, n).reshape(-1, 1, n, n, n), dtype=torch.float32)
