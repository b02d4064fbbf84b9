"""One cell: a grammar, a training set, the algorithm, and how far it is from the truth.

The truth is what the label has to do with a latent, exactly: by the rules of the grammar.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from threadpoolctl import threadpool_limits

from srhm.data import tree
from srhm.experiments.cells import Outcome
from srhm.measure.sensitivity import Probe, Representation, measure
from srhm.model.grammar import Grammar, draw_grammar, parameters_of
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm_studies.learning_curves.learner import data_of
from srhm_studies.learning_curves.level_by_level.learner import Stage, learn_level, predict
from srhm_studies.learning_curves.tokens import (
    Alphabet,
    Ints,
    Patches,
    Population,
    Tokens,
    alphabet_of,
    groups,
    independent,
    inputs,
    labels_and,
    node_of,
)

# Responses that differ by less, relative to the signal, are one but for rounding.
EQUAL = 1e-9


def gap(exact: Population) -> float:
    """Least distance of two latents' responses over that of two typical ones, all groups.

    Typical is √2 times the signal. 0: two latents are the same to the label, so that nobody
    can tell them apart by it; 1: all pairs are as far apart. NaN with less than two latents.
    """
    least = np.nan
    for shares, responses, signal in zip(exact.shares, exact.means, exact.signal(), strict=True):
        present = responses[shares > 0]
        if len(present) < 2:
            continue
        distances = np.linalg.norm(present[:, None] - present[None], axis=2)
        closest = distances[~np.eye(len(present), dtype=bool)].min()
        if signal > EQUAL:
            closest = closest / (np.sqrt(2) * signal)
        least = np.fmin(least, closest if closest > EQUAL else 0.0)
    return float(least)


def population(grammar: Grammar, level: int, group_of: Ints) -> Population:
    """Latents of a level by group of its places; group_of: the group of each place."""
    table = labels_and(grammar, level)
    parameters = grammar.parameters
    nodes = node_of(parameters.branching, parameters.n_empty, parameters.depth + 1 - level)
    grouped = np.zeros((int(group_of.max()) + 1, *table.shape[1:]))
    np.add.at(grouped, group_of, table[nodes])
    grouped /= grouped.sum(axis=(1, 2), keepdims=True)
    shares = grouped.sum(axis=1)
    given = grouped.transpose(0, 2, 1) / np.where(shares > 0, shares, 1.0)[:, :, None]
    responses = np.where(shares[:, :, None] > 0, given - 1 / parameters.n_classes, 0.0)
    return Population(shares, responses)


def token_error(
    tokens: NDArray[np.integer], latents: NDArray[np.integer], groups: NDArray[np.integer]
) -> float:
    """Share of patches whose token disagrees with the latent, all arrays (n, k).

    Tokens have no names of their own: in each group they are matched with the latents as well as
    can be, one to one.
    """
    n_groups, size = int(groups.max()) + 1, int(max(tokens.max(), latents.max())) + 1
    numbers = (groups.astype(np.int64) * size + tokens) * size + latents
    tables = np.bincount(numbers.ravel(), minlength=n_groups * size**2)
    agreeing = 0
    for table in tables.reshape(n_groups, size, size):
        agreeing += int(table[linear_sum_assignment(table, maximize=True)].sum())
    return 1 - agreeing / tokens.size


def response_errors(
    stage: Stage, patches: Patches, latents: NDArray[np.integer], exact: Population
) -> dict[str, float]:
    """Learnt responses of a level against exact ones, from true latents below.

    patches, latents (n, k): of the training points, with the latent that made each patch. Averages
    over groups of their squares, each over its own signal; groups without signal are left out.

    Returns:
        response_error: root of the mean square of learnt - exact. within: mean square about the
        mean of their latent, of the synonyms (and placements) of one latent: 0 for a clean signal.
        between: mean square of the latents' means, corrected for nothing.
    """
    of_content = np.zeros(stage.counts.shape, dtype=np.int64)
    of_content[stage.group_of[patches.places], patches.contents] = latents
    ratios = []
    for group, signal in enumerate(exact.signal()):
        weights = stage.counts[group].astype(float)
        if signal**2 < 1e-12 or not weights.any():
            continue
        weights /= weights.sum()
        learnt, latent_of = stage.responses[group], of_content[group]
        n = exact.means.shape[1]
        mass = np.bincount(latent_of, weights, minlength=n)
        sums = np.zeros((n, learnt.shape[1]))
        np.add.at(sums, latent_of, weights[:, None] * learnt)
        centres = sums / np.where(mass > 0, mass, 1.0)[:, None]
        squares = [
            weights @ ((learnt - exact.means[group][latent_of]) ** 2).sum(axis=1),
            weights @ ((learnt - centres[latent_of]) ** 2).sum(axis=1),
            mass @ (centres**2).sum(axis=1),
        ]
        ratios.append(np.array(squares) / signal**2)
    error, within, between = np.mean(ratios, axis=0) if ratios else [np.nan] * 3
    return {"response_error": float(np.sqrt(error)), "within": float(within),
            "between": float(between)}  # fmt: skip


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
    group_of: list[Ints]
    exact: list[Population]

    @property
    def depth(self) -> int:
        """L."""
        return self.grammar.parameters.depth


def task_of(grammar: Grammar, *, net: str) -> Task:
    """The task of a grammar for "separate" or "shared" places."""
    parameters = grammar.parameters
    places = [parameters.patch_size ** (parameters.depth - level)
              for level in range(1, parameters.depth + 1)]  # fmt: skip
    group_of = [groups(net, n) for n in places]
    exact = [population(grammar, level + 2, of_place) for level, of_place in enumerate(group_of)]
    return Task(grammar, alphabet_of(parameters), group_of, exact)


def sample(cell: Mapping[str, Any], grammar: Grammar) -> tuple[Derivations, Derivations]:
    """Training and test data: "distinct" as all studies have them, or "independent" ones.

    Independent data may repeat, within and between the two; so the number of distinct data sets no
    bound to P, as in the article's theorem.
    """
    if cell["draws"] == "distinct":
        return data_of(cell, grammar)
    train, test = (generator(cell["seed"], role=role) for role in ("train", "test"))
    return independent(grammar, cell["P"], train), independent(grammar, cell["n_test"], test)


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
    task: Task, level: int, tokens: Tokens, train: Derivations, *, n_random: int,
    generator: np.random.Generator,
) -> Stage:  # fmt: skip
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
        level: Tokens(nodes.features.astype(np.int64), nodes.places.astype(np.int64))
        for level, nodes in tree(data, grammar).items()
    }


def level_rows(
    task: Task, stages: list[Stage], train: Derivations, test: Derivations, *, n_random: int,
    generator: np.random.Generator,
) -> list[dict[str, Any]]:  # fmt: skip
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
        rows.append({
            "level": level,
            "token_error": _error(learnt[level - 1], latents, groups_of_test, last=last),
            "token_error_clean": _error(alone, latents, groups_of_test, last=last),
            **responses,
            "gap": nan if last else gap(exact),
        })  # fmt: skip
    return rows


def _error(tokens: Tokens, latents: Tokens, group: Ints, *, last: bool) -> float:
    """Classes have names: nothing is matched."""
    if last:
        return float((tokens.values != latents.values).mean())
    return token_error(tokens.values, latents.values, group)


def probe_of(task: Task, stages: list[Stage]) -> Probe:
    """The tokens after each stage, each a vector with one 1 at its place, as a network's layers."""
    places = [len(of_place) for of_place in task.group_of]
    size = max(task.alphabet.n_tokens, task.grammar.parameters.n_classes)
    eye = np.eye(size, dtype=np.float32)

    def represent(data: Derivations) -> list[Representation]:
        layers = predict(stages, inputs(data), task.alphabet)
        return [
            Representation(eye[tokens.values], tokens.places, n)
            for tokens, n in zip(layers, places, strict=True)
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
    train, test = sample(cell, grammar)
    of_learner = generator(seed, role="initialisation")
    # Arrays are small: a second thread of k-means costs more than it gives.
    with threadpool_limits(1):
        stages = learn(task, train, n_random=n_random, generator=of_learner)
        levels = level_rows(task, stages, train, test, n_random=n_random, generator=of_learner)
    row = {
        "test_error": levels[-1]["token_error"],
        "gap": min((level["gap"] for level in levels[:-1]), default=nan),
    }
    tables = {"levels": levels}
    if cell["sensitivities"]:
        sensitivities = measure(
            probe_of(task, stages), grammar, test, seed=seed, n_points=N_POINTS, n_draws=N_DRAWS
        )
        tables["sensitivities"] = [entry for entry in sensitivities if entry["n"]]
    return Outcome(row, {name: _columns(rows) for name, rows in tables.items()})


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
