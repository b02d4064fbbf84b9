"""What stands beside a latent, exactly: by the rules of the grammar, without data.

Letters of the paper: L depth, s branching, m synonyms, v features, n_c classes, s_0 empty places.
Where things are placed (sparsity A) says nothing on what they are.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Population:
    """Latents of level l+1 at the places of each group of level l.

    shares (groups, latents): how often a latent occurs, of all in the group. means (groups,
    latents, coordinates): P(coordinate | latent) - P(coordinate), 0 for latents that do not occur.
    """

    shares: Floats
    means: Floats

    @property
    def n_latents(self) -> list[int]:
        """Latents that occur in each group."""
        return [int(n) for n in (self.shares > 0).sum(axis=1)]

    def signal(self) -> Floats:
        """Root of the mean square of the means over latents, shape (groups,)."""
        return np.asarray(np.sqrt((self.shares * (self.means**2).sum(axis=2)).sum(axis=1)))


def population(grammar: Grammar, level: int, *, target: str, net: str) -> Population:
    """What stands beside the latents of level + 1; target, net: as in `counts`."""
    p = grammar.parameters
    joint = _joint(grammar, level, target)
    if net == "shared":
        joint = joint.mean(axis=0, keepdims=True)
    else:
        if target == "context":
            joint = _with_places(joint, p.branching, p.n_empty + 1)
        joint = joint[_node_of(p.branching, p.n_empty, p.depth - level)]
    n_ones = p.branching * (p.branching - 1) if target == "context" else 1
    shares = joint.sum(axis=2) / n_ones
    given = joint / np.where(shares > 0, shares, 1.0)[:, :, None]
    means = given - joint.sum(axis=1, keepdims=True)
    return Population(shares, np.where(shares[:, :, None] > 0, means, 0.0))


def _joint(grammar: Grammar, level: int, target: str) -> Floats:
    """P(latent of level + 1, coordinate) at each node of the latent, left to right, by s_0 = 0."""
    p, s = grammar.parameters, grammar.parameters.branching
    if target == "class":
        return _labels_and(grammar, level + 1).transpose(0, 2, 1)
    above = _labels_and(grammar, level + 2).sum(axis=1)  # P(parent) at its nodes
    rules = grammar.rules[level]  # from parents to tuples of latents
    chance = above / p.n_synonyms
    nodes = [np.zeros((p.n_features, _size(grammar, target, level))) for _ in range(len(above) * s)]
    emitted = _steps(grammar.rules[level - 1], p.n_features)  # slot, latent, token
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


def _labels_and(grammar: Grammar, level: int) -> Floats:
    """P(label, latent) of the features of a level at each node, shape (nodes, n_c, latents)."""
    p = grammar.parameters
    found = np.eye(p.n_classes)[None] / p.n_classes
    for rules in grammar.rules[level - 1 :][::-1]:
        found = np.einsum("nya,cab->ncyb", found, _steps(rules, p.n_features))
        found = found.reshape(-1, p.n_classes, p.n_features)
    return found


def _steps(rules: NDArray[np.int64], n_features: int) -> Floats:
    """P(child | latent) by child, (s, latents, v): all m synonyms alike."""
    n_latents, m, s = rules.shape
    steps = np.zeros((s, n_latents, n_features))
    for child in range(s):
        np.add.at(steps[child], (np.arange(n_latents)[:, None], rules[:, :, child]), 1 / m)
    return steps


def _with_places(joint: Floats, s: int, spread: int) -> Floats:
    """A context with its places: each patch and token in one of s_0+1, all alike."""
    nodes, latents, size = joint.shape
    v = size // (s * (s - 1))
    split = joint.reshape(nodes, latents, s - 1, 1, s, 1, v) / spread**2
    whole = np.broadcast_to(split, (nodes, latents, s - 1, spread, s, spread, v))
    return whole.reshape(nodes, latents, -1)


def _node_of(s: int, n_empty: int, steps: int) -> NDArray[np.int64]:
    """The node, left to right, of each place that lies so many rules below the root."""
    nodes = np.zeros(1, dtype=np.int64)
    children = np.repeat(np.arange(s), n_empty + 1)
    for _ in range(steps):
        nodes = (nodes[:, None] * s + children).ravel()
    return nodes
