"""Which weights see which places: LCN, CNN and FCN as one scheme (Eq. 9, 10, Figure 3).

Hidden layer k has weights of shape (slots, inputs, H). A place z of its input uses the weights of
slot(z) and feeds place out(z) of its output:

    LCN   slot z          out z // w     w = s(s_0+1), filter = stride
    CNN   slot z mod w    out z // w
    FCN   first layer: slot z, out 0     then: slot 0, out 0

Without bias an empty patch gives zero at every layer, so that a datum touches its s^L informative
places of the input, s^(L-1) of the first layer, and so on.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import GrammarParameters

NETS = ("lcn", "cnn", "fcn")
# What the first layer of an FCN is divided by the root of: d v, all its inputs, or v, as in an LCN.
FcnScale = Literal["dv", "v"]
# The published figures add 0.1 b, b standard Gaussian, for each place, also in the CNN.
BIAS_SCALE = 0.1


@dataclass(frozen=True)
class Layer:
    """One hidden layer: shapes of its weights, and the scale of its pre-activation."""

    n_slots: int
    n_inputs: int
    n_places: int
    """places of the output"""
    arity: int
    """informative inputs that feed one informative output"""
    scale: float
    """1/sqrt(number of input channels); for the first layer of the FCN 1/sqrt(d v) by default"""


@dataclass(frozen=True)
class Geometry:
    """Shape of a network: its hidden layers, width H and number of classes."""

    net: str
    parameters: GrammarParameters
    width: int
    layers: tuple[Layer, ...]

    @property
    def n_classes(self) -> int:
        """Number of outputs."""
        return self.parameters.n_classes

    def slots(self, positions: NDArray[np.integer]) -> tuple[NDArray[np.int32], ...]:
        """Weight slot of each informative input of each layer, from positions (n, s^L).

        A tuple with one array (n, inputs) for each layer, inputs in the order of the tree: each
        group of `arity` neighbours feeds one output.
        """
        w = self.parameters.patch_size
        found = []
        places = positions.astype(np.int32)
        for k in range(len(self.layers)):
            if self.net == "fcn":
                found.append(places if k == 0 else np.zeros_like(places[:, :1]))
            else:
                found.append(places % w if self.net == "cnn" else places)
                places = places[:, :: self.parameters.branching] // w
        return tuple(found)

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each weight array: layer1 ... layerL (slots, inputs, H), readout (H, n_c)."""
        shapes: dict[str, tuple[int, ...]] = {
            f"layer{k}": (layer.n_slots, layer.n_inputs, self.width)
            for k, layer in enumerate(self.layers, start=1)
        }
        shapes["readout"] = (self.width, self.n_classes)
        return shapes


def geometry(
    net: str, parameters: GrammarParameters, *, width: int, fcn_scale: FcnScale = "dv"
) -> Geometry:
    """Geometry of an LCN, CNN or FCN whose filters match the patches of the grammar.

    fcn_scale: what divides the first layer of an FCN, the root of d v or of v.

    Raises:
        ValueError: if the net is unknown or the width below 1.
    """
    if net not in NETS:
        raise ValueError(f"net = {net!r}: allowed are {', '.join(NETS)}")
    if width < 1:
        raise ValueError(f"width = {width}: allowed are 1 or more")
    w, s, d = parameters.patch_size, parameters.branching, parameters.input_length
    layers = []
    for k in range(1, parameters.depth + 1):
        n_inputs = parameters.n_features if k == 1 else width
        places_in = w ** (parameters.depth - k + 1)
        first = n_inputs * (d if fcn_scale == "dv" else 1)
        if net == "fcn":
            layers.append(
                Layer(d, n_inputs, 1, parameters.n_leaves, 1 / sqrt(first))
                if k == 1
                else Layer(1, n_inputs, 1, 1, 1 / sqrt(n_inputs))
            )
        else:
            n_slots = w if net == "cnn" else places_in
            layers.append(Layer(n_slots, n_inputs, places_in // w, s, 1 / sqrt(n_inputs)))
    return Geometry(net, parameters, width, tuple(layers))


def initial_weights(
    shape: Geometry, *, generator: np.random.Generator, dtype: type = np.float32
) -> dict[str, NDArray[np.floating]]:
    """Independent standard Gaussian weights for every layer and the readout."""
    return {
        name: generator.standard_normal(size).astype(dtype)
        for name, size in shape.weight_shapes().items()
    }


def initial_biases(
    shape: Geometry, *, generator: np.random.Generator, dtype: type = np.float32
) -> dict[str, NDArray[np.floating]]:
    """Standard Gaussian biases, one for each place and channel of each hidden layer."""
    return {
        f"layer{k}": generator.standard_normal((layer.n_places, shape.width)).astype(dtype)
        for k, layer in enumerate(shape.layers, start=1)
    }
