"""Images as inputs of an FCN: the pixels, or their first principal components.

1797 digits of 8 x 8 pixels lie inside scikit-learn, the small form of a set of the UCI
repository. The 70,000 of MNIST, the data of the thesis, are a download; 5,000 of them lie in a
package, and Fashion-MNIST in one of Debian.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from srhm.flow.task import IMAGES, image_set
from srhm.images.readers import load


@cache
def digits(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Inputs (images, d), each of squared norm d, and the classes (images,) 0 ... 9.

    name: "digits", 1797 images, "mnist", 70,000, "mnist5k", 5,000 of these, or "fashion", 70,000:
    pixels minus their mean over all images; "digits_pca" and so on: what these are along their
    first ten principal components, as in chapters 1 and 2 of the thesis. Mean and components are
    those of all images, training and test points alike, without the labels. The norm is that of
    chapter 3a.

    Raises:
        ImagesError: if the files are missing or altered.
    """
    kind = image_set(name)
    pixels, labels = load_digits(return_X_y=True) if kind == "digits" else _files(kind)
    x = pixels - pixels.mean(axis=0)
    d = IMAGES[name].n_inputs
    if d < x.shape[1]:
        # The components of 784 pixels are those of their covariance; for 64 any way is fast.
        solver = "full" if kind == "digits" else "covariance_eigh"
        x = PCA(n_components=d, svd_solver=solver).fit_transform(x)
    return x * np.sqrt(d) / np.linalg.norm(x, axis=1, keepdims=True), labels.astype(np.int64)


def _files(kind: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All images of 28 x 28, a training set first: pixels (images, 784) and classes (images,)."""
    parts = load(kind)
    pixels = np.concatenate([part.pixels.reshape(len(part.pixels), -1) for part in parts])
    return pixels.astype(np.float64), np.concatenate([part.labels for part in parts])
