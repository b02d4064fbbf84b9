"""The FCN: the first layer sees all places, each by weights of its own."""

from math import sqrt
from typing import Literal

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer


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
