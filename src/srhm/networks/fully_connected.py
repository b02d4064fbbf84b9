"""Fully connected networks of equal hidden layers, for images (thesis, chapter 4, Table 1)."""

from functools import partial

from torch import nn


def fully_connected(
    n_hidden: int, *, in_channels: int, size: int, n_classes: int, width: int
) -> list[nn.Module]:
    """n_hidden hidden layers of `width` units, and the readout."""
    layers: list[nn.Module] = [nn.Flatten()]
    for n_in in (in_channels * size**2, *[width] * (n_hidden - 1)):
        layers += [nn.Linear(n_in, width), nn.ReLU()]
    return [*layers, nn.Linear(width, n_classes)]


fc2, fc4, fc6 = (partial(fully_connected, n_hidden) for n_hidden in (2, 4, 6))
