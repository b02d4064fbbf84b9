"""What tuples stand beside, counted, and the clusters of what was counted. Nothing is trained.

A patch of level l holds s tokens in s(s_0+1) places; its content says which, and where. Targets are
what is counted beside a content:

    context  the tokens of the other patches under the same parent (cousins, without labels)
    parent   the latent of level l+2 above the patch's own
    class    the label

Nets: "shared": contents of all places are pooled, and so are places of the context, as a network
that shares weights sees them. "separate": every place of a level is on its own, and the context is
known with its places.

What stands beside a latent is also known exactly, by the rules of the grammar, without data: where
things are placed (sparsity A) says nothing on what they are.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from srhm.model.grammar import Grammar, GrammarParameters
from srhm_studies.learning_curves.tokens import (
    Floats,
    Ints,
    Patches,
    Population,
    Tokens,
    clusters_of,
    labels_and,
    node_of,
    steps,
)

TARGETS = ("context", "parent", "class")


def context(tokens: Tokens, parameters: GrammarParameters, *, net: str) -> tuple[Ints, int]:
    """Which coordinates of the context of each patch are 1, (n, k/s, s(s-1)), and of how many.

    A coordinate is a token in a slot (of s) of one of the s-1 other patches of the parent, counted
    from the patch on and around; of a separate net also the places of patch and token.
    """
    s, v, spread = parameters.branching, parameters.n_features, parameters.n_empty + 1
    n, k = tokens.values.shape
    shape = (n, k // s**2, s, s)  # data, parents, patches of a parent, slots
    values = tokens.values.reshape(shape)
    inner = tokens.places.reshape(shape) % spread
    outer = tokens.places.reshape(shape) // parameters.patch_size % spread
    slot = np.arange(s)
    known = net == "separate"
    coordinates = []
    for step in range(1, s):
        number = np.full(shape, step - 1)
        if known:
            number = number * spread + np.roll(outer, -step, axis=2)
        number = number * s + slot
        if known:
            number = number * spread + np.roll(inner, -step, axis=2)
        coordinates.append(number * v + np.roll(values, -step, axis=2))
    size = (s - 1) * s * v * (spread**2 if known else 1)
    every = np.concatenate(coordinates, axis=3)
    return every.reshape(n, k // s, s * (s - 1)), size


@dataclass(frozen=True)
class Statistics:
    """Means of the target beside each content, less those of all contents of the group.

    counts (groups, contents); means (groups, contents, coordinates), 0 for what was never met.
    """

    counts: Ints
    means: Floats


def statistics(
    found: Patches, beside: Ints, n_coordinates: int, group_of: Ints, size: int
) -> Statistics:
    """What stands beside each content of a group. beside: coordinates that are 1, (n, k/s, q)."""
    n_groups = int(group_of.max()) + 1
    cells = group_of[found.places] * size + found.contents
    numbers = cells[:, :, None] * n_coordinates + beside
    table = np.bincount(numbers.ravel(), minlength=n_groups * size * n_coordinates)
    table = table.reshape(n_groups, size, n_coordinates)
    counts = np.bincount(cells.ravel(), minlength=n_groups * size).reshape(n_groups, size)
    totals = np.maximum(counts.sum(axis=1), 1)[:, None, None]
    means = table / np.maximum(counts, 1)[:, :, None] - table.sum(axis=1, keepdims=True) / totals
    return Statistics(counts, np.where(counts[:, :, None] > 0, means, 0.0))


def clusters(means: Floats, counts: Ints, n_clusters: int, *, seed: int) -> Ints:
    """A cluster for every content of a group, (contents,): spectral clustering, weighted by counts.

    k-means of the projections on the first n_clusters - 1 principal directions. What was never met
    gets the cluster that lies nearest to the mean of all.
    """
    met = counts > 0
    n = min(n_clusters, int(met.sum()))
    weighted = np.sqrt(counts[met])[:, None] * means[met]
    _, _, directions = np.linalg.svd(weighted, full_matrices=False)
    return clusters_of(means @ directions[: max(n, 1) - 1].T, counts, n, seed=seed)


def wrong_pairs(tokens: Ints, latents: Ints, of: Ints) -> float:
    """Share of pairs of patches that are wrongly grouped, corrected for chance; arrays (n, k).

    1 - the adjusted index of Rand (Hubert, Arabie 1985): 0 if two patches have one token exactly if
    they have one latent, 1 in the mean for tokens at random. Pairs within each group `of`, whose
    numbers of pairs are summed.
    """
    n_groups, size = int(of.max()) + 1, int(max(tokens.max(), latents.max())) + 1
    numbers = (of * size + tokens) * size + latents
    tables = np.bincount(numbers.ravel(), minlength=n_groups * size**2).astype(float)
    tables = tables.reshape(n_groups, size, size)
    together = _pairs(tables).sum(axis=(1, 2))
    same_latent, same_token = (_pairs(tables.sum(axis=axis)).sum(axis=1) for axis in (1, 2))
    chance = same_latent * same_token / np.maximum(_pairs(tables.sum(axis=(1, 2))), 1.0)
    right, most = (together - chance).sum(), ((same_latent + same_token) / 2 - chance).sum()
    return float(1 - right / most) if most > 0 else 0.0


def _pairs(n: Floats) -> Floats:
    return n * (n - 1) / 2


def population(grammar: Grammar, level: int, *, target: str, net: str) -> Population:
    """What stands beside the latents of level + 1; target, net: see the module."""
    p = grammar.parameters
    joint = _joint(grammar, level, target)
    if net == "shared":
        joint = joint.mean(axis=0, keepdims=True)
    else:
        if target == "context":
            joint = _with_places(joint, p.branching, p.n_empty + 1)
        joint = joint[node_of(p.branching, p.n_empty, p.depth - level)]
    n_ones = p.branching * (p.branching - 1) if target == "context" else 1
    shares = joint.sum(axis=2) / n_ones
    given = joint / np.where(shares > 0, shares, 1.0)[:, :, None]
    means = given - joint.sum(axis=1, keepdims=True)
    return Population(shares, np.where(shares[:, :, None] > 0, means, 0.0))


def _joint(grammar: Grammar, level: int, target: str) -> Floats:
    """P(latent of level + 1, coordinate) at each node of the latent, left to right, by s_0 = 0."""
    p, s = grammar.parameters, grammar.parameters.branching
    if target == "class":
        return labels_and(grammar, level + 1).transpose(0, 2, 1)
    above = labels_and(grammar, level + 2).sum(axis=1)  # P(parent) at its nodes
    rules = grammar.rules[level]  # from parents to tuples of latents
    chance = above / p.n_synonyms
    nodes = [np.zeros((p.n_features, _size(grammar, target, level))) for _ in range(len(above) * s)]
    emitted = steps(grammar.rules[level - 1], p.n_features)  # slot, latent, token
    v = p.n_features
    for parent, (value, rule) in product(
        range(len(above)), ((a, r) for a in range(len(rules)) for r in rules[a])
    ):
        weight = chance[parent, value]
        for side in range(s):
            row = nodes[parent * s + side][rule[side]]
            if target == "parent":
                row[value] += weight
                continue
            for step, slot in product(range(1, s), range(s)):
                at = ((step - 1) * s + slot) * v
                row[at : at + v] += weight * emitted[slot, rule[(side + step) % s]]
    return np.array(nodes)


def _size(grammar: Grammar, target: str, level: int) -> int:
    p = grammar.parameters
    if target == "context":
        return p.branching * (p.branching - 1) * p.n_features
    return p.n_classes if level + 2 > p.depth else p.n_features


def _with_places(joint: Floats, s: int, spread: int) -> Floats:
    """A context with its places: each patch and token in one of s_0+1, all alike."""
    nodes, latents, size = joint.shape
    v = size // (s * (s - 1))
    split = joint.reshape(nodes, latents, s - 1, 1, s, 1, v) / spread**2
    whole = np.broadcast_to(split, (nodes, latents, s - 1, spread, s, spread, v))
    return whole.reshape(nodes, latents, -1)
