"""Small networks with the data that they learn."""

import numpy as np

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_weights

Task = tuple[Geometry, dict[str, np.ndarray], Derivations, Derivations]


def task(
    net: str,
    depth: int,
    branching: int,
    n_empty: int,
    *,
    width: int,
    n_train: int = 60,
    n_test: int = 100,
) -> Task:
    """Geometry, initial weights, and data of a small grammar."""
    v = {2: 4, 3: 3}[branching]
    parameters = GrammarParameters(
        depth=depth,
        branching=branching,
        n_features=v,
        n_synonyms=2 if depth == 3 else v,
        n_classes=v,
        n_empty=n_empty,
    )
    n_train = min(n_train, parameters.n_distinct // 2)
    train, test = draw_sample(
        draw_grammar(parameters, generator=generator(0, role="grammar")),
        n_train=n_train,
        n_test=min(n_test, parameters.n_distinct - n_train),
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    shape = geometry(net, parameters, width=width)
    return shape, initial_weights(shape, generator=np.random.default_rng(3)), train, test
