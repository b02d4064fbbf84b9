"""Images to learn from: digits at 16 x 16 or as they are, MNIST and CIFAR-10 where they lie."""

from functools import cache

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.nn.functional import interpolate

from srhm.images import readers
from srhm.images.readers import Images
from srhm.model.seeding import generator

SIDES = {"digits": 16, "digits8": 8}  # pixels; scikit-learn's digits have 8
MOST_BRIGHT = 16  # value of a white pixel there
N_TRAINING = 1200  # of the 1797 digits; the others are for testing


def load(data: str, *, seed: int) -> tuple[Images, Images]:
    """Images for training and for testing.

    data: "digits" or "digits8", of which a seed chooses 1200 for training, or "mnist" or "cifar10",
    each with its own split, from the folder that holds results/.

    Raises:
        ImagesError: if the files are not there or are damaged.
    """
    if data in SIDES:
        images = digits(SIDES[data])
        order = generator(seed, role="test").permutation(len(images))
        return images[order[:N_TRAINING]], images[order[N_TRAINING:]]
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
