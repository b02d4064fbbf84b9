"""What the label has to do with a latent, exactly: by the rules of the grammar, without data.

Letters of the paper: L depth, s branching, m synonyms, n_c classes. With sparsity A every place of
a level belongs to one node of the tree, and where things are placed says nothing on the label.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar

# Responses that differ by less, relative to the signal, are one but for rounding.
EQUAL = 1e-9


@dataclass(frozen=True)
class Population:
    """Latents of one level, for each group of places.

    shares (groups, latents): how often a latent occurs, of all in the group. responses (groups,
    latents, n_c): P(label | latent) - P(label), 0 for latents that do not occur.
    """

    shares: NDArray[np.float64]
    responses: NDArray[np.float64]

    @property
    def n_latents(self) -> list[int]:
        """Latents that occur in each group."""
        return [int(n) for n in (self.shares > 0).sum(axis=1)]

    def signal(self) -> NDArray[np.float64]:
        """Root of the mean square of the response over latents, shape (groups,)."""
        squares = (self.responses**2).sum(axis=2)
        return np.asarray(np.sqrt((self.shares * squares).sum(axis=1)))

    def gap(self) -> float:
        """Least distance of two latents' responses over that of two typical ones, all groups.

        Typical is √2 times the signal. 0: two latents are the same to the label, so that nobody
        can tell them apart by it; 1: all pairs are as far apart. NaN with less than two latents.
        """
        least = np.nan
        for shares, responses, signal in zip(
            self.shares, self.responses, self.signal(), strict=True
        ):
            own = responses[shares > 0]
            if len(own) < 2:
                continue
            distances = np.linalg.norm(own[:, None] - own[None], axis=2)
            closest = distances[~np.eye(len(own), dtype=bool)].min()
            if signal > EQUAL:
                closest = closest / (np.sqrt(2) * signal)
            least = np.fmin(least, closest if closest > EQUAL else 0.0)
        return float(least)


def joint(grammar: Grammar, level: int) -> NDArray[np.float64]:
    """P(label, latent) of the features of a level at each node, shape (nodes, n_c, latents).

    Level L+1 is the class, level 1 the input. From a node to its child j: all m synonyms alike.
    """
    parameters = grammar.parameters
    m, n_classes = parameters.n_synonyms, parameters.n_classes
    found = np.eye(n_classes)[None] / n_classes
    for rules in grammar.rules[level - 1 :][::-1]:
        steps = np.zeros((parameters.branching, len(rules), parameters.n_features))
        for child in range(parameters.branching):
            np.add.at(steps[child], (np.arange(len(rules))[:, None], rules[:, :, child]), 1 / m)
        found = np.einsum("nya,cab->ncyb", found, steps)
        found = found.reshape(-1, n_classes, parameters.n_features)
    return found


def population(grammar: Grammar, level: int, group_of: NDArray[np.int64]) -> Population:
    """Latents of a level by group of its places; group_of: the group of each place."""
    table = joint(grammar, level)
    parameters = grammar.parameters
    nodes = _node_of(parameters.branching, parameters.n_empty, parameters.depth + 1 - level)
    grouped = np.zeros((int(group_of.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, group_of, table[nodes])
    grouped /= grouped.sum(axis=(1, 2), keepdims=True)
    shares = grouped.sum(axis=1)
    given = grouped.transpose(0, 2, 1) / np.where(shares > 0, shares, 1.0)[:, :, None]
    responses = np.where(shares[:, :, None] > 0, given - 1 / parameters.n_classes, 0.0)
    return Population(shares, responses)


def _node_of(branching: int, n_empty: int, steps: int) -> NDArray[np.int64]:
    """The node, left to right, of each place that lies so many rules below the root."""
    nodes = np.zeros(1, dtype=np.int64)
    children = np.repeat(np.arange(branching), n_empty + 1)
    for _ in range(steps):
        nodes = (nodes[:, None] * branching + children).ravel()
    return nodes
