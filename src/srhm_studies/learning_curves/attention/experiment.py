"""One cell: a transformer, LCN or CNN, its test error, and the sensitivities of its output."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from srhm.experiments.cells import Outcome
from srhm.measure.representations import hierarchical_probe
from srhm.measure.sensitivity import Probe, Representation, measure, one_node
from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.autograd import inputs
from srhm.training.protocol import Engine, TrainingPlan, train
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.attention.bags import bag_error
from srhm_studies.learning_curves.attention.engine import TransformerEngine, transformer
from srhm_studies.learning_curves.attention.network import Transformer

STOP = 1e-3  # mean loss of an epoch, as in the paper's text
# LCN and CNN as in the sparse hierarchy: the rate is that over H. Transformers: see the README.
RATE, MOMENTUM, BATCH = 0.01, 0.9, 4
OPTIMISER, RATE_OF_TRANSFORMER, BATCH_OF_TRANSFORMER = "adam", 0.003, 32
POSITIONS = {"transformer": False, "transformer_positions": True}
N_POINTS, N_DRAWS = 300, 2  # test points of the sensitivities, images of each
POINTS_OF_A_PASS = 256


def run(cell: Mapping[str, Any]) -> Outcome:
    """Steps, loss and test error; S and D of the output at level 1; the least error of bags.

    S and D are null where the transformation changes nothing, bag_error of nets that see places.
    """
    parameters, seed, P = parameters_of(cell), cell["seed"], cell["P"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    training, test = draw_sample(
        grammar,
        n_train=P,
        n_test=n_test_points(parameters, n_train=P, n_test=cell["n_test"]),
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    made = _transformer if cell["net"] in POSITIONS else _convolutional
    engine, batch, probe_of = made(cell, parameters, training, test)
    outcome = train(
        engine,
        training.labels,
        TrainingPlan(
            batch="shuffled",
            batch_size=batch,
            loss_threshold=STOP,
            max_steps=cell["max_steps"],
            n_checks=0,
        ),
        n_classes=parameters.n_classes,
        generator=generator(seed, role="order"),
    )
    row = {name: getattr(outcome, name) for name in ("steps", "train_loss", "test_error", "status")}
    if outcome.status != "diverged":
        row |= _felt(probe_of(), grammar, test, seed)
    blind = not POSITIONS.get(cell["net"], True)
    return Outcome(
        {"S": None, "D": None, "bag_error": bag_error(grammar) if blind else None, **row}
    )


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


def _transformer(
    cell: Mapping[str, Any], parameters: GrammarParameters, training: Derivations, test: Derivations
) -> tuple[Engine, int, Any]:
    network = transformer(
        parameters,
        positions=POSITIONS[cell["net"]],
        width=cell["width"],
        generator=generator(cell["seed"], role="initialisation"),
    )
    engine = TransformerEngine(
        network,
        parameters,
        training,
        test,
        optimiser=OPTIMISER,
        rate=RATE_OF_TRANSFORMER,
        batch_size=BATCH_OF_TRANSFORMER,
    )
    return engine, BATCH_OF_TRANSFORMER, lambda: output_probe(network, parameters)


def _convolutional(
    cell: Mapping[str, Any], parameters: GrammarParameters, training: Derivations, test: Derivations
) -> tuple[Engine, int, Any]:
    shape = geometry(cell["net"], parameters, width=cell["width"])
    engine = SparseEngine(
        shape,
        initial_weights(shape, generator=generator(cell["seed"], role="initialisation")),
        training,
        test,
        batch_size=BATCH,
        rate=RATE * cell["width"],
        momentum=MOMENTUM,
    )
    return engine, BATCH, lambda: hierarchical_probe(engine.weights(), shape)


def _felt(probe: Probe, grammar: Grammar, test: Derivations, seed: int) -> dict[str, float]:
    """S and D of the output to transformations of the input's level, l = 1, where defined."""
    rows = measure(probe, grammar, test, seed=seed, n_points=N_POINTS, n_draws=N_DRAWS)
    output = [one for one in rows if one["layer"] == "output" and one["l"] == 1]
    return {one["kind"]: one["value"] for one in output if one["n"] and np.isfinite(one["value"])}
