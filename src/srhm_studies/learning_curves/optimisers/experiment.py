"""One cell: an LCN or CNN trained by one optimiser at one rate, and its test error."""

from collections.abc import Mapping
from typing import Any

from srhm.experiments.cells import Outcome
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.sampling import draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.protocol import TrainingPlan, train
from srhm_studies.learning_curves.optimisers.engine import OPTIMISERS, OptimiserEngine

BATCH = 4  # as in the sparse hierarchy


def run(cell: Mapping[str, Any]) -> Outcome:
    """Steps, mean loss of the last epoch (without weight decay) and test error."""
    parameters, seed, P = parameters_of(cell), cell["seed"], cell["P"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    training, test = draw_sample(
        grammar,
        n_train=P,
        n_test=n_test_points(parameters, n_train=P, n_test=cell["n_test"]),
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    shape = geometry(cell["net"], parameters, width=cell["width"])
    engine = OptimiserEngine(
        shape,
        initial_weights(shape, generator=generator(seed, role="initialisation")),
        training,
        test,
        batch_size=BATCH,
        rule=OPTIMISERS[cell["optimiser"]].rule(cell["rate"], width=cell["width"]),
    )
    outcome = train(
        engine,
        training.labels,
        TrainingPlan(
            batch="shuffled",
            batch_size=BATCH,
            loss_threshold=cell["loss_threshold"],
            max_steps=cell["max_steps"],
            n_checks=0,
        ),
        n_classes=parameters.n_classes,
        generator=generator(seed, role="order"),
    )
    names = ("steps", "train_loss", "test_error", "status")
    return Outcome({name: getattr(outcome, name) for name in names})
