"""Counts against other routes: all data of a tiny grammar, pairs by hand, convergence in P."""

from itertools import combinations, product

import numpy as np
import pytest
from assertions import all_data
from sklearn.metrics import adjusted_rand_score

from srhm.data import tree
from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.seeding import generator
from srhm_studies.learning_curves.own_latents.configuration import closed, law
from srhm_studies.learning_curves.own_latents.counts import (
    TARGETS,
    clusters,
    population,
    statistics,
    wrong_pairs,
)
from srhm_studies.learning_curves.own_latents.experiment import beside, noise
from srhm_studies.learning_curves.tokens import (
    Tokens,
    alphabet_of,
    groups,
    independent,
    inputs,
)


def grammar_of(seed=1, *, L=2, v=3, m=2, n_c=3, s0=0, s=2):
    parameters = GrammarParameters(
        depth=L, branching=s, n_features=v, n_synonyms=m, n_classes=n_c, n_empty=s0
    )
    return draw_grammar(parameters, generator=generator(seed, role="grammar"))


def counted(grammar, data, level, *, target, net):
    """Statistics of a level from true latents, its patches, their groups and latents."""
    p, latents = grammar.parameters, tree(data, grammar)
    tokens = inputs(data) if level == 1 else Tokens(
        latents[level].features.astype(np.int64), latents[level].places.astype(np.int64)
    )  # fmt: skip
    alphabet = alphabet_of(p)
    own, group_of = alphabet.patches(tokens), groups(net, p.patch_size ** (p.depth - level))
    coordinates, size = beside(target, tokens, latents, level, p, net=net)
    found = statistics(own, coordinates, size, group_of, alphabet.size)
    return found, own, group_of, latents[level + 1].features.astype(np.int64)


def is_told_apart(exact):
    """Whether all latents of all groups have statistics that differ."""
    return all(
        np.linalg.norm(a - b) > 0.2 * signal
        for means, shares, signal in zip(exact.means, exact.shares, exact.signal(), strict=True)
        for a, b in combinations(means[shares > 0], 2)
    )


@pytest.mark.parametrize("net", ["separate", "shared"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("kind", "level"),
    [
        ({"s0": 1}, 1),
        ({"L": 3, "n_c": 2}, 1),
        ({"L": 3, "n_c": 2}, 2),
        ({"s": 3, "v": 3, "m": 2, "n_c": 3}, 1),
    ],
)
def test_all_data_give_the_exact_statistics_and_so_synonyms_are_equal(kind, level, target, net):
    grammar = grammar_of(**kind)
    exact = population(grammar, level, target=target, net=net)
    found, own, group_of, latents = counted(
        grammar, all_data(grammar), level, target=target, net=net
    )
    assert noise(found, own, latents, group_of, exact) < 1e-20
    assert exact.signal().min() > 0.01


@pytest.mark.parametrize(("net", "target"), list(product(["separate", "shared"], TARGETS)))
def test_all_data_give_the_latents(net, target):
    for seed in range(20):
        grammar = grammar_of(seed, s0=1)
        if is_told_apart(population(grammar, 1, target=target, net=net)):
            break
    found, own, group_of, latents = counted(grammar, all_data(grammar), 1, target=target, net=net)
    shares = population(grammar, 1, target=target, net=net).n_latents
    named = np.array([
        clusters(means, counts, n, seed=0)
        for means, counts, n in zip(found.means, found.counts, shares, strict=True)
    ])  # fmt: skip
    of = group_of[own.places]
    assert wrong_pairs(named[of, own.contents], latents, of) == pytest.approx(0)


def test_the_estimate_goes_to_the_enumerated_one_as_one_over_P():
    grammar = grammar_of(v=4, m=3, n_c=4)
    exact = population(grammar, 1, target="context", net="shared")
    sizes, found = [500, 8000], []
    for P in sizes:
        over = []
        for seed in range(4):
            data = independent(grammar, P, generator(seed, role="train"))
            own = counted(grammar, data, 1, target="context", net="shared")
            over.append(noise(*own[:2], own[3], own[2], exact))
        found.append(np.mean(over))
    power = -np.diff(np.log(found))[0] / np.log(sizes[1] / sizes[0])
    assert power == pytest.approx(1, abs=0.1)


def test_pairs_are_those_of_another_library():
    rng = np.random.default_rng(0)
    latents = rng.integers(3, size=(40, 2))
    tokens = np.where(rng.random((40, 2)) < 0.8, (latents + 1) % 3, rng.integers(3, size=(40, 2)))
    of = np.zeros_like(latents)
    index = adjusted_rand_score(latents.ravel(), tokens.ravel())
    assert wrong_pairs(tokens, latents, of) == pytest.approx(1 - index)

    # Tokens have names of their own at each place: pairs of two places do not count.
    apart = np.broadcast_to([0, 1], latents.shape)
    assert wrong_pairs((latents + apart) % 3, latents, apart) == 0


def test_the_law_by_hand():
    dense = {"s": 2, "v": 8, "m": 4, "n_c": 8}
    assert closed(s=2, v=8, m=4) == 0.5
    full = {"s": 2, "v": 3, "m": 3, "n_c": 3}
    for target, net, L, s0, grammar, points in (
        ("context", "separate", 4, 0, dense, 8 * 64 * 2),
        ("context", "shared", 4, 2, dense, 8 * 64 * 2 * 9 / 4),
        ("parent", "separate", 3, 1, dense, 8 * 16 * 16),
        ("class", "shared", 3, 1, dense, 8 * 64 * 4),
        ("context", "shared", 2, 0, full, 81),
    ):
        assert law({"target": target, "net": net, "L": L, "s0": s0, **grammar}) == points
