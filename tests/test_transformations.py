"""Exchange of synonyms and displacement: what they change, what they keep, and how they draw.

Everything but the draws is read by the parser from the symbols of the transformed inputs.
"""

import numpy as np
import pytest
from assertions import assert_label_kept, assert_uniform, parsed

from srhm.model.transformations import displace, exchange_synonyms

# Depth, branching, sparsity, level.
CASES = [
    *((1, 3, "B", 1), (2, 2, "A", 1), (2, 2, "B", 2), (2, 3, "A", 2)),
    *((3, 2, "A", 2), (3, 2, "B", 3), (3, 3, "B", 1)),
]
N = 40


@pytest.fixture
def stream():
    return np.random.default_rng(0)


@pytest.fixture(params=CASES, ids=lambda case: "L{} s{} {} l{}".format(*case))
def case(request, make_sample):
    """A grammar, data, and the level to transform."""
    depth, branching, sparsity, level = request.param
    grammar, data, _ = make_sample(
        n_train=N, n_test=9, depth=depth, branching=branching, sparsity=sparsity, n_empty=2
    )
    return grammar, data, level


def transposed(data, grammar):
    """Choices and offsets of each level, from level 1 up, as arrays over data."""
    found = parsed(data, grammar)
    levels = range(grammar.parameters.depth)
    choices = [np.array([datum.choices[k] for datum in found]) for k in levels]
    offsets = [np.array([datum.offsets[k] for datum in found]) for k in levels]
    return choices, offsets


@pytest.mark.parametrize("redraw_all", [False, True])
@pytest.mark.parametrize("transform", [exchange_synonyms, displace])
def test_the_label_is_kept(case, stream, transform, redraw_all):
    grammar, data, level = case
    after = transform(data, grammar, level=level, generator=stream, redraw_all=redraw_all)
    assert_label_kept(data, after, grammar)
    np.testing.assert_array_equal(after.labels, data.labels)


def test_exchanging_synonyms_changes_every_choice_of_its_level_and_none_above(case, stream):
    grammar, data, level = case
    after = exchange_synonyms(data, grammar, level=level, generator=stream)
    before, now = (transposed(d, grammar)[0][level - 1 :] for d in (data, after))
    assert (now[0] != before[0]).all()
    for above_before, above_now in zip(before[1:], now[1:], strict=True):
        np.testing.assert_array_equal(above_now, above_before)


def test_displacing_leaves_the_offsets_of_the_other_levels_alone(case, stream):
    grammar, data, level = case
    after = displace(data, grammar, level=level, generator=stream)
    before, now = (transposed(d, grammar)[1] for d in (data, after))
    for other in set(range(1, grammar.parameters.depth + 1)) - {level}:
        np.testing.assert_array_equal(now[other - 1], before[other - 1])


def test_the_record_of_a_transformed_datum_is_what_the_parser_reads(case, stream):
    grammar, data, level = case
    for transform in (exchange_synonyms, displace):
        after = transform(data, grammar, level=level, generator=stream)
        choices, _ = transposed(after, grammar)
        recorded = np.concatenate(choices[::-1], axis=1)
        np.testing.assert_array_equal(after.choices, recorded)


MANY = {"n_train": 1500, "n_features": 4, "n_synonyms": 4, "n_classes": 2}


def test_the_new_synonym_is_uniform_over_the_others(make_sample, stream):
    grammar, data, _ = make_sample(**MANY)
    after = exchange_synonyms(data, grammar, level=2, generator=stream)
    before, now = (transposed(d, grammar)[0][1] for d in (data, after))
    assert_uniform((now - before) % 4 - 1, 3)


def test_a_displacement_is_uniform_over_all_placements_and_may_coincide(make_sample, stream):
    grammar, data, _ = make_sample(**MANY, sparsity="B")
    after = displace(data, grammar, level=1, generator=stream)
    before, now = (transposed(d, grammar)[1][0] for d in (data, after))
    for node in (0, 1):
        _, old = np.unique(before[:, node] @ [4, 1], return_inverse=True)
        _, new = np.unique(now[:, node] @ [4, 1], return_inverse=True)
        assert_uniform(old * 6 + new, 36)


def test_the_practice_draws_the_places_of_all_lower_levels_anew(make_sample, stream):
    grammar, data, _ = make_sample(**MANY)
    after = displace(data, grammar, level=2, generator=stream, redraw_all=True)
    for node in range(3):
        assert_uniform(data.placements[:, node] * 4 + after.placements[:, node], 16)
