"""Samples: distinct, disjoint, nested, uniform, and independent of what else is drawn."""

import numpy as np
import pytest
from assertions import all_inputs, assert_distinct, assert_equal, assert_uniform, inputs

from srhm.model import sampling
from srhm.model.sampling import SampleError, draw_samples, n_test_points
from srhm.model.seeding import ROLES, generator


@pytest.fixture(params=["enumerated", "drawn"])
def regime(request, monkeypatch):
    """Both ways to draw, on a pool so small that data drawn one by one do repeat."""
    if request.param == "drawn":
        monkeypatch.setattr(sampling, "MAX_ENUMERATED", 0)
    return request.param


@pytest.mark.parametrize("sparsity", ["A", "B"])
def test_all_points_are_distinct_in_training_and_test_together(regime, make_sample, sparsity):
    grammar, train, test = make_sample(n_train=1800, n_test=700, sparsity=sparsity)
    assert (len(train), len(test)) == (1800, 700)
    assert_distinct(train, test, grammar=grammar)


@pytest.mark.parametrize(
    "tiny",
    [
        {"n_features": 2, "n_synonyms": 2, "n_classes": 2},
        {"n_features": 2, "n_synonyms": 2, "n_classes": 2, "sparsity": "B"},
        {"n_features": 2, "n_synonyms": 1, "n_classes": 4},
        {"n_features": 3, "n_synonyms": 2, "n_classes": 3},
        {"n_features": 3, "n_synonyms": 3, "n_classes": 3, "n_empty": 0},
        {"n_features": 2, "n_synonyms": 2, "n_classes": 2, "depth": 3, "n_empty": 0},
        {"n_features": 2, "n_synonyms": 1, "n_classes": 2, "depth": 3},
        {"n_features": 4, "n_synonyms": 4, "n_classes": 4, "depth": 1, "n_empty": 2},
        {"n_features": 2, "n_synonyms": 2, "n_classes": 2, "depth": 1, "branching": 3},
        {"n_features": 3, "n_synonyms": 9, "n_classes": 3, "depth": 1, "branching": 3},
        {"n_features": 2, "n_synonyms": 2, "n_classes": 2, "branching": 3, "n_empty": 0},
    ],
    ids=lambda tiny: "-".join(map(str, tiny.values())),
)
def test_the_whole_set_is_all_that_the_rules_give(make_sample, make_parameters, tiny):
    n_distinct = make_parameters(**tiny).n_distinct
    n_test = n_distinct // 4
    grammar, *parts = make_sample(n_train=n_distinct - n_test, n_test=n_test, **tiny)
    drawn = [
        pair for part in parts for pair in zip(part.labels, inputs(part, grammar), strict=True)
    ]
    assert sorted(drawn) == sorted(all_inputs(grammar))


@pytest.mark.parametrize("n_train", [1, 60, 900])
def test_a_smaller_training_set_is_the_beginning_of_a_larger_one(regime, make_sample, n_train):
    _, larger, _ = make_sample(n_train=2000)
    _, smaller, _ = make_sample(n_train=n_train)
    assert_equal(smaller, larger[:n_train])


def test_the_test_set_does_not_depend_on_the_size_of_the_training_set(regime, make_sample):
    _, _, one = make_sample(n_train=100, n_test=300)
    _, _, other = make_sample(n_train=2000, n_test=300)
    assert_equal(one, other)


@pytest.mark.parametrize("sparsity", ["A", "B"])
def test_labels_choices_and_placements_are_uniform_at_every_node(regime, make_sample, sparsity):
    grammar, data, _ = make_sample(n_train=2400, sparsity=sparsity)
    parameters = grammar.parameters
    assert_uniform(data.labels, parameters.n_classes)
    for node in range(parameters.n_nodes):
        assert_uniform(data.choices[:, node], parameters.n_synonyms)
        assert_uniform(data.placements[:, node], parameters.n_placements)


def test_each_datum_is_equally_likely_over_seeds(regime, make_sample):
    # 2 classes with 2 rules in 4 placements: 16 data, the grammar drawn anew each time.
    tiny = {"depth": 1, "n_features": 2, "n_synonyms": 2, "n_classes": 2}
    drawn = []
    for seed in range(800):
        _, train, test = make_sample(seed=seed, n_train=1, n_test=1, **tiny)
        drawn.append(
            [d.labels[0] * 8 + d.choices[0, 0] * 4 + d.placements[0, 0] for d in (train, test)]
        )
    train, test = np.array(drawn).T
    assert_uniform(train, 16)
    assert_uniform(test, 16)


def test_samples_of_several_seeds_are_those_of_each_seed(make_sample, make_parameters):
    samples = draw_samples(make_parameters(), [3, 1], n_train=80, n_test=60)
    assert set(samples) == {(3, "train"), (3, "test"), (1, "train"), (1, "test")}
    for seed in (1, 3):
        _, train, test = make_sample(seed=seed, n_train=80, n_test=60)
        assert_equal(samples[seed, "train"], train)
        assert_equal(samples[seed, "test"], test)


def test_a_training_set_that_leaves_fewer_than_50_test_points_is_refused(make_parameters):
    parameters = make_parameters()
    n_distinct = parameters.n_distinct
    assert n_test_points(parameters, n_train=n_distinct - 50, n_test=2000) == 50
    message = f"P = {n_distinct - 49}: .* {n_distinct} distinct data.* 1 to {n_distinct - 50}$"
    with pytest.raises(SampleError, match=message):
        n_test_points(parameters, n_train=n_distinct - 49, n_test=2000)


def test_every_seed_role_and_member_has_a_stream_of_its_own():
    first = {
        generator(seed, role=role, member=member).integers(2**63)
        for seed in range(10)
        for role in ROLES
        for member in range(10)
    }
    assert len(first) == 10 * len(ROLES) * 10
