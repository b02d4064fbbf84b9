"""One cell: a grammar, a training set, the algorithm, and how far it is from the truth."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from srhm.data import tree
from srhm.experiments.cells import Outcome
from srhm.measure.sensitivity import Probe, Representation, measure
from srhm.model.grammar import Grammar, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, derive, draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm_studies.learning_curves.level_by_level.errors import response_errors, token_error
from srhm_studies.learning_curves.level_by_level.learner import Stage, groups, learn_level, predict
from srhm_studies.learning_curves.level_by_level.patches import (
    Alphabet,
    Tokens,
    alphabet_of,
    inputs,
)
from srhm_studies.learning_curves.level_by_level.population import Population, population

DRAWS = ("distinct", "independent")
N_POINTS = 200  # test points of the sensitivities
N_DRAWS = 2  # images of each


@dataclass(frozen=True)
class Task:
    """A grammar with the groups of places of each level, and what the label says of its latents.

    group_of[l-1], exact[l-1]: of the patches of level l, and of the latents, of level l+1, that
    made them.
    """

    grammar: Grammar
    alphabet: Alphabet
    group_of: list[NDArray[np.int64]]
    exact: list[Population]

    @property
    def depth(self) -> int:
        """L."""
        return self.grammar.parameters.depth


def task_of(grammar: Grammar, *, net: str) -> Task:
    """The task of a grammar for one of NETS.

    Raises:
        ValueError: if the net is unknown, or the sparsity not A.
    """
    parameters = grammar.parameters
    places = [parameters.patch_size ** (parameters.depth - level)
              for level in range(1, parameters.depth + 1)]  # fmt: skip
    group_of = [groups(net, n) for n in places]
    exact = [population(grammar, level + 2, own) for level, own in enumerate(group_of)]
    return Task(grammar, alphabet_of(parameters), group_of, exact)


def sample(
    grammar: Grammar, *, draws: str, n_train: int, n_test: int, seed: int
) -> tuple[Derivations, Derivations]:
    """Training and test data: "distinct" as all studies have them, or "independent" ones.

    Independent data may repeat, within and between the two; so the number of distinct data sets no
    bound to P, as in the article's theorem.

    Raises:
        ValueError: if `draws` is unknown.
        SampleError: if there are not as many distinct data.
    """
    if draws not in DRAWS:
        raise ValueError(f"draws = {draws!r}: allowed are {', '.join(DRAWS)}")
    train, test = (generator(seed, role=role) for role in ("train", "test"))
    if draws == "independent":
        return independent(grammar, n_train, train), independent(grammar, n_test, test)
    n_test = n_test_points(grammar.parameters, n_train=n_train, n_test=n_test)
    return draw_sample(
        grammar, n_train=n_train, n_test=n_test, train_generator=train, test_generator=test
    )


def independent(grammar: Grammar, n: int, generator: np.random.Generator) -> Derivations:
    """n data with all choices drawn at random."""
    parameters = grammar.parameters
    nodes = (n, parameters.n_nodes)
    return derive(
        grammar,
        generator.integers(parameters.n_classes, size=n),
        generator.integers(parameters.n_synonyms, size=nodes),
        generator.integers(parameters.n_placements, size=nodes),
    )


def learn(
    task: Task, train: Derivations, *, n_random: int, generator: np.random.Generator
) -> list[Stage]:
    """All levels, one after the other, each from the tokens of the one before."""
    stages: list[Stage] = []
    tokens = inputs(train)
    for level in range(1, task.depth + 1):
        stage = _stage(task, level, tokens, train, n_random=n_random, generator=generator)
        tokens = stage.apply(task.alphabet.patches(tokens))
        stages.append(stage)
    return stages


def _stage(
    task: Task,
    level: int,
    tokens: Tokens,
    train: Derivations,
    *,
    n_random: int,
    generator: np.random.Generator,
) -> Stage:
    return learn_level(
        task.alphabet.patches(tokens),
        train.labels,
        alphabet=task.alphabet,
        n_classes=task.grammar.parameters.n_classes,
        group_of=task.group_of[level - 1],
        n_clusters=None if level == task.depth else task.exact[level - 1].n_latents,
        n_random=n_random,
        generator=generator,
    )


def truth(data: Derivations, grammar: Grammar) -> dict[int, Tokens]:
    """The latents of all levels as tokens, level 1 the input, level L+1 the class."""
    return {
        level: Tokens(found.features.astype(np.int64), found.places.astype(np.int64))
        for level, found in tree(data, grammar).items()
    }


def level_rows(
    task: Task,
    stages: list[Stage],
    train: Derivations,
    test: Derivations,
    *,
    n_random: int,
    generator: np.random.Generator,
) -> list[dict[str, Any]]:
    """A row for each level: errors with learnt tokens below, and with true ones."""
    of_train, of_test = (truth(data, task.grammar) for data in (train, test))
    learnt = predict(stages, inputs(test), task.alphabet)
    rows = []
    for level, stage in enumerate(stages, start=1):
        latents = of_test[level + 1]
        clean = stage
        if level > 1:
            clean = _stage(
                task, level, of_train[level], train, n_random=n_random, generator=generator
            )
        alone = clean.apply(task.alphabet.patches(of_test[level]))
        groups_of_test = stage.group_of[latents.places]
        exact = task.exact[level - 1]
        responses = response_errors(
            clean, task.alphabet.patches(of_train[level]), of_train[level + 1].values, exact
        )
        last = level == task.depth
        rows.append(
            {
                "level": level,
                "token_error": _error(learnt[level - 1], latents, groups_of_test, last=last),
                "token_error_clean": _error(alone, latents, groups_of_test, last=last),
                "response_error": responses.error,
                "within": responses.within,
                "between": responses.between,
                "gap": nan if last else exact.gap(),
            }
        )
    return rows


def _error(tokens: Tokens, latents: Tokens, group: NDArray[np.int64], *, last: bool) -> float:
    """Classes have names: nothing is matched."""
    if last:
        return float((tokens.values != latents.values).mean())
    return token_error(tokens.values, latents.values, group)


def probe_of(task: Task, stages: list[Stage]) -> Probe:
    """The tokens after each stage, each a vector with one 1 at its place, as a network's layers."""
    places = [len(own) for own in task.group_of]
    size = max(task.alphabet.n_tokens, task.grammar.parameters.n_classes)
    eye = np.eye(size, dtype=np.float32)

    def represent(data: Derivations) -> list[Representation]:
        found = predict(stages, inputs(data), task.alphabet)
        return [
            Representation(eye[one.values], one.places, n)
            for one, n in zip(found, places, strict=True)
        ]

    nodes = sum(task.grammar.parameters.branching**k for k in range(task.depth))
    names = (*(str(k) for k in range(1, task.depth)), "output")
    return Probe(names, represent, nodes * size)


def run(cell: Mapping[str, Any]) -> Outcome:
    """The numbers of a cell, its table `levels`, and `sensitivities` if it asks for them."""
    parameters = parameters_of(cell)
    seed, n_random = cell["seed"], cell["n_random"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    task = task_of(grammar, net=cell["net"])
    train, test = sample(
        grammar, draws=cell["draws"], n_train=cell["P"], n_test=cell["n_test"], seed=seed
    )
    of_learner = generator(seed, role="initialisation")
    # Arrays are small: a second thread of k-means costs more than it gives.
    with threadpool_limits(1):
        stages = learn(task, train, n_random=n_random, generator=of_learner)
        levels = level_rows(task, stages, train, test, n_random=n_random, generator=of_learner)
    row = {
        "test_error": levels[-1]["token_error"],
        "gap": min((one["gap"] for one in levels[:-1]), default=nan),
    }
    tables = {"levels": levels}
    if cell["sensitivities"]:
        found = measure(
            probe_of(task, stages), grammar, test, seed=seed, n_points=N_POINTS, n_draws=N_DRAWS
        )
        tables["sensitivities"] = [one for one in found if one["n"]]
    return Outcome(row, {name: _columns(rows) for name, rows in tables.items()})


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
