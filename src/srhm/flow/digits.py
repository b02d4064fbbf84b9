"""Handwritten digits as inputs of an FCN: the pixels, or their first principal components.

The images lie inside scikit-learn: 1797 of 8 x 8 pixels, the small form of a set of the UCI
repository, in place of the MNIST of the thesis, which is a download.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from srhm.flow.task import IMAGES


@cache
def digits(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Inputs (1797, d), each of squared norm d, and the digits (1797,) 0 ... 9.

    name: "digits", pixels minus their mean over all images; "digits_pca", what these are along
    their first ten principal components, as in chapters 1 and 2 of the thesis. Mean and components
    are those of all images, training and test points alike, without the labels. The norm is that
    of chapter 3a.
    """
    pixels, labels = load_digits(return_X_y=True)
    x = pixels - pixels.mean(axis=0)
    d = IMAGES[name].n_inputs
    if d < x.shape[1]:
        x = PCA(n_components=d, svd_solver="full").fit_transform(x)
    return x * np.sqrt(d) / np.linalg.norm(x, axis=1, keepdims=True), labels.astype(np.int64)
