"""Production rules are valid and uniform, and the closed forms count what they generate."""

from itertools import permutations, product

import numpy as np
import pytest
from assertions import all_data, all_inputs, assert_uniform, inputs

from srhm.model.grammar import (
    GrammarError,
    draw_grammar,
    placement_offsets,
)

TINY = [
    {"depth": 2, "branching": 2, "n_empty": 1, "sparsity": "A"},
    {"depth": 2, "branching": 2, "n_empty": 1, "sparsity": "B"},
    {"depth": 1, "branching": 2, "n_empty": 3, "sparsity": "B"},
    {"depth": 3, "branching": 2, "n_empty": 0, "sparsity": "A"},
    {"depth": 1, "branching": 3, "n_empty": 2, "sparsity": "A"},
    {"depth": 1, "branching": 3, "n_empty": 1, "sparsity": "B"},
    {"depth": 2, "branching": 3, "n_empty": 0, "sparsity": "B", "n_synonyms": 4},
    {"depth": 2, "branching": 2, "n_empty": 1, "sparsity": "A", "n_synonyms": 1, "n_classes": 4},
]


@pytest.fixture(params=TINY, ids=lambda tiny: "-".join(str(value) for value in tiny.values()))
def tiny(request, make_grammar):
    return make_grammar(**{"n_features": 2, "n_synonyms": 2, "n_classes": 2, **request.param})


def test_derivations_give_all_inputs_that_a_recursion_over_the_rules_gives(tiny):
    data = all_data(tiny)
    labelled = zip(data.labels.tolist(), inputs(data, tiny), strict=True)
    assert sorted(labelled) == sorted(all_inputs(tiny))


def test_the_number_of_distinct_data_is_the_number_enumerated(tiny):
    assert tiny.parameters.n_distinct == len({row for _, row in all_inputs(tiny)})


@pytest.mark.parametrize("branching", [2, 3])
@pytest.mark.parametrize("n_empty", [0, 1, 2])
def test_placements_are_all_that_the_sparsity_allows(make_parameters, branching, n_empty):
    places = range(branching * (n_empty + 1))
    increasing = {p for p in product(places, repeat=branching) if list(p) == sorted(set(p))}
    in_sub_patches = {
        p for p in increasing if all(i // (n_empty + 1) == j for j, i in enumerate(p))
    }
    for sparsity, expected in (("A", in_sub_patches), ("B", increasing)):
        parameters = make_parameters(branching=branching, n_empty=n_empty, sparsity=sparsity)
        rows = [tuple(row) for row in placement_offsets(parameters).tolist()]
        assert set(rows) == expected
        assert len(rows) == len(expected) == parameters.n_placements


@pytest.mark.parametrize(("v", "s"), [(2, 2), (5, 2), (3, 3)])
def test_with_all_synonyms_the_rules_of_a_level_partition_all_tuples(make_grammar, v, s):
    grammar = make_grammar(n_features=v, n_synonyms=v ** (s - 1), n_classes=v, branching=s)
    for rules in grammar.rules:
        tuples = sorted(tuple(rule) for rule in rules.reshape(-1, s).tolist())
        assert tuples == list(product(range(v), repeat=s))


def test_rules_are_drawn_uniformly_from_all_ways_to_deal_the_tuples(make_parameters):
    # v = m = n_c = s = 2: 4! ordered deals of the 4 tuples, at each of two levels.
    parameters = make_parameters(n_features=2, n_synonyms=2, n_classes=2)
    deals = {deal: i for i, deal in enumerate(permutations(range(4)))}
    stream = np.random.default_rng(0)
    drawn = []
    for _ in range(2000):
        grammar = draw_grammar(parameters, generator=stream)
        codes = [rules.reshape(-1, 2) @ [2, 1] for rules in grammar.rules]
        drawn.append([deals[tuple(code.tolist())] for code in codes])
    first, second = np.array(drawn).T
    assert_uniform(first, 24)
    assert_uniform(second, 24)
    assert_uniform(first // 6 * 4 + second // 6, 16)  # the levels are independent


@pytest.mark.parametrize(("v", "s", "exact"), [(6, 2, 5 / 252), (8, 2, 7 / 576), (3, 3, 2 / 117)])
def test_classes_correlate_with_low_tuples_as_much_as_exactly_computed(
    make_parameters, v, s, exact
):
    """Variance of P(class | tuple of s low features), over all grammars with m = v^(s-1), n_c = v.

    A feature of level 1 begins v^(s-1) of the v^s top tuples, which are dealt to the classes, m to
    each. How many of them a class has is hypergeometric, of variance K p (1 - p) (N - K)/(N - 1)
    with K = m = v^(s-1), N = v^s, p = 1/v.
    """
    K, N = v ** (s - 1), v**s
    assert exact == pytest.approx((1 - 1 / v) / v * (N - K) / (N - 1) / K)
    parameters = make_parameters(n_features=v, n_synonyms=K, n_classes=v, branching=s)
    stream = np.random.default_rng(0)
    found = []
    for _ in range(1500):
        low, top = draw_grammar(parameters, generator=stream).rules
        tuples = low @ v ** np.arange(s)  # (v, m): those of a feature
        joint = np.zeros((v, s, N))
        for label, rule, patch in product(range(v), range(K), range(s)):
            joint[label, patch, tuples[top[label, rule, patch]]] += 1
        given = joint / joint.sum(axis=0)
        found.append(((given - 1 / v) ** 2).mean())
    error = np.std(found) / len(found) ** 0.5
    assert error < exact / 100
    assert abs(np.mean(found) - exact) < 4 * error


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_synonyms": 4}, r"m = 4 with v = 3: v\*m = 12 .* v\^s = 3\^2 = 9; .* m from 1 to 3$"),
        ({"n_classes": 5}, r"m = 3 with n_c = 5: n_c\*m = 15 .* 3\^2 = 9; .* m from 1 to 1$"),
        ({"n_classes": 10}, r"m = 3 with n_c = 10: .*; allowed are n_c from 1 to 9$"),
        (
            {"depth": 8, "branching": 3, "n_empty": 4},
            r"^s0 = 4 .* 2562890625 places; .* 2147483647$",
        ),
        ({"depth": 0}, r"^L = 0: allowed are 1 to 8$"),
        ({"branching": 1}, r"^s = 1: allowed are 2 to 16$"),
        ({"n_features": 0}, r"^v = 0: allowed are 1 to \d+$"),
        ({"depth": 1, "branching": 8, "n_empty": 9}, r"^s0 = 9 with s = 8: .* up to 1048576$"),
        ({"n_synonyms": 0}, r"^m = 0: allowed are 1 to \d+$"),
        ({"n_classes": 0}, r"^n_c = 0: allowed are 1 to \d+$"),
        ({"n_empty": -1}, r"^s0 = -1: allowed are 0 to 64$"),
        ({"sparsity": "C"}, r"^sparsity = 'C': allowed are 'A' and 'B'$"),
    ],
)
def test_impossible_parameters_are_refused_with_their_range(make_parameters, changes, message):
    with pytest.raises(GrammarError, match=message):
        make_parameters(**changes)
