"""Between CNN and LCN: the patches of the input share one filter, those of layers above do not."""

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer, layers_on_patches


def cnn_first(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z mod w in the first, w = s(s_0+1), and slot z in others."""
    w = parameters.patch_size
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z % w if k == 1 else z)
