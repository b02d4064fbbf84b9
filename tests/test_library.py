"""What others import: grammars, data with their trees, P* of a curve, sensitivities of a module."""

import doctest
import random
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import torch
from assertions import assert_equal, inputs, parsed
from torch import nn

from srhm.data import (
    SampleError,
    displace,
    drawn,
    exchange_synonyms,
    random_grammar,
    train_and_test,
    tree,
)
from srhm.deformations import Deformation, visible_edge_temperatures
from srhm.learning_curve import sample_complexity
from srhm.measure.representations import hierarchical_probe
from srhm.measure.sensitivity import measure
from srhm.model.grammar import Grammar
from srhm.model.parsing import parse
from srhm.model.theory import n_distinct, predicted_sample_complexity
from srhm.networks.geometry import geometry, initial_weights
from srhm.networks.hierarchical import HierarchicalNetwork
from srhm.sensitivity import sensitivities
from srhm.tangent_kernel import infinite_width_kernel
from srhm.torch_data import HierarchyDataset
from srhm.transforms import Displacement, OneHot, Synonyms

KIND = {"depth": 2, "branching": 2, "n_features": 3, "n_empty": 1}


@pytest.fixture(scope="module")
def grammar():
    return random_grammar(**KIND, seed=0)


@pytest.fixture(scope="module")
def data(grammar):
    return train_and_test(grammar, n_train=40, n_test=30, seed=0)[0]


# Grammars and samples.
def test_nothing_that_is_drawn_reads_or_moves_a_global_generator(grammar, data):
    def state():
        return random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()  # noqa: NPY002

    before = state()
    train, test = train_and_test(grammar, n_train=40, n_test=30, seed=0)
    sensitivities(nn.Flatten(), ["output"], HierarchyDataset(test, grammar), seed=0)
    assert state() == before
    assert_equal(train, data)


# Numbers as arguments.
@pytest.mark.parametrize(
    "call",
    [
        lambda data: sensitivities(nn.Flatten(), ["output"], data, seed=0, n_points=-5),
        lambda data: sensitivities(nn.Flatten(), ["output"], data, seed=0, n_points=1),
        lambda data: sensitivities(nn.Flatten(), ["output"], data, seed=0, n_draws=0),
        lambda data: sensitivities(nn.Flatten(), ["output"], data, seed=-1),
        lambda data: sample_complexity([1, 2], [1, 0], confidence=95),
        lambda data: sample_complexity([1, 2], [1, 0], confidence=np.nan),
        lambda data: sample_complexity([1, 2], [1, 0], threshold=np.nan),
        lambda data: infinite_width_kernel(np.eye(2), depth=0),
        lambda data: Displacement(0),
        lambda data: Deformation(cutoff=0, generator=np.random.default_rng(0)),
        lambda data: Deformation(cutoff=3, temperature=np.inf, generator=np.random.default_rng(0)),
        lambda data: visible_edge_temperatures(1, size=32),
    ],
)
def test_numbers_out_of_range_are_refused_with_the_range(grammar, data, call):
    with pytest.raises(ValueError, match=r"^\w+ = \S+: allowed are"):
        call(HierarchyDataset(data, grammar))


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64])
def test_integers_of_every_type_give_the_grammar_and_the_data_of_pythons(kind):
    numbers = {"depth": 2, "branching": 2, "n_features": 12, "n_empty": 1}
    expected = random_grammar(**numbers, seed=3)
    found = random_grammar(**{name: kind(n) for name, n in numbers.items()}, seed=kind(3))
    assert found.parameters.n_distinct == expected.parameters.n_distinct == 1_327_104
    assert all((a == b).all() for a, b in zip(found.rules, expected.rules, strict=True))
    sets = train_and_test(found, n_train=kind(100), n_test=kind(50), seed=kind(3))
    for one, other in zip(
        sets, train_and_test(expected, n_train=100, n_test=50, seed=3), strict=True
    ):
        assert_equal(one, other)


def test_sizes_and_laws_do_not_overflow():
    grammar = random_grammar(depth=2, branching=2, n_features=5, n_empty=1, seed=0)
    n = np.int16(25000)
    with pytest.raises(SampleError, match=r"P = 25000 and n_test = 25000: .* only 40000 distinct"):
        train_and_test(grammar, n_train=n, n_test=n, seed=0)
    numbers = {"depth": 3, "branching": 3, "n_features": 9, "n_empty": 2}
    large = random_grammar(**{name: np.int64(n) for name, n in numbers.items()}, seed=0)
    assert large.parameters.n_distinct == 9 * (81 * 27) ** 13
    law = {"depth": 3, "branching": 3, "n_synonyms": 81, "n_classes": 9, "n_empty": 2}
    small = {name: np.int16(n) for name, n in law.items()}
    assert n_distinct(**small) == 9 * (81 * 27) ** 13
    for net in ("lcn", "cnn", "fcn"):
        expected = predicted_sample_complexity(net, **law)
        assert predicted_sample_complexity(net, **small) == expected


@pytest.mark.parametrize("name", [*KIND, "n_synonyms", "n_classes", "seed"])
@pytest.mark.parametrize("value", [0.5, 1e3, "2", np.float64(2)])
def test_a_grammar_of_broken_numbers_is_refused_with_the_argument(name, value):
    numbers = {**KIND, "seed": 0, name: value}
    with pytest.raises(TypeError, match=f"^{name} = .*: allowed are whole numbers, "):
        random_grammar(**numbers)


