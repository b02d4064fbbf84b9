"""Digits on the sphere, rotated or not in training and test (thesis, ch. 5, section 5.2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from e3nn import o3
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.beyond.equivariance.experiment import random_rotations, torch_generator
from srhm_studies.beyond.equivariance.sphere import PlanarNetwork, SphericalNetwork
from srhm_studies.beyond.equivariance.steerable import n_parameters

Array = NDArray[np.float64]

# Half a side of the image in the plane of the stereographic projection, where the equator is the
# circle of radius 1: only the corners, which are empty, lie beyond it.
HALF_SIDE = 0.85
SEEN = 100  # training digits on which features are standardised


def on_sphere(images: Array, rotations: Array, band: int) -> Array:
    """Images on the northern hemisphere, each then rotated: (n, 2 band, 2 band) by beta, alpha.

    images: (n, pixels, pixels). rotations: (n, 3, 3). The pole is e3nn's, the y axis.
    """
    beta = (np.arange(2 * band) + 0.5) * np.pi / (2 * band)
    alpha = np.arange(2 * band) * np.pi / band
    angles = np.meshgrid(alpha, beta)
    xyz = o3.angles_to_xyz(*(torch.as_tensor(one) for one in angles)).numpy()
    pixels = images.shape[-1]
    found = []
    for image, rotation in zip(images, rotations, strict=True):
        x, y, z = np.moveaxis(xyz @ rotation, -1, 0)  # R^-1 of each point
        plane = np.stack([z, x]) / np.maximum(1 + y, 1e-6)  # far outside of the image at the south
        places = (plane / HALF_SIDE + 1) * pixels / 2 - 0.5
        found.append(map_coordinates(image, places, order=1))
    return np.stack(found)


def bands(band: int) -> tuple[int, int, int]:
    """Band limits of the spherical network: half and less behind the correlations.

    The thesis has 30, 10 and 6.
    """
    return band, max(2, 3 * band // 5), max(2, 2 * band // 5)


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test accuracies on unrotated and rotated digits of a network trained on one of them."""
    draws = torch_generator(cell["seed"])
    kinds, labels = signals(cell)
    train = kinds[cell["train"]]
    n = len(labels) - cell["n_test"]
    network: nn.Module
    if cell["net"] == "spherical":
        network = SphericalNetwork(bands(cell["band"]), seen=train[:SEEN], draws=draws)
    else:
        network = PlanarNetwork(cell["band"], draws=draws)
    optimiser = torch.optim.Adam(network.parameters(), lr=cell["learning_rate"])
    order, n_batches = generator(cell["seed"], role="pairs"), n // cell["batch"]
    decay = torch.optim.lr_scheduler.LinearLR(optimiser, 1, 0.02, cell["epochs"] * n_batches)
    for _ in range(cell["epochs"]):
        for batch in np.array_split(order.permutation(n), n_batches):
            loss = functional.cross_entropy(network(train[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            decay.step()
    found = {kind: _accuracy(network, x[n:], labels[n:]) for kind, x in kinds.items()}
    return Outcome(
        {
            "train_accuracy": _accuracy(network, train[:n], labels[:n]),
            "accuracy_NR": found["NR"],
            "accuracy_R": found["R"],
            "parameters": n_parameters(network),
        }
    )


def signals(cell: Mapping[str, Any]) -> tuple[dict[str, Tensor], Tensor]:
    """All digits on the sphere in the order of the seed, "NR" unrotated and "R" each rotated.

    Shapes (1797, 1, 2b, 2b), and labels (1797,). Those of the test are the last.
    """
    images, labels = load_digits(return_X_y=True)
    order = generator(cell["seed"], role="order").permutation(len(labels))
    images, labels = images[order].reshape(-1, 8, 8) / 16, labels[order]
    turns = random_rotations(len(labels), generator(cell["seed"], role="transformation"))
    rotations = {"NR": np.broadcast_to(np.eye(3), turns.shape), "R": turns}
    found = {}
    for kind, each in rotations.items():
        values = on_sphere(images, each, cell["band"])
        found[kind] = torch.as_tensor(values[:, None], dtype=torch.float32)
    return found, torch.as_tensor(labels)


def _accuracy(network: nn.Module, x: Tensor, labels: Tensor) -> float:
    with torch.no_grad():
        guesses = torch.cat([network(part).argmax(dim=1) for part in x.split(100)])
    return float((guesses == labels).float().mean())
