"""One cell: a grammar, points, the clusters of each level, and how far they are from the truth."""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from srhm.data import Level, tree
from srhm.experiments.cells import Outcome
from srhm.model.grammar import GrammarParameters, draw_grammar, parameters_of
from srhm.model.seeding import generator
from srhm_studies.learning_curves.own_latents.counts import (
    Statistics,
    clusters,
    context,
    population,
    statistics,
    wrong_pairs,
)
from srhm_studies.learning_curves.tokens import (
    Ints,
    Patches,
    Population,
    Tokens,
    alphabet_of,
    groups,
    independent,
    inputs,
)

# Mean squares below are zero but for rounding.
LEAST_SIGNAL = 1e-20


def beside(
    target: str, tokens: Tokens, latents: Mapping[int, Level], level: int,
    parameters: GrammarParameters, *, net: str,
) -> tuple[Ints, int]:  # fmt: skip
    """Coordinates that stand beside each patch of a level, (n, k/s, q), and of how many."""
    if target == "context":
        return context(tokens, parameters, net=net)
    above = level + 2 if target == "parent" else parameters.depth + 1
    values = latents[above].features.astype(np.int64)
    n_patches = tokens.values.shape[1] // parameters.branching
    repeated = np.repeat(values, n_patches // values.shape[1], axis=1)[:, :, None]
    return repeated, parameters.n_classes if above > parameters.depth else parameters.n_features


def noise(
    found: Statistics, own: Patches, latents: Ints, group_of: Ints, exact: Population
) -> float:
    """Mean square of statistic - exact one over training patches, over that of the exact one.

    NaN without a signal. latents: that made each patch, (n, k).
    """
    of_content = np.zeros(found.counts.shape, dtype=np.int64)
    of_content[group_of[own.places], own.contents] = latents
    true = np.take_along_axis(exact.means, of_content[:, :, None], axis=1)
    squares = (found.counts * ((found.means - true) ** 2).sum(axis=2)).sum()
    signal = (found.counts.sum(axis=1) * exact.signal() ** 2).sum()
    return float(squares / signal) if signal > LEAST_SIGNAL * found.counts.sum() else nan


def run(cell: Mapping[str, Any]) -> Outcome:
    """wrong: share of pairs wrongly grouped, the largest of levels 1 ... L-1; wrong_first: level 1.

    noise: as the function, of level 1. Levels are clustered one after the other, each from the
    clusters of the one below.
    """
    parameters, target, net, seed = parameters_of(cell), cell["target"], cell["net"], cell["seed"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    train = independent(grammar, cell["P"], generator(seed, role="train"))
    test = independent(grammar, cell["n_test"], generator(seed, role="test"))
    truth, truth_of_test = tree(train, grammar), tree(test, grammar)
    tokens, tokens_of_test, alphabet = inputs(train), inputs(test), alphabet_of(parameters)
    wrong, of_first = [], nan
    for level in range(1, parameters.depth):
        group_of = groups(net, parameters.patch_size ** (parameters.depth - level))
        exact = population(grammar, level, target=target, net=net)
        patches, patches_of_test = (alphabet.patches(part) for part in (tokens, tokens_of_test))
        coordinates, size = beside(target, tokens, truth, level, parameters, net=net)
        seen = statistics(patches, coordinates, size, group_of, alphabet.size)
        if level == 1:
            latents = truth[2].features.astype(np.int64)
            of_first = noise(seen, patches, latents, group_of, exact)
        # Arrays are small: a second thread of k-means costs more than it gives.
        with threadpool_limits(1):
            named = np.array([
                clusters(means, counts, n, seed=seed)
                for means, counts, n in zip(seen.means, seen.counts, exact.n_latents, strict=True)
            ])  # fmt: skip
        tokens, tokens_of_test = (
            Tokens(named[group_of[part.places], part.contents], part.places)
            for part in (patches, patches_of_test)
        )
        latents = truth_of_test[level + 1].features.astype(np.int64)
        wrong.append(wrong_pairs(tokens_of_test.values, latents, group_of[patches_of_test.places]))
    return Outcome({"wrong": max(wrong), "wrong_first": wrong[0], "noise": of_first})
