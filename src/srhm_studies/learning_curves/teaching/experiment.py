"""One cell: an LCN or CNN trained on data that are drawn anew along what it is taught."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from srhm.experiments.cells import Outcome
from srhm.measure.representations import hierarchical_probe
from srhm.measure.sensitivity import measure
from srhm.model.grammar import Grammar, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_weights
from srhm.training.protocol import TrainingPlan, train
from srhm.training.sparse import SparseEngine, _bases
from srhm_studies.learning_curves.teaching.augmentation import drawn_anew

RATE, MOMENTUM, BATCH = 0.01, 0.9, 4  # as in the sparse hierarchy: the rate is that over H
# A taught network meets new data in each epoch: its loss is of data that it has not seen before.
STOP, STOP_TAUGHT = 1e-3, 1e-2
N_POINTS, N_DRAWS = 200, 2  # test points of the sensitivities, images of each


class TaughtEngine(SparseEngine):
    """The sparse engine, whose training data are drawn anew each time that they are met."""

    def __init__(
        self, *arguments: Any, draw: Callable[[Derivations], Derivations], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._data, self._draw = arguments[2], draw

    def steps(self, order: np.ndarray) -> float:
        """As the sparse engine's, on images of these points."""
        met = self._draw(self._data[order])
        self._bases, self._labels = _bases(self._geometry, met), met.labels.astype(np.int64)
        return super().steps(np.arange(len(order)))


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, and S_2 and D_2 (k = 2, l = 1), null where the transformation changes nothing."""
    grammar = draw_grammar(parameters_of(cell), generator=generator(cell["seed"], role="grammar"))
    training, test = drawn_data(cell, grammar)
    shape, engine, row = taught_network(cell, grammar, training, test)
    if row["status"] != "diverged":
        probe = hierarchical_probe(engine.weights(), shape)
        felt = measure(probe, grammar, test, seed=cell["seed"], n_points=N_POINTS, n_draws=N_DRAWS)
        row |= {f"{one['kind']}_2": one["value"] for one in felt
                if (one["k"], one["l"]) == (2, 1) and one["n"]}  # fmt: skip
    return Outcome({"S_2": None, "D_2": None, **row})


def drawn_data(cell: Mapping[str, Any], grammar: Grammar) -> tuple[Derivations, Derivations]:
    """Training and test data of a cell, placements uniform."""
    seed, P = cell["seed"], cell["P"]
    return draw_sample(
        grammar,
        n_train=P,
        n_test=n_test_points(grammar.parameters, n_train=P, n_test=cell["n_test"]),
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )


def taught_network(
    cell: Mapping[str, Any], grammar: Grammar, training: Derivations, test: Derivations
) -> tuple[Geometry, TaughtEngine, dict[str, Any]]:
    """A network trained on these data: its geometry, its engine, and steps, losses and status."""
    parameters, seed = grammar.parameters, cell["seed"]
    shape = geometry(cell["net"], parameters, width=cell["width"])
    taught = {name: cell[name] for name in ("synonyms", "places")}
    is_taught = taught != {"synonyms": 0, "places": "none"}
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
    outcome = train(
        engine,
        training.labels,
        TrainingPlan(
            batch="shuffled",
            batch_size=BATCH,
            loss_threshold=STOP_TAUGHT if is_taught else STOP,
            max_steps=cell["max_steps"],
            n_checks=0,
        ),
        n_classes=parameters.n_classes,
        generator=generator(seed, role="order"),
    )
    names = ("steps", "train_loss", "test_error", "status")
    return shape, engine, {name: getattr(outcome, name) for name in names}
