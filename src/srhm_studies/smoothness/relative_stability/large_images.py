"""The same networks on images of 28 x 28: digits of MNIST, sharp or coarse, and clothes."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import interpolate

from srhm.experiments.cells import Outcome
from srhm.images import readers
from srhm.images.readers import Images
from srhm.model.seeding import generator
from srhm_studies.smoothness.relative_stability.networks import of_images

N_TRAINING = 4000  # of the 5000 digits; the others are for testing
COARSE = 8  # pixels on a side that coarse digits have in between, as those of scikit-learn


def run(cell: Mapping[str, Any]) -> Outcome:
    """As `networks.of_images`, of the images of `data`.

    Raises:
        ImagesError: if files of images are not there or are damaged.
    """
    return of_images(cell, *load(cell["data"], seed=cell["seed"]))


def load(data: str, *, seed: int) -> tuple[Images, Images]:
    """Images (n, 1, 28, 28) for training and for testing.

    data: "mnist5k" or "mnist5k_coarse", of whose 5000 digits a seed chooses 4000 for training, or
    "fashion" with its own split.

    Raises:
        ImagesError: if the files are not there or are damaged.
    """
    if data == "fashion":
        return _clothes()
    images = _digits(data)
    order = generator(seed, role="test").permutation(len(images))
    return images[order[:N_TRAINING]], images[order[N_TRAINING:]]


def coarse(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Images (n, 1, size, size) scaled down to 8 x 8 pixels, without aliases, and up again."""
    small = interpolate(
        torch.from_numpy(pixels).float(), size=COARSE, mode="bilinear", antialias=True
    )
    large = interpolate(small, size=pixels.shape[-1], mode="bilinear").clamp(0, 255)
    return np.rint(large.numpy()).astype(np.uint8)


@cache
def _digits(data: str) -> Images:
    (found,) = readers.load("mnist5k")
    return Images(coarse(found.pixels), found.labels) if data == "mnist5k_coarse" else found


@cache
def _clothes() -> tuple[Images, Images]:
    training, test = readers.load("fashion")
    return training, test
