"""What cells of these studies have in common: their data, and a training without snapshots."""

from collections.abc import Mapping
from typing import Any

from srhm.model.grammar import Grammar
from srhm.model.sampling import Derivations, draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm.training.protocol import Engine, TrainingPlan, train


def data_of(cell: Mapping[str, Any], grammar: Grammar) -> tuple[Derivations, Derivations]:
    """Training and test data, all distinct: P of the one, and at most n_test of the other.

    Raises:
        SampleError: if there are not as many distinct data.
    """
    seed, P = cell["seed"], cell["P"]
    return draw_sample(
        grammar,
        n_train=P,
        n_test=n_test_points(grammar.parameters, n_train=P, n_test=cell["n_test"]),
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )


def trained(
    cell: Mapping[str, Any], engine: Engine, training: Derivations, *, batch: int, stop: float
) -> dict[str, Any]:
    """Trains until the mean loss of an epoch is at most `stop`: steps, loss, test error, status."""
    outcome = train(
        engine,
        training.labels,
        TrainingPlan(
            batch="shuffled",
            batch_size=batch,
            loss_threshold=stop,
            max_steps=cell["max_steps"],
            n_checks=0,
        ),
        n_classes=cell["n_c"],
        generator=generator(cell["seed"], role="order"),
    )
    return {
        name: getattr(outcome, name) for name in ("steps", "train_loss", "test_error", "status")
    }
