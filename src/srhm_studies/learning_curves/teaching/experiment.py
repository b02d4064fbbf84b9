"""One cell: an LCN or CNN trained on data that are drawn anew along what it is taught.

synonyms: p_l at all levels l up to this one; 0: none. places: which placements are drawn anew, each
time that a datum is met,

    none      none
    all       those of all levels, uniformly
    level l   those of level l alone, uniformly
    halves    those of all levels, each feature within its half of its s_0+1 places
    skewed    those of all levels, each next place of a feature half as likely as the one before

Of the shortcut by placements: does a network know a datum by where its features stand? patterns:
the placements of training and test data are drawn from so many patterns, which a seed draws; 0:
uniformly, so that they can name a datum.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from srhm.experiments.cells import Outcome
from srhm.measure.representations import hierarchical_probe
from srhm.measure.sensitivity import measure
from srhm.model.grammar import Grammar, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, derive
from srhm.model.seeding import generator
from srhm.model.transformations import displace, exchange_synonyms
from srhm.networks.geometry import Geometry, geometry, initial_weights
from srhm.training.sparse import SparseEngine, _bases, representations
from srhm_studies.learning_curves.learner import data_of, trained

LEVEL = "level "


def drawn_anew(
    data: Derivations, grammar: Grammar, *, synonyms: int, places: str,
    generator: np.random.Generator,
) -> Derivations:  # fmt: skip
    """The data with other synonyms and places; labels stay."""
    if synonyms:
        data = exchange_synonyms(
            data, grammar, level=synonyms, generator=generator, redraw_all=True
        )
    if places == "none":
        return data
    if places == "all":
        level = grammar.parameters.depth
        return displace(data, grammar, level=level, generator=generator, redraw_all=True)
    if places.startswith(LEVEL):
        level = int(places.removeprefix(LEVEL))
        return displace(data, grammar, level=level, generator=generator)
    moved = MOVES[places](data, grammar, generator)
    return derive(grammar, data.labels, data.choices, moved)


def _halves(data: Derivations, grammar: Grammar, generator: np.random.Generator) -> np.ndarray:
    """Placements whose features stay in the half of their places that they are in."""
    n, s = grammar.parameters.n_empty + 1, grammar.parameters.branching
    within = data.placements[..., None] // n ** np.arange(s - 1, -1, -1) % n
    return _placements(
        within // (n // 2) * (n // 2) + generator.integers(n // 2, size=within.shape), n
    )


def _skewed(data: Derivations, grammar: Grammar, generator: np.random.Generator) -> np.ndarray:
    """Placements that favour the first places of each feature."""
    n, s = grammar.parameters.n_empty + 1, grammar.parameters.branching
    odds = 0.5 ** np.arange(n)
    drawn = generator.choice(n, size=(*data.placements.shape, s), p=odds / odds.sum())
    return _placements(drawn, n)


def _placements(within: np.ndarray, n: int) -> np.ndarray:
    """Number of the placement, sparsity A, from the place of each feature among its own n."""
    return within @ n ** np.arange(within.shape[-1] - 1, -1, -1)


MOVES = {"halves": _halves, "skewed": _skewed}


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
    training, test = data_of(cell, grammar)
    shape, engine, row = taught_network(cell, grammar, training, test)
    if row["status"] != "diverged":
        probe = hierarchical_probe(engine.weights(), shape)
        felt = measure(probe, grammar, test, seed=cell["seed"], n_points=N_POINTS, n_draws=N_DRAWS)
        row |= {f"{entry['kind']}_2": entry["value"] for entry in felt
                if (entry["k"], entry["l"]) == (2, 1) and entry["n"]}  # fmt: skip
    return Outcome({"S_2": None, "D_2": None, **row})


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
    stop = STOP_TAUGHT if is_taught else STOP
    return shape, engine, trained(cell, engine, training, batch=BATCH, stop=stop)


def run_shortcut(cell: Mapping[str, Any]) -> Outcome:
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
        training, test = data_of(cell, grammar)
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
    labels, *choices, pattern = np.unravel_index(ranks[: n_test + P], sizes)
    data = derive(grammar, labels, np.stack(choices, axis=1), pool[pattern])
    return data[n_test:], data[:n_test]
