"""Cells of blocks of Tetris, of digits on the sphere, of equivariance errors, and of kernels.

The eight blocks in three dimensions are voxels. They are learnt in one orientation and tested in
others (thesis, chapter 5, section 5.1). Errors: how far networks are from equivariance after
sampling, after nonlinearities, with depth. Digits are rotated or not, in training and test (section
5.2). The picture has the angular part of the equivariant kernels between vectors (Fig. 2).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from e3nn import o3
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from scipy.spatial.transform import Rotation
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.beyond.equivariance.sphere import (
    PlanarNetwork,
    RotationConvolution,
    SphericalNetwork,
    pointwise,
    rotated,
)
from srhm_studies.beyond.equivariance.steerable import (
    LAYERS,
    MeanOfVoxels,
    Readout,
    layers,
    n_parameters,
    normalised,
)

Array = NDArray[np.float64]

# Four cubes each; the first two are mirror images.
BLOCKS: Array = np.array([
    [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 0)],
    [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, -1, 0)],
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)],
    [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)],
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)],
    [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0)],
    [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 1)],
    [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)],
], dtype=np.float64)  # fmt: skip
# The longest block, four cubes, is this part of the grid's side: it fits in any rotation.
LONGEST = 0.7
SMOOTHNESS = 0.35  # standard deviation of a cube over its side


def voxels(rotations: Array, n: int) -> Array:
    """Each block in each rotation about its centre, shape (rotations, blocks, n, n, n), 0 to 1.4.

    rotations: shape (rotations, 3, 3). A cube is a Gaussian: sharp faces would show the grid, at
    the few voxels that there are here.
    """
    side = LONGEST * n / 4  # voxels along a cube
    line = np.arange(n) - (n - 1) / 2
    density = np.zeros((len(rotations), len(BLOCKS), n, n, n))
    centred = BLOCKS - BLOCKS.mean(axis=1, keepdims=True)
    for places in np.moveaxis(side * centred @ rotations[:, None].swapaxes(-1, -2), 2, 0):
        # A Gaussian is a product over the axes.
        x, y, z = np.exp(
            -((line - np.moveaxis(places, -1, 0)[..., None]) ** 2) / (2 * (SMOOTHNESS * side) ** 2)
        )
        density += x[..., :, None, None] * y[..., None, :, None] * z[..., None, None, :]
    return density


def random_rotations(n: int, draws: np.random.Generator) -> Array:
    """Rotations of SO(3), uniform, shape (n, 3, 3)."""
    return np.asarray(Rotation.random(n, rng=draws).as_matrix())


def rotations_of_the_cube() -> Array:
    """All 24, shape (24, 3, 3)."""
    return np.asarray(np.round(Rotation.create_group("O").as_matrix()))


def tetris(cell: Mapping[str, Any]) -> Outcome:
    """Accuracy on blocks in random rotations, of a network that has seen each block once."""
    draws = torch_generator(cell["seed"])
    hidden = layers(cell["net"], width=cell["width"], filtered=cell["low_pass"], draws=draws)
    seen = inputs(np.eye(3)[None], cell["n"])
    means = normalised(hidden, seen).mean(dim=(2, 3, 4))
    network = nn.Sequential(hidden, MeanOfVoxels(), Readout(means, len(BLOCKS), draws=draws))
    labels = torch.arange(len(BLOCKS))
    loss = trained(network, list(network.parameters()), seen, labels, cell)
    rotations = random_rotations(cell["rotations"], generator(cell["seed"], role="test"))
    with torch.no_grad():
        right = [
            (network(inputs(rotation[None], cell["n"])).argmax(dim=1) == labels).float().mean()
            for rotation in rotations
        ]
        fitted = (network(seen).argmax(dim=1) == labels).float().mean()
    return Outcome({
        "accuracy": float(torch.stack(right).mean()), "train_accuracy": float(fitted),
        "loss": loss, "parameters": n_parameters(network),
    })  # fmt: skip


def trained(
    network: nn.Module, learnt: Sequence[nn.Parameter], seen: Tensor, labels: Tensor,
    cell: Mapping[str, Any],
) -> float | None:  # fmt: skip
    """Trains by Adam, each step on all blocks; the last loss."""
    optimiser = torch.optim.Adam(learnt, lr=cell["learning_rate"])
    decay = torch.optim.lr_scheduler.LinearLR(optimiser, 1, 0.02, max(cell["steps"], 1))
    loss = None
    for _ in range(cell["steps"]):
        loss = functional.cross_entropy(network(seen), labels)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
        decay.step()
    return None if loss is None else float(loss.detach())


def torch_generator(seed: int) -> torch.Generator:
    """Torch's generator of a seed, from the project's stream of initialisations."""
    number = int(generator(seed, role="initialisation").integers(2**62))
    return torch.Generator().manual_seed(number)


def inputs(rotations: NDArray[np.float64], n: int) -> Tensor:
    """All blocks in these rotations, shape (rotations x blocks, 1, n, n, n)."""
    return torch.as_tensor(voxels(rotations, n).reshape(-1, 1, n, n, n), dtype=torch.float32)


CHANNELS = 10  # of the spherical CNNs, section 5.1
ACTS = {"relu": torch.relu, "square": torch.square, "softplus": torch.nn.functional.softplus}


def of_sphere(cell: Mapping[str, Any]) -> Outcome:
    """Delta of correlations on SO(3), mean of std(R Phi(f) - Phi(R f)) / std(Phi(f)).

    Thesis, chapter 5 (spherical CNNs), section 5.1 and Fig. 3, but the rotation of a signal is
    exact here: it acts on coefficients. Each f is white noise of the band limit.
    """
    band, draws = cell["band"], torch_generator(cell["seed"])
    stack = [
        RotationConvolution(CHANNELS, CHANNELS, band=band, draws=draws)
        for _ in range(cell["depth"])
    ]

    def mapped(x: Tensor) -> Tensor:
        for convolution in stack:
            x = convolution(x)
            if cell["act"] != "none":
                resolution = round(band * cell["oversampling"])
                act = ACTS[cell["act"]]
                x = pointwise(x, act, band=band, after=band, resolution=resolution)
        return x

    size = sum((2 * order + 1) ** 2 for order in range(band))
    turns = random_rotations(cell["rotations"], generator(cell["seed"], role="transformation"))
    errors = []
    with torch.no_grad():
        for turn in torch.as_tensor(turns, dtype=torch.float32):
            x = torch.randn(1, CHANNELS, size, generator=draws)
            after = rotated(mapped(x), turn, band)
            errors.append(_spread(after - mapped(rotated(x, turn, band))) / _spread(after))
    return Outcome({"error": float(np.mean(errors))})


def _spread(x: Tensor) -> float:
    """Standard deviation over SO(3) and channels of a signal from its coefficients (1, C, K)."""
    return float((x.square().sum(dim=-1).mean() - x[..., 0].mean() ** 2).sqrt())


def of_voxels(cell: Mapping[str, Any]) -> Outcome:
    """The same of the scalars of a steerable network on blocks of Tetris, as means over voxels.

    Delta: root mean square of Phi(R x) - Phi(x) over that of Phi(x). The network is not trained.
    """
    n = cell["n"]
    draws = torch_generator(cell["seed"])
    hidden = layers(
        cell["net"], width=cell["width"], filtered=cell["low_pass"], draws=draws,
        nonlinearity=cell["act"], depth=cell["depth"],
    )  # fmt: skip
    drawn = generator(cell["seed"], role="transformation")
    turns = random_rotations(cell["rotations"], drawn)
    if cell["turns"] == "cube":
        group = rotations_of_the_cube()
        moving = group[group.trace(axis1=1, axis2=2) < 2.5]  # all but the identity
        turns = drawn.permutation(moving)[: cell["rotations"]]
    straight = inputs(np.eye(3)[None], n)
    normalised(hidden, straight)
    scalars = max(1, round(cell["width"] * LAYERS[cell["depth"] - 1][0]))

    def means(x: Tensor) -> Tensor:
        with torch.no_grad():
            return hidden(x)[:, :scalars].mean(dim=(2, 3, 4))

    before = means(straight)
    errors = torch.stack([means(inputs(turn[None], n)) - before for turn in turns])
    error = errors.square().mean().sqrt() / before.square().mean().sqrt()
    return Outcome({"error": float(error), "parameters": n_parameters(hidden)})


# Seen along the diagonal of space, where no harmonic of order 1 or 2 vanishes altogether.
TOWARDS = np.array([[1, -1, 0], [1, 1, -2], [1, 1, 1]]) / np.sqrt([[2], [6], [3]])


def basis(cell: Mapping[str, Any]) -> Outcome:
    """Table `basis`: the 3 x 3 entries of Q^J Y^J on the half of a sphere that one sees.

    u, v: coordinates on the disc, from -1 to 1.
    """
    line = np.linspace(-1, 1, cell["n"])
    u, v = (grid.ravel() for grid in np.meshgrid(line, line))
    seen = u**2 + v**2 < 1
    u, v = u[seen], v[seen]
    places = torch.as_tensor(np.stack([u, v, np.sqrt(1 - u**2 - v**2)], axis=1) @ TOWARDS)
    rows: dict[str, list[Any]] = {name: [] for name in ("J", "row", "column", "u", "v", "value")}
    for J in range(3):
        mixing = o3.wigner_3j(1, 1, J, dtype=torch.float64)
        values = torch.einsum(
            "ijk,nk->ijn", mixing, o3.spherical_harmonics(J, places, normalize=False)
        )
        for i, j in np.ndindex(3, 3):
            columns = (np.full(len(u), J), np.full(len(u), i), np.full(len(u), j), u, v)
            for name, column in zip(rows, (*columns, values[i, j].numpy()), strict=True):
                rows[name].append(column)
    return Outcome({}, {"basis": {name: np.concatenate(parts) for name, parts in rows.items()}})


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
    xyz = o3.angles_to_xyz(*(torch.as_tensor(angle) for angle in angles)).numpy()
    pixels = images.shape[-1]
    turned = []
    for image, rotation in zip(images, rotations, strict=True):
        x, y, z = np.moveaxis(xyz @ rotation, -1, 0)  # R^-1 of each point
        plane = np.stack([z, x]) / np.maximum(1 + y, 1e-6)  # far outside of the image at the south
        places = (plane / HALF_SIDE + 1) * pixels / 2 - 0.5
        turned.append(map_coordinates(image, places, order=1))
    return np.stack(turned)


def bands(band: int) -> tuple[int, int, int]:
    """Band limits of the spherical network: half and less behind the correlations.

    The thesis has 30, 10 and 6.
    """
    return band, max(2, 3 * band // 5), max(2, 2 * band // 5)


def digits(cell: Mapping[str, Any]) -> Outcome:
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
    accuracy = {kind: _accuracy(network, x[n:], labels[n:]) for kind, x in kinds.items()}
    return Outcome({
        "train_accuracy": _accuracy(network, train[:n], labels[:n]), "accuracy_NR": accuracy["NR"],
        "accuracy_R": accuracy["R"], "parameters": n_parameters(network),
    })  # fmt: skip


def signals(cell: Mapping[str, Any]) -> tuple[dict[str, Tensor], Tensor]:
    """All digits on the sphere in the order of the seed, "NR" unrotated and "R" each rotated.

    Shapes (1797, 1, 2b, 2b), and labels (1797,). Those of the test are the last.
    """
    images, labels = load_digits(return_X_y=True)
    order = generator(cell["seed"], role="order").permutation(len(labels))
    images, labels = images[order].reshape(-1, 8, 8) / 16, labels[order]
    turns = random_rotations(len(labels), generator(cell["seed"], role="transformation"))
    rotations = {"NR": np.broadcast_to(np.eye(3), turns.shape), "R": turns}
    by_kind = {}
    for kind, each in rotations.items():
        values = on_sphere(images, each, cell["band"])
        by_kind[kind] = torch.as_tensor(values[:, None], dtype=torch.float32)
    return by_kind, torch.as_tensor(labels)


def _accuracy(network: nn.Module, x: Tensor, labels: Tensor) -> float:
    with torch.no_grad():
        guesses = torch.cat([network(part).argmax(dim=1) for part in x.split(100)])
    return float((guesses == labels).float().mean())
