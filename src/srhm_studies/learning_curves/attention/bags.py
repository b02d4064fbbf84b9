"""What a net without positions can know: how many of each feature a datum has, its bag."""

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar

MOST_STRINGS = 2_000_000


def strings(grammar: Grammar) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Features (n, s^L) of all data without their places, and their classes (n,).

    Raises:
        ValueError: if there are more than MOST_STRINGS.
    """
    parameters = grammar.parameters
    n = parameters.n_classes * parameters.n_synonyms**parameters.n_nodes
    if n > MOST_STRINGS:
        raise ValueError(f"{n} strings of features: allowed are up to {MOST_STRINGS}")
    found = np.arange(parameters.n_classes)[:, None]
    for rules in reversed(grammar.rules):
        k, m = found.shape[1], parameters.n_synonyms
        choices = np.indices((m,) * k).reshape(k, -1).T  # (m^k, k): a synonym for each node
        found = rules[found[:, None], choices].reshape(len(found) * m**k, -1)
    return found, np.repeat(np.arange(parameters.n_classes), n // parameters.n_classes)


def bag_error(grammar: Grammar) -> float:
    """Least error of a classifier that knows the bag of a datum and all frequencies.

    1 - sum over bags b of max over classes c of p(b, c): that of the most frequent class.
    """
    features, labels = strings(grammar)
    n_features, n_classes = grammar.parameters.n_features, grammar.parameters.n_classes
    counts = (features[:, :, None] == np.arange(n_features)).sum(axis=1)
    _, bags = np.unique(counts, axis=0, return_inverse=True)
    table = np.zeros((bags.max() + 1, n_classes))
    np.add.at(table, (bags.ravel(), labels), 1)
    return float(1 - table.max(axis=1).sum() / len(labels))
