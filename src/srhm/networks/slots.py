"""Layers by what their weights know of the place that they see: which feature, where in its patch.

A place of the input of layer k is told by n = L-k+1 pairs (feature, place of the feature), from the
top level down, s and s_0+1 values each. The last pair is within the patch that a filter sees, the
pairs above say which patch that is.
"""

from collections.abc import Callable
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer, layers_on_patches

OfLayer = Callable[[int], bool]


def layers_that_know(
    parameters: GrammarParameters,
    *,
    width: int,
    features: OfLayer,
    places: OfLayer,
    own_places: OfLayer = lambda k: True,
) -> tuple[Layer, ...]:
    """A layer for each level, with a weight for each value of what its filters know.

    features, places: whether layer k knows the features, or their places, of its patch. own_places:
    whether it knows the places within the patch; the features within it all layers know. LCN: all
    of it; CNN: no more than what is within.
    """

    def slot(k: int, z: NDArray[np.integer]) -> NDArray[np.integer]:
        above = parameters.depth - k
        sizes = (parameters.branching, parameters.n_empty + 1) * (above + 1)
        known = [*(features(k), places(k)) * above, True, own_places(k)]
        pairs = zip(np.unravel_index(z, sizes), sizes, known, strict=True)
        digits, kept = zip(*((digit, size) for digit, size, used in pairs if used), strict=True)
        return np.asarray(np.ravel_multi_index(digits, kept))

    return layers_on_patches(parameters, width=width, slot=slot)


def lcn(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z."""
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z)


def cnn(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z mod w."""
    w = parameters.patch_size
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z % w)


def fcn(
    parameters: GrammarParameters, *, width: int, fcn_scale: Literal["dv", "v"] = "dv"
) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z and feeds the only output.

    fcn_scale: what divides the first layer, the root of d v, all its inputs, or of v, as in an LCN.
    """
    d, v = parameters.input_length, parameters.n_features
    scale = 1 / sqrt(v * (d if fcn_scale == "dv" else 1))
    first = Layer(tuple(range(d)), v, 1, parameters.n_leaves, scale)
    above = Layer((0,), width, 1, 1, 1 / sqrt(width))
    return (first, *[above] * (parameters.depth - 1))


def cnn_first(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z mod w in the first, w = s(s_0+1), and slot z in others."""
    w = parameters.patch_size
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z % w if k == 1 else z)


def cnn_pooled(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: all sum over places first."""
    return _pooled(parameters, width, lambda k: True)


def cnn_pooled_first(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the first sums over places, the others are those of a CNN."""
    return _pooled(parameters, width, lambda k: k == 1)


def cnn_pooled_last(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the last sums over places, the others are those of a CNN."""
    return _pooled(parameters, width, lambda k: k == parameters.depth)


def _pooled(
    parameters: GrammarParameters, width: int, pools: Callable[[int], bool]
) -> tuple[Layer, ...]:
    return layers_that_know(
        parameters,
        width=width,
        features=lambda k: False,
        places=lambda k: False,
        own_places=lambda k: not pools(k),
    )


def cnn_second(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the second is that of a CNN, the others are those of an LCN."""
    return layers_that_know(
        parameters, width=width, features=lambda k: k != 2, places=lambda k: k != 2
    )


def cnn_places(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: a filter for each feature, shared among its s_0+1 places."""
    return layers_that_know(
        parameters, width=width, features=lambda k: True, places=lambda k: False
    )


def cnn_features(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: a filter for each place, shared between the features that lie there."""
    return layers_that_know(
        parameters, width=width, features=lambda k: False, places=lambda k: True
    )


def _shared(
    parameters: GrammarParameters, width: int, layers: tuple[int, ...]
) -> tuple[Layer, ...]:
    """Hidden layers: those of these numbers have one filter, all others one for each patch."""

    def known(k: int) -> bool:
        return k not in layers

    return layers_that_know(parameters, width=width, features=known, places=known)


def cnn_third(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the third is that of a CNN, the others are those of an LCN."""
    return _shared(parameters, width, (3,))


def cnn_first_second(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the first two are those of a CNN, the others are those of an LCN."""
    return _shared(parameters, width, (1, 2))


def cnn_first_third(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the first and third are those of a CNN, the others are those of an LCN."""
    return _shared(parameters, width, (1, 3))


def cnn_second_third(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: the second and third are those of a CNN, the others are those of an LCN."""
    return _shared(parameters, width, (2, 3))
