"""One network trained on images, and its stability before and after (thesis, chapter 4)."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import interpolate

from srhm.experiments.cells import Outcome
from srhm.images import readers
from srhm.images.deformations import Interpolation, noise, temperature_of
from srhm.images.readers import Images, standardised
from srhm.images.stability import Average, ImageProbe, probe, sensitivities, stabilities
from srhm.images.trainer import OUTPUT, responses
from srhm.images.training import initial_network, train_cell
from srhm.model.seeding import generator
from srhm.networks.activations import activation_layers

SIDES = {"digits": 16, "digits8": 8}  # pixels; scikit-learn's digits have 8
MOST_BRIGHT = 16  # value of a white pixel there
N_SMALL = 1200  # of the 1797 digits; the others are for testing


def load_small(data: str, *, seed: int) -> tuple[Images, Images]:
    """Images for training and for testing.

    data: "digits" or "digits8", of which a seed chooses 1200 for training, or "mnist" or "cifar10",
    each with its own split, from the folder that holds results/.

    Raises:
        ImagesError: if the files are not there or are damaged.
    """
    if data in SIDES:
        images = digits(SIDES[data])
        order = generator(seed, role="test").permutation(len(images))
        return images[order[:N_SMALL]], images[order[N_SMALL:]]
    return _files(data)


@cache
def digits(side: int) -> Images:
    """All 1797 digits of scikit-learn, (n, 1, side, side), by bilinear interpolation of 8 x 8."""
    pixels, labels = load_digits(return_X_y=True)
    small = torch.from_numpy(pixels.reshape(-1, 1, 8, 8))
    large = interpolate(small, size=(side, side), mode="bilinear", align_corners=False)
    bytes_ = np.rint(large.numpy() * (255 / MOST_BRIGHT)).astype(np.uint8)
    return Images(bytes_, labels.astype(np.int64))


@cache
def _files(data: str) -> tuple[Images, Images]:
    training, test = readers.load(data)
    return training, test


# Points of the scans, by depth and by displacement, which would else take as long as the training.
SCAN_POINTS = 200
# Displacements, in pixels, and norms of noise over that of a deformation, of the scans.
DISPLACEMENTS = (0.125, 0.25, 0.5, 0.7, 1.0, 1.3)
NOISES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
INTERPOLATIONS: tuple[Interpolation, ...] = ("bilinear", "gaussian")
AVERAGED: tuple[Average, ...] = ("median", "mean")
States = tuple[tuple[str, nn.Module], ...]


def stability_on_small_images(cell: Mapping[str, Any]) -> Outcome:
    """As `of_images`, of the images of `data`: see `load_small`.

    Raises:
        ImagesError: if files of images are not there or are damaged.
    """
    return of_images(cell, *load_small(cell["data"], seed=cell["seed"]))


def of_images(cell: Mapping[str, Any], training: Images, test: Images) -> Outcome:
    """Test error of a network; tables `stability` and `noise`, see `analysis`.

    A diverged network has no error, and is measured at its start alone.
    """
    trained = train_cell(cell, training, test)
    status = trained.row["status"]
    shape = {"channels": training.pixels.shape[1], "size": training.pixels.shape[2]}
    states = [("start", initial_network(cell, **shape))]
    if status != "diverged":
        end = initial_network(cell, **shape)
        end.load_state_dict({k: torch.from_numpy(v) for k, v in trained.weights.items()})
        states.append(("end", end))
    # Deformations are bilinear and normalisation is affine: it does not matter which comes first.
    points = standardised(test[: cell["n_points"]], by=training)
    asked = _probe(cell, points)
    rows = list(_rows(cell, tuple(states), points, asked))
    noises = list(_noises(cell, tuple(states), points, asked.noise_norm)) if cell["scans"] else []
    weights = states[0][1].parameters()
    row = {name: trained.row[name] for name in ("test_error", "train_loss", "epochs", "steps")}
    return Outcome(
        {
            **row, "status": status, "n_parameters": sum(weight.numel() for weight in weights),
            "noise_norm": asked.noise_norm, "n_folded": asked.n_folded,
        },
        {"stability": _columns(rows), "noise": _columns(noises)},
    )  # fmt: skip


def _rows(
    cell: Mapping[str, Any], states: States, points: NDArray[np.float32], asked: ImageProbe
) -> Iterator[dict[str, Any]]:
    """Rows of `stability`: of the output, then by depth and by displacement where asked for."""
    standard = {"displacement": cell["displacement"], "interpolation": "bilinear"}
    for when, network in states:
        f = partial(responses, network, fresh=when == "start")
        measured = stabilities(f, asked, averages=AVERAGED)
        yield from _named(measured, part="output", when=when, norm=asked.noise_norm, **standard)
    if not cell["scans"]:
        return
    few = _probe(cell, points[:SCAN_POINTS])
    for when, network in states:
        names = activation_layers(network)
        f = partial(responses, network, fresh=when == "start", layers=names)
        measured = stabilities(f, few, averages=["median"])
        norm = few.noise_norm
        yield from _named(measured, names, part="layers", when=when, norm=norm, **standard)
    for displacement in DISPLACEMENTS:
        for kind in INTERPOLATIONS:
            warped = _probe(cell, few.images, displacement=displacement, interpolation=kind)
            for when, network in states:
                f = partial(responses, network, fresh=when == "start")
                measured = stabilities(f, warped, averages=["median"])
                yield from _named(measured, part="displacements", when=when, norm=warped.noise_norm,
                                  displacement=displacement, interpolation=kind)  # fmt: skip


def _named(
    found: Mapping[tuple[str, Average], Any], names: list[str] | None = None, *, norm: float,
    **coordinates: Any,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """A row for each layer and average; the output is the last layer, of relative depth 1."""
    order = [*(names or []), OUTPUT]
    for (name, average), values in found.items():
        k = order.index(name) + 1
        depth = (k - 1) / (len(order) - 1) if len(order) > 1 else 1.0
        yield {**coordinates, "layer": k, "n_layers": len(order), "depth": depth,
               "average": average, "noise_norm": norm, **asdict(values)}  # fmt: skip


def _noises(
    cell: Mapping[str, Any], states: States, points: NDArray[np.float32], norm: float
) -> Iterator[dict[str, Any]]:
    """Rows of `noise`: G_f against the norm of the noise."""
    for times in NOISES:
        stream = generator(cell["seed"], role="transformation", member=1)
        noisy = points + noise(points.shape, norm=times * norm, generator=stream)
        change = noisy.astype(points.dtype)[None]
        for when, network in states:
            f = partial(responses, network, fresh=when == "start")
            (G,) = sensitivities(f, points, [change], averages=["median"])
            yield {"when": when, "times": times, "noise_norm": times * norm,
                   "G": G[OUTPUT, "median"]}  # fmt: skip


def _probe(
    cell: Mapping[str, Any], points: NDArray[np.float32], *, displacement: float | None = None,
    interpolation: Interpolation = "bilinear",
) -> ImageProbe:  # fmt: skip
    """The same deformations, but for their size, and the same noises for all networks of a seed."""
    wanted = cell["displacement"] if displacement is None else displacement
    return probe(
        points,
        cutoff=cell["cutoff"],
        temperature=temperature_of(wanted, size=points.shape[-1], cutoff=cell["cutoff"]),
        n_draws=cell["n_draws"],
        deformation_generator=generator(cell["seed"], role="transformation", member=0),
        noise_generator=generator(cell["seed"], role="transformation", member=1),
        interpolation=interpolation,
    )


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


N_LARGE = 4000  # of the 5000 digits; the others are for testing
COARSE = 8  # pixels on a side that coarse digits have in between, as those of scikit-learn


def stability_on_large_images(cell: Mapping[str, Any]) -> Outcome:
    """As `of_images`, of the images of `data`: see `load_large`.

    Raises:
        ImagesError: if files of images are not there or are damaged.
    """
    return of_images(cell, *load_large(cell["data"], seed=cell["seed"]))


def load_large(data: str, *, seed: int) -> tuple[Images, Images]:
    """Images (n, 1, 28, 28) for training and for testing.

    data: "mnist5k" or "mnist5k_coarse", of whose 5000 digits a seed chooses 4000 for training, or
    "fashion" with its own split.

    Raises:
        ImagesError: if the files are not there or are damaged.
    """
    if data == "fashion":
        return _files(data)
    images = _digits(data)
    order = generator(seed, role="test").permutation(len(images))
    return images[order[:N_LARGE]], images[order[N_LARGE:]]


def coarse(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Images (n, 1, size, size) scaled down to 8 x 8 pixels, without aliases, and up again."""
    small = interpolate(
        torch.from_numpy(pixels).float(), size=COARSE, mode="bilinear", antialias=True
    )
    large = interpolate(small, size=pixels.shape[-1], mode="bilinear").clamp(0, 255)
    return np.rint(large.numpy()).astype(np.uint8)


@cache
def _digits(data: str) -> Images:
    (images,) = readers.load("mnist5k")
    return Images(coarse(images.pixels), images.labels) if data == "mnist5k_coarse" else images
