"""Which weights see which places: nets whose filters do not overlap as one scheme (Eq. 9, 10).

Hidden layer k has weights of shape (slots, inputs, H). A place z of its input uses the weights of
slot(z) and feeds place z // K of its output, K places to a filter. LCN, CNN and FCN (Figure 3)
differ in slot and K. Each is a module of its own, which `registry.HIERARCHICAL` names.

Without bias an empty patch gives zero at every layer, so that a datum touches its s^L informative
places of the input, s^(L-1) of the first layer, and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.declare.names import resolved
from srhm.model.grammar import GrammarParameters
from srhm.networks.registry import HIERARCHICAL, function_of

# The published figures add 0.1 b, b standard Gaussian, for each place, also in the CNN.
BIAS_SCALE = 0.1


@dataclass(frozen=True)
class Layer:
    """One hidden layer: which weights its places use, and the scale of its pre-activation.

    A slot is a weight for each pair of channels. slots: that of each place of the input, from 0
    on, none left out.
    """

    slots: tuple[int, ...]
    n_inputs: int
    """channels of the input"""
    n_places: int
    """places of the output; each sees len(slots) / n_places places of the input, side by side"""
    arity: int
    """informative inputs that feed one informative output"""
    scale: float
    """1/sqrt(number of input channels); for the first layer of the FCN 1/sqrt(d v) by default"""

    @cached_property
    def n_slots(self) -> int:
        """Number of slots."""
        return max(self.slots) + 1

    @cached_property
    def filter_size(self) -> int:
        """Places of the input that an output sees."""
        return len(self.slots) // self.n_places

    @cached_property
    def shared(self) -> bool:
        """Whether all places of the output have one filter, and not each weight one use."""
        filters = np.reshape(self.slots, (self.n_places, -1))
        return self.n_slots < len(self.slots) and bool((filters == filters[0]).all())

    @cached_property
    def tied(self) -> bool:
        """Whether slots are shared otherwise: within a filter, or by some filters and not all."""
        return self._order != list(range(self.n_slots))

    @cached_property
    def n_filters(self) -> int:
        """1 where places share their filter, else one for each place of the output."""
        return 1 if self.shared else self.n_places

    def filters(self, weights: Any) -> Any:
        """Weights (..., slots, inputs, H) as filters (..., filters, K, inputs, H) see them.

        Of NumPy or PyTorch; a view unless slots are `tied`.
        """
        *above, _, n_inputs, width = weights.shape
        seen = weights[..., self._order, :, :] if self.tied else weights
        return seen.reshape(*above, self.n_filters, self.filter_size, n_inputs, width)

    def summed(self, gradients: NDArray[Any]) -> NDArray[Any]:
        """Gradients by filters (filters, K, inputs, H) as those by the weights (slots, inputs, H).

        (The adjoint of `filters`.)
        """
        by_place = gradients.reshape(-1, *gradients.shape[-2:])
        if not self.tied:
            return by_place
        by_slot = np.zeros((self.n_slots, *by_place.shape[1:]), by_place.dtype)
        np.add.at(by_slot, self._order, by_place)
        return by_slot

    @cached_property
    def _order(self) -> list[int]:
        """Slots of all filters, filter by filter."""
        return list(self.slots[: self.n_filters * self.filter_size])


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
        slots = []
        places = positions.astype(np.int32)
        for layer in self.layers:
            slots.append(np.array(layer.slots, dtype=np.int32)[places])
            places = places[:, :: layer.arity] // layer.filter_size
        return tuple(slots)

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each weight array: layer1 ... layerL (slots, inputs, H), readout (H, n_c)."""
        shapes: dict[str, tuple[int, ...]] = {
            f"layer{k}": (layer.n_slots, layer.n_inputs, self.width)
            for k, layer in enumerate(self.layers, start=1)
        }
        shapes["readout"] = (self.width, self.n_classes)
        return shapes


# Planning asks for the geometry of every cell.
@lru_cache(maxsize=1024)
def geometry(net: str, parameters: GrammarParameters, *, width: int, **options: Any) -> Geometry:
    """Geometry of an LCN, CNN, FCN or another net of `registry.HIERARCHICAL`.

    options: what the net's own function takes beside the width, as the `fcn_scale` of an FCN.

    Raises:
        ValueError: if the net is unknown or the width below 1.
    """
    if net not in HIERARCHICAL:
        raise ValueError(f"net = {net!r}: allowed are {', '.join(HIERARCHICAL)}")
    if width < 1:
        raise ValueError(f"width = {width}: allowed are 1 or more")
    layers = resolved(function_of(net))(parameters, width=width, **options)
    return Geometry(net, parameters, width, layers)


def layers_on_patches(
    parameters: GrammarParameters,
    *,
    width: int,
    slot: Callable[[int, NDArray[np.integer]], NDArray[np.integer]],
) -> tuple[Layer, ...]:
    """A layer for each level, with filters that match the patches of the grammar, filter = stride.

    slot: k and the places z of the input of layer k -> their slots.
    """
    w, layers = parameters.patch_size, []
    for k in range(1, parameters.depth + 1):
        places = np.arange(w ** (parameters.depth - k + 1))
        n_inputs = parameters.n_features if k == 1 else width
        slots = tuple(slot(k, places).tolist())
        n_places = len(places) // w
        layers.append(Layer(slots, n_inputs, n_places, parameters.branching, 1 / sqrt(n_inputs)))
    return tuple(layers)


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
