"""One cell of the shortcut by placements: does a network know a datum by where its features stand?

patterns: the placements of training and test data are drawn from so many patterns, which a seed
draws; 0: as in `experiment`, uniformly, so that they can name a datum.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from srhm.experiments.outcome import Outcome
from srhm.model.grammar import Grammar, draw_grammar
from srhm.model.letters import parameters_of
from srhm.model.sampling import Derivations, derive, draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.studies.teaching.augmentation import drawn_anew
from srhm.studies.teaching.experiment import (
    BATCH,
    MOMENTUM,
    RATE,
    STOP,
    STOP_TAUGHT,
    TaughtEngine,
)
from srhm.training.protocol import TrainingPlan, train
from srhm.training.sparse import representations


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, and which part of the test points is answered with the class of a donor.

    A donor is a training point of another class. donor: once the test point has its placements;
    anew: of the same points and classes, with placements of their own.
    """
    parameters, seed, P = parameters_of(cell), cell["seed"], cell["P"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    if cell["patterns"]:
        training, test = shared(
            grammar, **{k: cell[k] for k in ("patterns", "P", "n_test", "seed")}
        )
    else:
        training, test = draw_sample(
            grammar,
            n_train=P,
            n_test=n_test_points(parameters, n_train=P, n_test=cell["n_test"]),
            train_generator=generator(seed, role="train"),
            test_generator=generator(seed, role="test"),
        )
    shape = geometry(cell["net"], parameters, width=cell["width"])
    taught = {name: cell[name] for name in ("synonyms", "places")}
    images = generator(seed, role="drawing")
    engine = TaughtEngine(
        shape,
        initial_weights(shape, generator=generator(seed, role="initialisation")),
        training,
        test,
        batch_size=BATCH,
        rate=RATE * cell["width"],
        momentum=MOMENTUM,
        draw=partial(drawn_anew, grammar=grammar, generator=images, **taught),
    )
    is_taught = taught != {"synonyms": 0, "places": "none"}
    plan = TrainingPlan(
        batch="shuffled",
        batch_size=BATCH,
        loss_threshold=STOP_TAUGHT if is_taught else STOP,
        max_steps=cell["max_steps"],
        n_checks=0,
    )
    outcome = train(
        engine,
        training.labels,
        plan,
        n_classes=parameters.n_classes,
        generator=generator(seed, role="order"),
    )
    donors = training[generator(seed, role="pairs").integers(P, size=len(test))]
    given = derive(grammar, test.labels, test.choices, donors.placements)
    others = donors.labels != test.labels

    def part(data: Derivations) -> float:
        logits = representations(shape, engine.weights(), data)[-1]
        return float((logits.argmax(axis=1) == donors.labels)[others].mean())

    row = {name: getattr(outcome, name) for name in ("steps", "train_loss", "test_error", "status")}
    learnt = outcome.status != "diverged"
    return Outcome({**row, "donor": part(given), "anew": part(test)} if learnt else row)


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
