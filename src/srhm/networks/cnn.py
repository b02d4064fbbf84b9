"""The CNN: all patches of a layer share one filter of w = s(s_0+1) places."""

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer, layers_on_patches


def cnn(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z mod w."""
    w = parameters.patch_size
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z % w)
