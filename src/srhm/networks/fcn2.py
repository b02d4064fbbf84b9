"""The FCN of the published figures, "fcn2" in the authors' code: as many units as an LCN has.

With w = s(s_0+1) places to a patch, layer k = 1 ... L has H w^(L-k) units, and each is connected to
all below. Sums are divided by the root of v (k = 1) or H (above), the channels and not the inputs,
the readout by H. Biases enter as 0.1 b, as in the other nets of the published figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import BIAS_SCALE


@dataclass(frozen=True)
class Connected:
    """One hidden layer: number of inputs and of units, and the scale of its pre-activation."""

    n_inputs: int
    n_units: int
    scale: float


def fcn2(parameters: GrammarParameters, *, width: int) -> tuple[Connected, ...]:
    """Hidden layers from the input on; the last has H = width units."""
    w, depth = parameters.patch_size, parameters.depth
    below, layers = parameters.input_length * parameters.n_features, []
    for k in range(1, depth + 1):
        n_units = width * w ** (depth - k)
        channels = parameters.n_features if k == 1 else width
        layers.append(Connected(below, n_units, 1 / sqrt(channels)))
        below = n_units
    return tuple(layers)


def connected_weights(
    parameters: GrammarParameters,
    *,
    width: int,
    bias: bool,
    generator: np.random.Generator,
    dtype: type = np.float32,
) -> dict[str, NDArray[np.floating]]:
    """Independent standard Gaussian weights: layer1 ... layerL (inputs, units), readout (H, n_c).

    bias: also layer1.bias ... (units,), drawn after all weights.
    """
    layers = fcn2(parameters, width=width)
    shapes: dict[str, tuple[int, ...]] = {
        f"layer{k}": (layer.n_inputs, layer.n_units) for k, layer in enumerate(layers, start=1)
    }
    shapes["readout"] = (width, parameters.n_classes)
    if bias:
        shapes |= {f"layer{k}.bias": (layer.n_units,) for k, layer in enumerate(layers, start=1)}
    return {name: generator.standard_normal(size).astype(dtype) for name, size in shapes.items()}


def activations(
    weights: Mapping[str, NDArray[Any]], x: NDArray[Any], parameters: GrammarParameters, width: int
) -> list[NDArray[Any]]:
    """Hidden layers after ReLU (n, units) and the logits (n, n_c), of inputs (n, d v)."""
    hidden, scalar = [], x.dtype.type
    for k, layer in enumerate(fcn2(parameters, width=width), start=1):
        x = x @ weights[f"layer{k}"]
        x *= scalar(layer.scale)
        if f"layer{k}.bias" in weights:
            x += scalar(BIAS_SCALE) * weights[f"layer{k}.bias"]
        hidden.append(np.maximum(x, 0, out=x))
    return [*hidden, x @ weights["readout"] / scalar(width)]
