"""Handwritten digits as inputs of an FCN: the pixels, or their first principal components.

1797 images of 8 x 8 pixels lie inside scikit-learn, the small form of a set of the UCI
repository. The 70,000 of MNIST, the data of the thesis, are a download.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from srhm.flow.task import IMAGES, MNIST
from srhm.images import mnist


@cache
def digits(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Inputs (images, d), each of squared norm d, and the digits (images,) 0 ... 9.

    name: "digits", 1797 images, or "mnist", 70,000: pixels minus their mean over all images;
    "digits_pca", "mnist_pca": what these are along their first ten principal components, as in
    chapters 1 and 2 of the thesis. Mean and components are those of all images, training and test
    points alike, without the labels. The norm is that of chapter 3a.

    Raises:
        MnistError: if the files of MNIST are missing or altered.
    """
    pixels, labels = _mnist() if name in MNIST else load_digits(return_X_y=True)
    x = pixels - pixels.mean(axis=0)
    d = IMAGES[name].n_inputs
    if d < x.shape[1]:
        # The components of 784 pixels are those of their covariance; for 64 any way is fast.
        solver = "covariance_eigh" if name in MNIST else "full"
        x = PCA(n_components=d, svd_solver=solver).fit_transform(x)
    return x * np.sqrt(d) / np.linalg.norm(x, axis=1, keepdims=True), labels.astype(np.int64)


def _mnist() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All images of MNIST, its training set first: pixels (70000, 784) and digits (70000,)."""
    parts = mnist.load(Path(mnist.FOLDER))
    pixels = np.concatenate([part.pixels.reshape(len(part.pixels), -1) for part in parts])
    return pixels.astype(np.float64), np.concatenate([p.labels for p in parts]).astype(np.int64)