# Trees and transformations.
def test_each_level_of_a_tree_is_a_datum_of_the_levels_above(grammar, data):
    levels = tree(data, grammar)
    assert sorted(levels) == [1, 2, 3]
    assert levels[3].features[:, 0].tolist() == data.labels.tolist()
    for level in (1, 2):
        one = levels[level]
        upper = Grammar(replace(grammar.parameters, depth=3 - level), grammar.rules[level - 1 :])
        for row, whole in enumerate(parsed(data, grammar)):
            symbols = np.zeros(one.n_places, dtype=int)
            symbols[one.places[row]] = one.features[row] + 1
            found = parse(symbols, upper)
            assert found.label == data.labels[row]
            assert found.choices == whole.choices[level - 1 :]
            assert found.offsets == whole.offsets[level - 1 :]


@pytest.mark.parametrize(("call", "message"), [
    (lambda *given: drawn(given[0][0], given[1]), r"data\[:1\]"),
    (lambda *given: drawn(given[0][:0], given[1]), "of no datum"),
    (lambda *given: HierarchyDataset(*given, transform=OneHot), r"the class OneHot: give OneHot\("),
    (lambda *given: HierarchyDataset(*given, transform=Synonyms(1), generator=torch.Generator()),
     r"give generator=np\.random\.default_rng"),
])  # fmt: skip
def test_what_is_no_argument_of_the_library_is_refused_with_what_is(grammar, data, call, message):
    with pytest.raises(ValueError, match=message):
        call(data, grammar)


# Transforms of the data for PyTorch.
@pytest.fixture
def make(grammar, data):
    """A dataset with a generator of its own."""

    def made(*transform, seed=0, **options):
        stream = np.random.default_rng(seed)
        return HierarchyDataset(data, grammar, transform=transform, generator=stream, **options)

    return made


@pytest.mark.parametrize(("change", "function"), [
    (Displacement, displace), (Synonyms, exchange_synonyms)
])  # fmt: skip
@pytest.mark.parametrize("level", [1, 2])
def test_changes_are_those_of_the_data_model_anew_at_each_access(
    grammar, data, make, change, function, level
):
    dataset, stream = make(change(level), form="symbols", trees=True), np.random.default_rng(0)
    for _ in range(2):
        x, y, levels = dataset[:]
        expected = function(data, grammar, level=level, generator=stream)
        assert [tuple(row) for row in x.tolist()] == inputs(expected, grammar)
        assert y.tolist() == data.labels.tolist()
        assert levels[1]["places"].tolist() == expected.positions.tolist()


def test_examples_of_the_docstrings_give_what_they_say():
    examples = {}
    for name in ("data", "transforms", "torch_data", "learning_curve"):
        found = doctest.testmod(import_module(f"srhm.{name}"))
        assert not found.failed, name
        examples[name] = found.attempted
    assert min(examples.values()) > 0, examples


def test_seeds_that_do_not_cross_between_the_sizes_are_left_out_aloud():
    # of five seeds one begins below the threshold, one never falls to it
    errors = [[0.5, 0.05, 0.11], [0.02, 0.01, 0.11], [0.0, 0.0, 0.11]]
    errors = [[one[0], *one, one[0]] for one in errors]
    with pytest.warns(
        UserWarning, match="of 5 seeds the interval leaves out 1 .* and 1 that never"
    ):
        found = sample_complexity([10, 100, 1000], errors, threshold=0.1)
    assert (found.status, found.n_seeds) == ("reached", 3)


# Sensitivities of any module.
@pytest.mark.parametrize("net", ["lcn", "cnn"])
def test_sensitivities_of_a_module_are_those_of_the_workflow(grammar, data, net, tolerance):
    shape = geometry(net, grammar.parameters, width=8)
    weights = initial_weights(shape, generator=np.random.default_rng(0))
    layers = ["activations.0", "activations.1", "output"]
    network = HierarchicalNetwork(shape, weights)
    found = sensitivities(network, layers, HierarchyDataset(data, grammar), seed=2)
    expected = pd.DataFrame(measure(hierarchical_probe(weights, shape), grammar, data, seed=2))
    assert found["layer"].tolist() == [layers[k - 1] for k in expected["k"]]
    same = ["kind", "k", "l", "n", "n_draws"]
    pd.testing.assert_frame_equal(found[same], expected[same])
    for name in ("value", "standard_error"):
        np.testing.assert_allclose(found[name], expected[name], **tolerance(np.float32))


def test_one_feature_has_no_whitening():
    grammar = random_grammar(depth=1, branching=2, n_features=1, n_empty=8, seed=0)
    train, _ = train_and_test(grammar, n_train=4, n_test=4, seed=0)
    assert np.isfinite(OneHot()(train, grammar)).all()
    with pytest.raises(ValueError, match=r"v = 1.*allowed are v of 2 or more"):
        HierarchyDataset(train, grammar, whitening=True)[0]


def test_a_layer_before_one_in_place_is_measured_as_it_was(grammar, data):
    def net(*, inplace):
        torch.manual_seed(0)
        flat, first, last = nn.Flatten(), nn.Linear(3 * 16, 20), nn.Linear(20, 3)
        return nn.Sequential(flat, first, nn.ReLU(inplace=inplace), last)

    dataset = HierarchyDataset(data, grammar)
    rows = [
        sensitivities(net(inplace=one), ["0", "1", "2", "output"], dataset, seed=0)
        for one in (False, True)
    ]
    pd.testing.assert_frame_equal(*rows)
