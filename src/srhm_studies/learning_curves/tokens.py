"""Tokens of one level of the data, the patches that they make, and what the grammar says of them.

A patch has w = s(s_0+1) places. Its content says which s tokens it holds and where within it they
stand; with sparsity A token j stands among the places j(s_0+1) ... j(s_0+1) + s_0.
Empty places hold nothing, and where things are placed says nothing on what they are.

Two ways to look at places: "separate" (like an LCN), where every place of a level is on its own,
and "shared" (like a CNN), where the patches of all places are pooled.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from srhm.model.grammar import Grammar, GrammarParameters
from srhm.model.sampling import Derivations, derive

STARTS = 10  # of k-means, from which the best is taken
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tokens:
    """Tokens of one level of n data: values (n, k) from 0 on, and where they stand, (n, k)."""

    values: Ints
    places: Ints


@dataclass(frozen=True)
class Patches:
    """Patches of one level that hold something: numbers of contents and places, (n, k/s) each."""

    contents: Ints
    places: Ints


@dataclass(frozen=True)
class Alphabet:
    """All contents that a patch can have: s of `n_tokens` tokens, each in its own sub-patch."""

    n_tokens: int
    branching: int
    n_empty: int

    @property
    def patch_size(self) -> int:
        """Places of a patch, s(s_0+1)."""
        return self.branching * (self.n_empty + 1)

    @property
    def size(self) -> int:
        """Number of contents, (v(s_0+1))^s."""
        return int((self.n_tokens * (self.n_empty + 1)) ** self.branching)

    def one_hot(self) -> Floats:
        """Every content as s ones among (places of a patch, tokens), shape (size, w v)."""
        width = self.n_tokens * (self.n_empty + 1)
        rows = np.array(list(product(range(width), repeat=self.branching)))
        vectors = np.zeros((self.size, self.branching, width))
        np.put_along_axis(vectors, rows[:, :, None], 1.0, axis=2)
        return vectors.reshape(self.size, -1)

    def patches(self, tokens: Tokens) -> Patches:
        """The patches of tokens; s neighbours in the order of `Derivations` are in one patch."""
        n, k = tokens.values.shape
        shape = (n, k // self.branching, self.branching)
        offsets = tokens.places.reshape(shape) % (self.n_empty + 1)
        digits = offsets * self.n_tokens + tokens.values.reshape(shape)
        width = self.n_tokens * (self.n_empty + 1)
        weights = width ** np.arange(self.branching - 1, -1, -1)
        return Patches(digits @ weights, tokens.places[:, :: self.branching] // self.patch_size)


def alphabet_of(parameters: GrammarParameters) -> Alphabet:
    """The contents of a patch of features of this grammar, of sparsity A.

    Of sparsity B a place belongs to no one sub-patch.
    """
    return Alphabet(parameters.n_features, parameters.branching, parameters.n_empty)


def inputs(data: Derivations) -> Tokens:
    """The informative features of the input, which are the tokens of level 1."""
    return Tokens(data.features.astype(np.int64), data.positions.astype(np.int64))


def groups(net: str, n_places: int) -> Ints:
    """The group of each place of a level."""
    return np.arange(n_places) if net == "separate" else np.zeros(n_places, dtype=np.int64)


def independent(grammar: Grammar, n: int, generator: np.random.Generator) -> Derivations:
    """n data with all choices drawn at random; they may repeat, so that P has no bound."""
    parameters = grammar.parameters
    nodes = (n, parameters.n_nodes)
    return derive(
        grammar,
        generator.integers(parameters.n_classes, size=n),
        generator.integers(parameters.n_synonyms, size=nodes),
        generator.integers(parameters.n_placements, size=nodes),
    )


def clusters_of(points: Floats, counts: Ints, n: int, *, seed: int) -> Ints:
    """A cluster for every content, (contents,): k-means of those that were met, by their counts.

    What was never met gets the cluster of the nearest centre.
    """
    if n < 2:
        return np.zeros(len(counts), dtype=np.int64)
    met = counts > 0
    model = KMeans(n_clusters=n, n_init=STARTS, random_state=seed)
    model.fit(points[met], sample_weight=counts[met])
    return np.asarray(model.predict(points), dtype=np.int64)


@dataclass(frozen=True)
class Population:
    """Latents of one level, for each group of its places.

    shares (groups, latents): how often a latent occurs, of all in the group. means (groups,
    latents, coordinates): P(coordinate | latent) - P(coordinate), of what stands beside or above,
    0 for latents that do not occur.
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


def labels_and(grammar: Grammar, level: int) -> Floats:
    """P(label, latent) of the features of a level at each node, shape (nodes, n_c, latents).

    Level L+1 is the class, level 1 the input.
    """
    p = grammar.parameters
    joint = np.eye(p.n_classes)[None] / p.n_classes
    for rules in grammar.rules[level - 1 :][::-1]:
        joint = np.einsum("nya,cab->ncyb", joint, steps(rules, p.n_features))
        joint = joint.reshape(-1, p.n_classes, p.n_features)
    return joint


def steps(rules: Ints, n_features: int) -> Floats:
    """P(child | latent) by child, (s, latents, v): all m synonyms alike."""
    n_latents, m, s = rules.shape
    probabilities = np.zeros((s, n_latents, n_features))
    for child in range(s):
        np.add.at(probabilities[child], (np.arange(n_latents)[:, None], rules[:, :, child]), 1 / m)
    return probabilities


def node_of(s: int, n_empty: int, steps: int) -> Ints:
    """The node, left to right, of each place that lies so many rules below the root."""
    nodes = np.zeros(1, dtype=np.int64)
    children = np.repeat(np.arange(s), n_empty + 1)
    for _ in range(steps):
        nodes = (nodes[:, None] * s + children).ravel()
    return nodes
