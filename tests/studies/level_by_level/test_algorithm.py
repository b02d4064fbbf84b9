"""The algorithm against other routes: enumeration, closed forms, an oracle with all data."""

from itertools import permutations, product

import numpy as np
import pytest
from assertions import all_data

from srhm.data import tree
from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar
from srhm.model.seeding import generator
from srhm_studies.learning_curves import tokens
from srhm_studies.learning_curves.level_by_level import learner
from srhm_studies.learning_curves.level_by_level.experiment import (
    gap,
    learn,
    level_rows,
    population,
    probe_of,
    run,
    task_of,
    token_error,
)
from srhm_studies.learning_curves.tokens import alphabet_of, independent, inputs

LEAST = 0.2


def grammar_of(seed=0, *, L=2, v=3, m=3, n_c=3, s0=0):
    parameters = GrammarParameters(
        depth=L, branching=2, n_features=v, n_synonyms=m, n_classes=n_c, n_empty=s0
    )
    return draw_grammar(parameters, generator=generator(seed, role="grammar"))


def identifiable(net, **kind):
    """The first grammar whose latents a net can tell apart."""
    for seed in range(50):
        grammar = grammar_of(seed, **kind)
        task = task_of(grammar, net=net)
        if min(gap(one) for one in task.exact[:-1]) > LEAST:
            return grammar, task
    raise AssertionError("no such grammar")


