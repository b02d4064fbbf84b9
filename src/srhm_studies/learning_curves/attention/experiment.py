"""One cell: a transformer, LCN or CNN, its test error, and the sensitivities of its output.

What a net without positions can know is how many of each feature a datum has, its bag.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.experiments.cells import Outcome
from srhm.measure.representations import hierarchical_probe
from srhm.measure.sensitivity import Probe, Representation, measure, one_node
from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar, parameters_of
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.autograd import inputs
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.attention.network import (
    Transformer,
    TransformerEngine,
    transformer,
)
from srhm_studies.learning_curves.learner import data_of, trained

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
    features = np.arange(parameters.n_classes)[:, None]
    for rules in reversed(grammar.rules):
        k, m = features.shape[1], parameters.n_synonyms
        choices = np.indices((m,) * k).reshape(k, -1).T  # (m^k, k): a synonym for each node
        features = rules[features[:, None], choices].reshape(len(features) * m**k, -1)
    return features, np.repeat(np.arange(parameters.n_classes), n // parameters.n_classes)


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


STOP = 1e-3  # mean loss of an epoch, as in the paper's text
# LCN and CNN as in the sparse hierarchy: the rate is that over H. Transformers: see the README.
RATE, MOMENTUM, BATCH = 0.01, 0.9, 4
RATE_OF_TRANSFORMER, BATCH_OF_TRANSFORMER = 0.003, 32
POSITIONS = {"transformer": False, "transformer_positions": True}
N_POINTS, N_DRAWS = 300, 2  # test points of the sensitivities, images of each
POINTS_OF_A_PASS = 256


def run(cell: Mapping[str, Any]) -> Outcome:
    """Steps, loss and test error; S and D of the output at level 1; the least error of bags.

    S and D are null where the transformation changes nothing, bag_error of nets that see places.
    """
    parameters, seed, width = parameters_of(cell), cell["seed"], cell["width"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    training, test = data_of(cell, grammar)
    weights = generator(seed, role="initialisation")
    if cell["net"] in POSITIONS:
        network = transformer(
            parameters, positions=POSITIONS[cell["net"]], width=width, generator=weights
        )
        of_transformer = TransformerEngine(
            network, parameters, training, test, rate=RATE_OF_TRANSFORMER,
            batch_size=BATCH_OF_TRANSFORMER,
        )  # fmt: skip
        row = trained(cell, of_transformer, training, batch=BATCH_OF_TRANSFORMER, stop=STOP)
        probe = output_probe(network, parameters)
    else:
        shape = geometry(cell["net"], parameters, width=width)
        engine = SparseEngine(
            shape, initial_weights(shape, generator=weights), training, test, batch_size=BATCH,
            rate=RATE * width, momentum=MOMENTUM,
        )  # fmt: skip
        row = trained(cell, engine, training, batch=BATCH, stop=STOP)
        probe = hierarchical_probe(engine.weights(), shape)
    if row["status"] != "diverged":
        # To transformations of the input's level, l = 1, where they are defined.
        rows = measure(probe, grammar, test, seed=seed, n_points=N_POINTS, n_draws=N_DRAWS)
        output = [entry for entry in rows if entry["layer"] == "output" and entry["l"] == 1]
        row |= {entry["kind"]: entry["value"] for entry in output
                if entry["n"] and np.isfinite(entry["value"])}  # fmt: skip
    bag = None if POSITIONS.get(cell["net"], True) else bag_error(grammar)
    return Outcome({"S": None, "D": None, "bag_error": bag, **row})


def output_probe(network: Transformer, parameters: GrammarParameters) -> Probe:
    """How sensitivities see a transformer: its logits alone."""

    @torch.no_grad()
    def represent(data: Derivations) -> list[Representation]:
        dtype = network.readout.weight.dtype
        parts = [
            network(inputs(data[start : start + POINTS_OF_A_PASS], parameters, dtype=dtype))
            for start in range(0, len(data), POINTS_OF_A_PASS)
        ]
        return [one_node(torch.cat(parts).numpy())]

    return Probe(("output",), represent, parameters.input_length * network.readout.in_features)
