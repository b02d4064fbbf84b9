"""The LCN: each patch has a filter of its own (Eq. 9)."""

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer, layers_on_patches


def lcn(parameters: GrammarParameters, *, width: int) -> tuple[Layer, ...]:
    """Hidden layers: place z has slot z."""
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z)
