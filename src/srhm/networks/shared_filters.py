"""Between LCN and CNN: patches share their filter in one layer, or with some other patches alone.

From the top of the hierarchy down, the place of a patch is told by a feature, 0 ... s-1, and one of
its s_0+1 places, at each level. What a filter does not know of this is shared.
"""

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer
from srhm.networks.places import layers_that_know


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
