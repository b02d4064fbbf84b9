"""Small networks with the data that they learn."""

from typing import Any

import numpy as np

from srhm.data import train_and_test
from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_weights

Sample = tuple[Grammar, Derivations, Derivations]
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
    grammar = draw_grammar(parameters, generator=generator(0, role="grammar"))
    n_test = min(n_test, parameters.n_distinct - n_train)
    train, test = train_and_test(grammar, n_train=n_train, n_test=n_test, seed=0)
    shape = geometry(net, parameters, width=width)
    return shape, initial_weights(shape, generator=np.random.default_rng(3)), train, test


def named_engine(made: type, sample: Sample, net: str, *, width: int = 4, **options: Any) -> Any:
    """An engine of a named net on a sample, in double precision; all start alike."""
    grammar, train, test = sample
    options = {"momentum": 0.9, "dtype": np.float64, **options}
    stream = generator(0, role="initialisation")
    return made(net, grammar.parameters, train, test, width=width, generator=stream, **options)
