"""LeNet of LeCun et al. (1989) in its form of 1998 (thesis, chapter 4, Table 1).

Two convolutions of 5 taps with max-pools, three linear layers. Its convolutions are padded, so that
images of 16 x 16 keep some places.
"""

from functools import partial

from torch import nn

# Channels of the convolutions, units of the hidden linear layers; taps a side.
CHANNELS, HIDDEN, TAPS = (6, 16), (120, 84), 5


def lenet(*, in_channels: int, size: int, n_classes: int, width: int) -> list[nn.Module]:
    """Its layers; it has one size, whatever the width."""
    layers: list[nn.Module] = []
    n_in = in_channels
    for n_out in CHANNELS:
        layers += [nn.Conv2d(n_in, n_out, TAPS, padding=TAPS // 2), nn.ReLU(), nn.MaxPool2d(2)]
        n_in = n_out
    layers.append(nn.Flatten())
    n_in *= (size // 2 ** len(CHANNELS)) ** 2
    for n_out in HIDDEN:
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
        n_in = n_out
    return [*layers, nn.Linear(n_in, n_classes)]


def fully_connected(
    n_hidden: int, *, in_channels: int, size: int, n_classes: int, width: int
) -> list[nn.Module]:
    """n_hidden hidden layers of `width` units, and the readout."""
    layers: list[nn.Module] = [nn.Flatten()]
    for n_in in (in_channels * size**2, *[width] * (n_hidden - 1)):
        layers += [nn.Linear(n_in, width), nn.ReLU()]
    return [*layers, nn.Linear(width, n_classes)]


fc2, fc4, fc6 = (partial(fully_connected, n_hidden) for n_hidden in (2, 4, 6))
