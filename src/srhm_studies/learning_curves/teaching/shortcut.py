"""One cell of the shortcut by placements: does a network know a datum by where its features stand?

patterns: the placements of training and test data are drawn from so many patterns, which a seed
draws; 0: as in `experiment`, uniformly, so that they can name a datum.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from srhm.experiments.cells import Outcome
from srhm.model.grammar import Grammar, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, derive
from srhm.model.seeding import generator
from srhm.training.sparse import representations
from srhm_studies.learning_curves.teaching.experiment import drawn_data, taught_network


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, and which part of the test points is answered with the class of a donor.

    A donor is a training point of another class. donor: once the test point has its placements;
    anew: of the same points and classes, with placements of their own.
    """
    seed = cell["seed"]
    grammar = draw_grammar(parameters_of(cell), generator=generator(seed, role="grammar"))
    if cell["patterns"]:
        training, test = shared(
            grammar, **{name: cell[name] for name in ("patterns", "P", "n_test", "seed")}
        )
    else:
        training, test = drawn_data(cell, grammar)
    shape, engine, row = taught_network(cell, grammar, training, test)
    if row["status"] == "diverged":
        return Outcome(row)
    donors = training[generator(seed, role="pairs").integers(len(training), size=len(test))]
    given = derive(grammar, test.labels, test.choices, donors.placements)
    others = donors.labels != test.labels

    def part(data: Derivations) -> float:
        logits = representations(shape, engine.weights(), data)[-1]
        return float((logits.argmax(axis=1) == donors.labels)[others].mean())

    return Outcome({**row, "donor": part(given), "anew": part(test)})


def shared(
    grammar: Grammar, *, patterns: int, P: int, n_test: int, seed: int
) -> tuple[Derivations, Derivations]:
    """Training and test data, all distinct, whose placements have so many patterns.

    The first P training points are the same whatever P is.
    """
    parameters, draw = grammar.parameters, generator(seed, role="train")
    nodes, n = parameters.n_nodes, parameters.n_placements
    kept = draw.choice(n**nodes, size=patterns, replace=False)
    pool = np.stack(np.unravel_index(kept, (n,) * nodes), axis=1)
    sizes = (parameters.n_classes, *(parameters.n_synonyms,) * nodes, patterns)
    # At most half of all data are asked for (`largest_of_shared`): twice as many draws have them.
    ranks = pd.unique(draw.integers(int(np.prod(sizes)), size=2 * (n_test + P)))
    labels, *choices, own = np.unravel_index(ranks[: n_test + P], sizes)
    data = derive(grammar, labels, np.stack(choices, axis=1), pool[own])
    return data[n_test:], data[:n_test]