def rows_of(grammar, task, train, test):
    stages = learn(task, train, n_random=256, generator=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    return stages, level_rows(task, stages, train, test, n_random=256, generator=rng)


@pytest.mark.parametrize("net", ["separate", "shared"])
@pytest.mark.parametrize("s0", [0, 1])
def test_with_all_data_every_token_is_a_latent(net, s0):
    grammar, task = identifiable(net, s0=s0, v=3, m=2 if s0 else 3)
    data = all_data(grammar)
    _, rows = rows_of(grammar, task, data, data)
    assert [row["token_error"] for row in rows] == [0.0, 0.0]
    # The ridge alone, 1 in 1 + 9 at the least, keeps the responses from the exact ones.
    assert all(row["response_error"] < 0.15 for row in rows)


def test_three_levels_are_learnt_from_data_that_are_not_tested_on():
    grammar, task = identifiable("shared", L=3, v=3)
    train = independent(grammar, 4000, generator(0, role="train"))
    test = independent(grammar, 500, generator(0, role="test"))
    _, rows = rows_of(grammar, task, train, test)
    assert [row["token_error"] for row in rows] == [0.0, 0.0, 0.0]


def test_what_cannot_be_told_apart_is_not_learnt_from_all_data():
    """One class for {00, 11}, the other for {01, 10}: a feature alone says nothing."""
    parameters = GrammarParameters(
        depth=2, branching=2, n_features=2, n_synonyms=2, n_classes=2, n_empty=0
    )
    lower = np.array([[[0, 0], [0, 1]], [[1, 0], [1, 1]]])
    upper = np.array([[[0, 0], [1, 1]], [[0, 1], [1, 0]]])
    grammar = Grammar(parameters, (lower, upper))
    task = task_of(grammar, net="shared")
    assert gap(task.exact[0]) == 0.0
    data = all_data(grammar)
    _, rows = rows_of(grammar, task, data, data)
    assert rows[-1]["token_error"] >= 0.25
    assert rows[-1]["token_error_clean"] == 0.0


@pytest.mark.parametrize("net", ["separate", "shared"])
def test_responses_of_latents_are_those_of_enumerated_data(net):
    grammar = grammar_of(3, L=3, v=2, m=2, n_c=2)
    data = all_data(grammar)
    levels = tree(data, grammar)
    for level in (2, 3):
        n_places = levels[level].n_places
        group_of = tokens.groups(net, n_places)
        exact = population(grammar, level, group_of)
        for group in range(int(group_of.max()) + 1):
            of_group = group_of[levels[level].places] == group
            for latent in range(2):
                met = of_group & (levels[level].features == latent)
                counts = np.array([(met & (data.labels == y)[:, None]).sum() for y in range(2)])
                assert exact.shares[group, latent] == pytest.approx(met.sum() / of_group.sum())
                if counts.sum():
                    expected = counts / counts.sum() - 0.5
                    assert exact.means[group, latent] == pytest.approx(expected)


def test_ridge_is_the_closed_form_on_all_points():
    rng = np.random.default_rng(0)
    features, contents = rng.normal(size=(6, 4)), rng.integers(6, size=50)
    labels = rng.normal(size=(50, 3))
    counts = np.bincount(contents, minlength=6)
    means = np.stack([labels[contents == c].mean(axis=0) for c in range(6)])
    X = features[contents]
    weights = np.linalg.solve(X.T @ X + learner.RIDGE * np.eye(4), X.T @ labels)
    assert learner.ridge(features, counts, means) == pytest.approx(features @ weights)


def test_label_means_are_those_of_a_plain_loop():
    grammar = grammar_of(0, s0=1)
    data = independent(grammar, 60, np.random.default_rng(1))
    alphabet = alphabet_of(grammar.parameters)
    patches = alphabet.patches(inputs(data))
    group_of = tokens.groups("separate", 4)
    counts, means = learner.label_means(patches, data.labels, alphabet, 3, group_of)
    average = np.bincount(data.labels, minlength=3) / 60
    for place, content in product(range(4), range(alphabet.size)):
        met = [
            np.eye(3)[data.labels[i]]
            for i in range(60)
            for node in range(2)
            if (patches.places[i, node], patches.contents[i, node]) == (place, content)
        ]
        assert counts[place, content] == len(met)
        expected = np.mean(met, axis=0) - average if met else np.zeros(3)
        assert means[place, content] == pytest.approx(expected)


def test_token_error_is_that_of_the_best_permutation():
    rng = np.random.default_rng(2)
    tokens, latents = rng.integers(3, size=(2, 40, 2))
    groups = np.tile([0, 1], (40, 1))
    agreeing = sum(
        max((np.array(p)[tokens[:, g]] == latents[:, g]).sum() for p in permutations(range(3)))
        for g in (0, 1)
    )
    assert token_error(tokens, latents, groups) == pytest.approx(1 - agreeing / 80)
    assert token_error((latents + 1) % 3, latents, groups) == 0


def test_synonyms_exchanged_change_tokens_below_their_level_only():
    grammar, task = identifiable("shared", L=3, v=3)
    train = independent(grammar, 4000, generator(0, role="train"))
    stages = learn(task, train, n_random=256, generator=np.random.default_rng(0))
    probe = probe_of(task, stages)
    assert probe.layers == ("1", "2", "output")
    from srhm.measure.sensitivity import measure

    test = independent(grammar, 200, generator(0, role="test"))
    values = {
        (row["k"], row["l"]): row["value"]
        for row in measure(probe, grammar, test, seed=0, n_points=100, n_draws=2)
        if row["kind"] == "S"
    }
    assert all(values[k, level] == 0 for k, level in values if k >= level)
    assert all(values[k, level] > 0.5 for k, level in values if k < level)


def test_a_cell_gives_its_tables_and_the_same_again():
    cell = {"net": "separate", "draws": "independent", "L": 2, "s": 2, "s0": 1, "v": 3, "m": 2,
            "n_c": 3, "P": 100, "n_test": 60, "n_random": 64, "sensitivities": True,
            "seed": 1}  # fmt: skip
    first, again = run(cell), run(cell)
    assert first.row == again.row
    assert first.tables["levels"]["level"] == [1, 2]
    assert set(first.tables["sensitivities"]["kind"]) == {"S", "D"}
    assert first.row["test_error"] == first.tables["levels"]["token_error"][-1]
    assert set(run(cell | {"sensitivities": False}).tables) == {"levels"}
