"""Between LCN and CNN: some layers are those of a CNN, the others those of an LCN."""

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer
from srhm.networks.places import layers_that_know


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
