"""The same networks on images of 28 x 28: digits of MNIST, sharp or coarse, and clothes."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import interpolate

from srhm.experiments.outcome import Outcome
from srhm.images import fashion, mnist5k
from srhm.images.cifar import Images
from srhm.images.mnist import Digits
from srhm.model.seeding import generator
from srhm.studies.relative_stability.networks import of_images

N_TRAINING = 4000  # of the 5000 digits; the others are for testing
COARSE = 8  # pixels on a side that coarse digits have in between, as those of scikit-learn


def run(cell: Mapping[str, Any]) -> Outcome:
    """As `networks.of_images`, of the images of `data`.

    Raises:
        MnistError: if files of images are not there or are damaged.
    """
    return of_images(cell, *load(cell["data"], seed=cell["seed"]))


def load(data: str, *, seed: int) -> tuple[Images, Images]:
    """Images (n, 1, 28, 28) for training and for testing.

    data: "mnist5k" or "mnist5k_coarse", of whose 5000 digits a seed chooses 4000 for training, or
    "fashion" with its own split.

    Raises:
        MnistError: if the files are not there or are damaged.
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
    found = _images(mnist5k.load())
    return Images(coarse(found.pixels), found.labels) if data == "mnist5k_coarse" else found


@cache
def _clothes() -> tuple[Images, Images]:
    training, test = (_images(part) for part in fashion.images())
    return training, test


def _images(digits: Digits) -> Images:
    return Images(digits.pixels[:, None], digits.labels.astype(np.int64))
