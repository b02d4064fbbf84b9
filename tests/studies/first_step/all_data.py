"""Every datum of a grammar."""

import numpy as np

from srhm.model.sampling import derive


def all_data(grammar):
    """Every datum of a grammar, from its number written in digits."""
    parameters = grammar.parameters
    nodes = parameters.n_nodes
    bases = (parameters.n_classes,) + (parameters.n_synonyms,) * nodes
    bases += (parameters.n_placements,) * nodes
    rows = np.stack(np.unravel_index(np.arange(parameters.n_distinct), bases), axis=1)
    return derive(grammar, rows[:, 0], *np.split(rows[:, 1:], 2, axis=1))
