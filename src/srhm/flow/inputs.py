"""What flow networks see and learn: inputs, parities of classes, latents of a level."""

from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from torch import Tensor

from srhm.flow.task import IMAGES, image_set
from srhm.images.readers import load
from srhm.model.encoding import one_hot
from srhm.model.grammar import Grammar, GrammarParameters
from srhm.model.sampling import Derivations, depth_slices


def inputs(
    data: Derivations,
    parameters: GrammarParameters,
    *,
    dtype: torch.dtype = torch.float64,
    squared_norm: float | None = None,
) -> Tensor:
    """One-hot inputs (n, d, v).

    squared_norm: of each input; None: s^L, as the one-hot encoding has it. The FCN of the thesis is
    given inputs of squared norm equal to their number, d v.
    """
    x = torch.from_numpy(one_hot(data, parameters)).to(dtype)
    if squared_norm is None:
        return x
    return x * (squared_norm / parameters.n_leaves) ** 0.5


def parity(labels: NDArray[np.integer], *, dtype: torch.dtype = torch.float64) -> Tensor:
    """Binary labels (n,): +1 for classes of even number, -1 for odd ones."""
    return torch.from_numpy(1 - 2 * (labels.astype(np.int64) % 2)).to(dtype)


def latents(grammar: Grammar, data: Derivations, *, level: int) -> NDArray[np.int64]:
    """Features of a level of each datum, in the order of the tree, (n, s^(L+1-level)).

    Level 1 is the input, level L + 1 the class.

    Raises:
        ValueError: if the level is not one of 1 ... L + 1.
    """
    parameters = grammar.parameters
    if not 1 <= level <= parameters.depth + 1:
        raise ValueError(f"level = {level}: allowed are 1 to L + 1 = {parameters.depth + 1}")
    features = data.labels.astype(np.int64)[:, None]
    for t, nodes in enumerate(depth_slices(parameters)[: parameters.depth + 1 - level]):
        rules = grammar.rules[parameters.depth - t - 1]
        features = rules[features, data.choices[:, nodes]].reshape(len(data), -1)
    return features


def indicators(values: NDArray[np.integer], *, n_values: int) -> Tensor:
    """Centred one-hot targets (n, nodes n_values) of latents (n, nodes) or classes (n,).

    Each column has zero mean over the data; of n_values columns of a node n_values - 1 are
    independent.
    """
    table = np.eye(n_values)[values.reshape(len(values), -1)].reshape(len(values), -1)
    return torch.from_numpy(table - table.mean(axis=0))


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


# Planes x_1 = LOW and x_1 = HIGH, between which is half of a standard Gaussian.
LOW = -0.3
HIGH = float(ndtri(ndtr(LOW) + 0.5))


def stripe(
    n: int, d: int, *, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard Gaussian points (n, d) and their labels (n,), which the first coordinate decides.

    A larger n begins with the points of a smaller one.
    """
    x = generator.standard_normal((n, d))
    inside = (x[:, 0] > LOW) & (x[:, 0] < HIGH)
    return x, np.where(inside, -1.0, 1.0)
