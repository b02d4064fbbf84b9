"""What a flow cell learns: its kind of data, and the number of its inputs. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from srhm.model.grammar import parameters_of


@dataclass(frozen=True)
class ImageSet:
    """Images that there are so many of: numbers of one input, and most points for either use."""

    n_inputs: int
    n_train: int
    n_test: int


# Handwritten digits of 8 x 8 pixels, 1797 in all, and images of 28 x 28 (`srhm.flow.inputs`).
IMAGES = {
    "digits": ImageSet(64, 1200, 597),
    "digits_pca": ImageSet(10, 1200, 597),
    "mnist": ImageSet(784, 60_000, 10_000),
    "mnist_pca": ImageSet(10, 60_000, 10_000),
    "mnist5k": ImageSet(784, 4000, 1000),
    "mnist5k_pca": ImageSet(10, 4000, 1000),
    "fashion": ImageSet(784, 60_000, 10_000),
    "fashion_pca": ImageSet(10, 60_000, 10_000),
}


def image_set(data: str) -> str:
    """Name of the images of which these are the pixels, or the principal components."""
    return data.removesuffix("_pca")


def n_inputs(cell: Mapping[str, Any]) -> int:
    """Numbers of one input: d v of a grammar, else the d of the cell."""
    if cell["data"] != "srhm":
        return int(cell["d"])
    parameters = parameters_of(cell)
    return parameters.input_length * parameters.n_features
