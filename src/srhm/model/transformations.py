"""The two invariances of the task: exchange of synonyms p_l and discrete diffeomorphisms τ_l.

Both act on the s-patches of one level l of every datum, from l = 1, the input, to l = L, the patch
of the class (appendix D). Neither changes a label.
"""

from dataclasses import replace

import numpy as np

from srhm.model.grammar import Grammar, whole
from srhm.model.sampling import Derivations, depth_slices, derive


def exchange_synonyms(
    data: Derivations,
    grammar: Grammar,
    *,
    level: int,
    generator: np.random.Generator,
    redraw_all: bool = False,
) -> Derivations:
    """p_l: each patch of level l replaced by one of its m - 1 other synonyms, places kept.

    The features of the levels below derive from the new ones by rules drawn anew. With redraw_all
    the choice at level l is drawn from all m synonyms, as in the published figures.

    Raises:
        TypeError: if the level is no whole number.
        ValueError: if it is not in 1 ... L, or m = 1 leaves no other synonym.
    """
    parameters = grammar.parameters
    slices = _nodes_from(grammar, level)
    m = parameters.n_synonyms
    if m == 1 and not redraw_all:
        raise ValueError("m = 1: a feature without a second synonym cannot be exchanged")
    choices = data.choices.astype(np.int64)
    shape = choices[:, slices[0]].shape
    if redraw_all:
        choices[:, slices[0]] = generator.integers(m, size=shape)
    else:
        others = generator.integers(1, m, size=shape)
        choices[:, slices[0]] = (choices[:, slices[0]] + others) % m
    for nodes in slices[1:]:
        choices[:, nodes] = generator.integers(m, size=choices[:, nodes].shape)
    return derive(grammar, data.labels, choices, data.placements)


def displace(
    data: Derivations,
    grammar: Grammar,
    *,
    level: int,
    generator: np.random.Generator,
    redraw_all: bool = False,
) -> Derivations:
    """τ_l: the features of each patch of level l moved to allowed places drawn anew.

    Features keep their values; those of lower levels keep their places within their patch, which
    moves as a whole. The drawn places may coincide with the old ones. With redraw_all the places of
    all lower levels are drawn anew too, as in the published figures.

    Raises:
        TypeError: if the level is no whole number.
        ValueError: if it is not in 1 ... L.
    """
    slices = _nodes_from(grammar, level)
    placements = data.placements.copy()
    for nodes in slices if redraw_all else slices[:1]:
        drawn = generator.integers(grammar.parameters.n_placements, size=placements[:, nodes].shape)
        placements[:, nodes] = drawn
    moved = derive(grammar, data.labels, data.choices, placements)
    return replace(moved, features=data.features)


def _nodes_from(grammar: Grammar, level: int) -> list[slice]:
    """Nodes that produce level l, then those of each level below."""
    depth = grammar.parameters.depth
    level = whole(level, "level", least=1, most=depth)
    return depth_slices(grammar.parameters)[depth - level :]
