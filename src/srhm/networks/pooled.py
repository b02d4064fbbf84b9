"""CNNs that sum over the s_0+1 places of each feature before a layer, so that it sees no places.

The filter of such a layer has one weight for each feature, s in all. With the sum before each
layer, a network is the CNN at s_0 = 0, whatever s_0, and no displacement changes its output.
"""

from collections.abc import Callable

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer
from srhm.networks.places import layers_that_know


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
