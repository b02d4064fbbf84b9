"""Compiled loops of named nets: batch norm with what follows it, depthwise convolutions, SGD.

Arrays are (places, lanes): a lane is a channel of a point, and the channels of a point lie side by
side. What belongs to a channel is first repeated for all points, so that each innermost loop is a
long one over lanes, however few the channels are.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.training.machine_code import compiler

Array = NDArray[Any]

# Sums may be reordered and contracted. NaN and infinity keep their meaning, because a loss that is
# not finite is how a divergence is noticed.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}
# What follows batch norm.
NOTHING, RELU, SWISH = 0, 1, 2

compiled = compiler(Path(__file__), nogil=True, fastmath=FAST_MATH)


@compiled
def over_points(lanes: Array, channels: Array) -> None:
    """Sum of lanes over the points of a batch, by channel."""
    n = len(channels)
    channels[:] = 0
    for first in range(0, len(lanes), n):
        for c in range(n):
            channels[c] += lanes[first + c]


@compiled
def repeat(channels: Array, lanes: Array) -> None:
    """A number of each channel, for all points of a batch."""
    n = len(channels)
    for first in range(0, len(lanes), n):
        for c in range(n):
            lanes[first + c] = channels[c]


@compiled
def moments(
    x: Array,
    mean: Array,
    inverse: Array,
    running_mean: Array,
    running_variance: Array,
    part: float,
    epsilon: float,
    lanes: Array,
) -> None:
    """Mean and inverse deviation of each channel, which move the running ones by a part."""
    n_places, n_lanes = x.shape
    n_channels = len(mean)
    n = n_places * n_lanes // n_channels
    total, shift = lanes[0], lanes[1]
    one, own_part = x.dtype.type(1), x.dtype.type(part)
    total[:] = 0
    for d in range(n_places):
        for i in range(n_lanes):
            total[i] += x[d, i]
    over_points(total, mean)
    for c in range(n_channels):
        mean[c] *= one / n
    repeat(mean, shift)
    total[:] = 0
    for d in range(n_places):
        for i in range(n_lanes):
            total[i] += (x[d, i] - shift[i]) ** 2
    over_points(total, inverse)
    for c in range(n_channels):
        square = inverse[c]
        running_mean[c] += own_part * (mean[c] - running_mean[c])
        running_variance[c] += own_part * (square / (n - 1) - running_variance[c])
        inverse[c] = one / np.sqrt(square / n + x.dtype.type(epsilon))


@compiled
def normalise(
    x: Array,
    gain: Array,
    bias: Array,
    mean: Array,
    inverse: Array,
    lanes: Array,
    y: Array,
    follows: int,
) -> None:
    """gain (x - mean) inverse + bias, and ReLU if that follows; leaves lanes for the way back.

    lanes: the second row is the mean, the third gain * inverse, the fourth the bias.
    """
    n_places, n_lanes = x.shape
    shift, slope, offset = lanes[1], lanes[2], lanes[3]
    repeat(mean, shift)
    n = len(gain)
    for first in range(0, n_lanes, n):
        for c in range(n):
            slope[first + c] = gain[c] * inverse[c]
            offset[first + c] = bias[c]
    if follows == RELU:
        for d in range(n_places):
            for i in range(n_lanes):
                z = (x[d, i] - shift[i]) * slope[i] + offset[i]
                y[d, i] = 0 if z <= 0 else z
    else:
        for d in range(n_places):
            for i in range(n_lanes):
                y[d, i] = (x[d, i] - shift[i]) * slope[i] + offset[i]


@compiled
def normalise_back(
    x: Array,
    y: Array,
    gate: Array,
    gradient: Array,
    gain_gradient: Array,
    bias_gradient: Array,
    inverse: Array,
    lanes: Array,
    follows: int,
) -> None:
    """The gradient by y becomes the gradient by x, in its place.

    y: what ReLU left, if that follows; gate: the sigmoid of the swish, if that does.
    """
    n_places, n_lanes = x.shape
    total, shift, slope, offset, product = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4]
    total[:] = 0
    product[:] = 0
    one = x.dtype.type(1)
    for d in range(n_places):
        if follows == SWISH:
            for i in range(n_lanes):
                z = (x[d, i] - shift[i]) * slope[i] + offset[i]
                s = gate[d, i]
                gradient[d, i] *= s * (one + z * (one - s))
        elif follows == RELU:
            for i in range(n_lanes):
                gradient[d, i] = gradient[d, i] if y[d, i] > 0 else 0
        for i in range(n_lanes):  # a loop for each array that is written: those are fast
            total[i] += gradient[d, i]
        for i in range(n_lanes):
            product[i] += gradient[d, i] * (x[d, i] - shift[i])
    over_points(total, bias_gradient)
    over_points(product, gain_gradient)
    n = len(inverse)
    part = one * n / (n_places * n_lanes)
    for first in range(0, n_lanes, n):
        for c in range(n):
            total[first + c] = part * bias_gradient[c]
            product[first + c] = part * gain_gradient[c] * inverse[c] ** 2
    for c in range(n):
        gain_gradient[c] *= inverse[c]
    for d in range(n_places):
        for i in range(n_lanes):
            centred = gradient[d, i] - total[i] - (x[d, i] - shift[i]) * product[i]
            gradient[d, i] = slope[i] * centred


@compiled
def depthwise(x: Array, weights: Array, lanes: Array, stride: int, y: Array) -> None:
    """Convolution of each channel by itself; weights (taps, channels), zeros beyond the ends."""
    taps = len(weights)
    n_places, n_lanes = x.shape
    for t in range(taps):
        repeat(weights[t], lanes[t])
    y[:] = 0
    for o in range(len(y)):
        for t in range(taps):
            d = o * stride + t - taps // 2
            if 0 <= d < n_places:
                for i in range(n_lanes):
                    y[o, i] += lanes[t, i] * x[d, i]


@compiled
def depthwise_back(
    x: Array,
    gradient: Array,
    lanes: Array,
    stride: int,
    x_gradient: Array,
    weights_gradient: Array,
    sums: Array,
) -> None:
    """Adds to the gradient by x; the gradient by the weights (taps, channels)."""
    taps = len(weights_gradient)
    n_places, n_lanes = x.shape
    sums[:] = 0
    for o in range(len(gradient)):
        for t in range(taps):
            d = o * stride + t - taps // 2
            if 0 <= d < n_places:
                for i in range(n_lanes):
                    x_gradient[d, i] += lanes[t, i] * gradient[o, i]
                for i in range(n_lanes):
                    sums[t, i] += gradient[o, i] * x[d, i]
    for t in range(taps):
        over_points(sums[t], weights_gradient[t])


@compiled
def mean_over_places(x: Array, lanes: Array) -> None:
    """Mean of each lane."""
    lanes[:] = 0
    for d in range(len(x)):
        for i in range(len(lanes)):
            lanes[i] += x[d, i]
    part = x.dtype.type(1) / len(x)
    for i in range(len(lanes)):
        lanes[i] *= part


@compiled
def scale(x: Array, gates: Array, y: Array) -> None:
    """Each lane times its gate."""
    for d in range(len(x)):
        for i in range(len(gates)):
            y[d, i] = x[d, i] * gates[i]


@compiled
def gates_back(x: Array, gradient: Array, gates: Array, lanes: Array) -> None:
    """The gradient by what the gates of `scale` are sigmoids of."""
    lanes[:] = 0
    for d in range(len(x)):
        for i in range(len(lanes)):
            lanes[i] += x[d, i] * gradient[d, i]
    one = x.dtype.type(1)
    for i in range(len(lanes)):
        lanes[i] *= gates[i] * (one - gates[i])


@compiled
def scale_back(gradient: Array, gates: Array, further: Array) -> None:
    """The gradient by y becomes that by x in its place; further: what else comes to each lane."""
    for d in range(len(gradient)):
        for i in range(len(gates)):
            gradient[d, i] = gradient[d, i] * gates[i] + further[i]


@compiled
def add_branch(x: Array, kept: Array, shortcut: Array, lanes: Array, y: Array) -> None:
    """A branch, whose points are multiplied by what is kept of them, and its shortcut."""
    n_channels = len(lanes) // len(kept)
    for b in range(len(kept)):
        lanes[b * n_channels : (b + 1) * n_channels] = kept[b]
    for d in range(len(x)):
        for i in range(len(lanes)):
            y[d, i] = x[d, i] * lanes[i] + shortcut[d, i]


@compiled
def split_branch(gradient: Array, lanes: Array, shortcut_gradient: Array, add: bool) -> None:
    """The gradient of the sum becomes that of the branch, and goes to the shortcut as it is."""
    for d in range(len(gradient)):
        for i in range(len(lanes)):
            before = shortcut_gradient[d, i] if add else 0
            shortcut_gradient[d, i] = before + gradient[d, i]
        for i in range(len(lanes)):
            gradient[d, i] *= lanes[i]


@compiled
def relu_back(y: Array, gradient: Array) -> None:
    """Nothing comes back where ReLU left zero; the gradient changes in its place."""
    for d in range(len(y)):
        for i in range(y.shape[1]):
            gradient[d, i] = gradient[d, i] if y[d, i] > 0 else 0


@compiled
def halve(x: Array, y: Array) -> None:
    """The larger of each two places; the first may be the only one."""
    for o in range(len(y)):
        second = min(2 * o + 1, len(x) - 1)
        for i in range(y.shape[1]):
            a, b = x[2 * o, i], x[second, i]
            y[o, i] = b if b > a or b != b else a


@compiled
def halve_back(x: Array, gradient: Array, x_gradient: Array) -> None:
    """To the larger of two places, to the first where they are equal."""
    x_gradient[:] = 0
    for o in range(len(gradient)):
        second = min(2 * o + 1, len(x) - 1)
        for i in range(gradient.shape[1]):
            later = x[second, i] > x[2 * o, i]
            x_gradient[2 * o, i] = 0 if later else gradient[o, i]
            if second > 2 * o:
                x_gradient[second, i] = gradient[o, i] if later else 0


@compiled
def descend(weights: Array, momenta: Array, gradient: Array, rate: float, momentum: float) -> None:
    """A step of SGD with momentum."""
    eta, mu = weights.dtype.type(rate), weights.dtype.type(momentum)
    for i in range(len(weights)):
        momenta[i] = mu * momenta[i] + gradient[i]
        weights[i] -= eta * momenta[i]
