"""One cell: an LCN or CNN trained by one optimiser at one rate, and its test error."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.experiments.cells import Outcome
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.learner import data_of, trained
from srhm_studies.learning_curves.optimisers import kernels
from srhm_studies.learning_curves.optimisers.kernels import Rule

# Without a rate; decay: that of the weights, times H.
OPTIMISERS = {
    "momentum": Rule(mu=0.9),
    "plain": Rule(),
    "decay": Rule(mu=0.9, decay=3e-4),
    "adam": Rule(adam=True, mu=0.9, beta=0.999),
}


def at_rate(optimiser: Rule, rate: float, *, width: int) -> Rule:
    """The rule at a rate and H = width.

    A rate of SGD is that over H, as gradients of a network with an output over H are of order 1/H.
    Adam, whose steps have no unit of the gradient, has the rate itself.
    """
    eta = rate if optimiser.adam else rate * width
    return optimiser._replace(eta=eta, decay=optimiser.decay / width)


class OptimiserEngine(SparseEngine):
    """The sparse engine's forward pass and test error, and steps that move all weights."""

    steps_at_once = 20_000

    def __init__(
        self, *arguments: Any, rule: Rule, batch_size: int, dtype: type = np.float32
    ) -> None:
        # Nothing is to be caught up: each step moves all weights.
        super().__init__(*arguments, batch_size=batch_size, rate=0.0, momentum=0.0, dtype=dtype)
        self._rule = rule
        self._weights = kernels.Weights(self._state.weights, self._state.readout)
        self._gradients, self._means, self._squares = (
            kernels.Weights(*(np.zeros_like(array) for array in self._weights)) for _ in range(3)
        )
        self._of_a_point = kernels.room_for(
            self._network, width=self._geometry.width, n_classes=self._geometry.n_classes
        )

    def steps(self, order: NDArray[np.integer]) -> float:
        """See `Engine`; ends at the first batch whose loss is not finite."""
        summed = kernels.train(
            order.astype(np.int64), self._batch_size, self._bases, self._labels, self._steps,
            self._weights, self._gradients, self._means, self._squares, self._rule, self._network,
            self._of_a_point,
        )  # fmt: skip
        self._steps += -(-len(order) // self._batch_size)
        return float(summed)

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of weights, of both means of gradients, and the number of steps."""
        means = {name: array.copy() for name, array in self._own_means().items()}
        return {**super().state(), **means}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See `Engine`."""
        means = self._own_means()
        super().restore({name: array for name, array in state.items() if name not in means})
        for name, array in means.items():
            array[...] = state[name]

    def _own_means(self) -> dict[str, NDArray[Any]]:
        kinds = {"mean": self._means, "square": self._squares}
        return {f"{kind} {name}": array for kind, both in kinds.items()
                for name, array in both._asdict().items()}  # fmt: skip


BATCH = 4  # as in the sparse hierarchy


def run(cell: Mapping[str, Any]) -> Outcome:
    """Steps, mean loss of the last epoch (without weight decay) and test error."""
    parameters, seed = parameters_of(cell), cell["seed"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    training, test = data_of(cell, grammar)
    shape = geometry(cell["net"], parameters, width=cell["width"])
    engine = OptimiserEngine(
        shape,
        initial_weights(shape, generator=generator(seed, role="initialisation")),
        training,
        test,
        batch_size=BATCH,
        rule=at_rate(OPTIMISERS[cell["optimiser"]], cell["rate"], width=cell["width"]),
    )
    return Outcome(trained(cell, engine, training, batch=BATCH, stop=cell["loss_threshold"]))
