"""Layers by what their weights know of the place that they see: which feature, where in its patch.

A place of the input of layer k is told by n = L-k+1 pairs (feature, place of the feature), from the
top level down, s and s_0+1 values each. The last pair is within the patch that a filter sees, the
pairs above say which patch that is.
"""

from collections.abc import Callable

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
