"""The parser finds from symbols alone what the sampler drew, and refuses all else."""

import numpy as np
import pytest
from assertions import all_inputs, parsed

from srhm.model.grammar import placement_offsets
from srhm.model.parsing import ParseError, parse
from srhm.model.sampling import depth_slices

CASES = [
    {"depth": 1, "branching": 2, "n_empty": 4},
    {"depth": 2, "branching": 2, "n_empty": 1},
    {"depth": 3, "branching": 2, "n_empty": 2},
    {"depth": 2, "branching": 3, "n_empty": 1},
    {"depth": 2, "branching": 3, "n_empty": 0, "n_synonyms": 9},
]


@pytest.fixture(params=[(case, kind) for case in CASES for kind in "AB"], ids=str)
def sampled(request, make_sample):
    case, sparsity = request.param
    n_train = min(
        200, make_sample(n_train=1, **case, sparsity=sparsity)[0].parameters.n_distinct - 50
    )
    return make_sample(n_train=n_train, **case, sparsity=sparsity)[:2]


def by_level(grammar, values):
    """Values of each node (n, nodes) as lists by level, left to right, from level 1 up."""
    return [values[:, nodes] for nodes in reversed(depth_slices(grammar.parameters))]


def test_the_parser_finds_choices_and_offsets_of_all_levels(sampled):
    grammar, data = sampled
    offsets = placement_offsets(grammar.parameters)
    found = parsed(data, grammar)
    for level, choices in enumerate(by_level(grammar, data.choices)):
        assert [datum.choices[level] for datum in found] == choices.tolist()
    for level, placements in enumerate(by_level(grammar, data.placements)):
        drawn = offsets[placements].tolist()
        assert [[list(o) for o in datum.offsets[level]] for datum in found] == drawn


def test_the_parser_gives_the_label_of_every_input_of_a_tiny_grammar(make_grammar):
    grammar = make_grammar(n_features=2, n_synonyms=2, n_classes=2, sparsity="B")
    for label, row in all_inputs(grammar):
        assert parse(np.array(row), grammar).label == label


def test_exactly_the_inputs_of_the_grammar_are_parsed(make_grammar):
    # All 3^6 rows of 6 symbols of a grammar that uses 4 of its 8 tuples, in 8 placements.
    grammar = make_grammar(depth=1, branching=3, n_features=2, n_synonyms=2, n_classes=2, n_empty=1)
    accepted = set()
    for row in np.ndindex(*[3] * 6):
        try:
            accepted.add((parse(np.array(row), grammar).label, row))
        except ParseError:
            continue
    assert accepted == set(all_inputs(grammar))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0, 0, 0, 0], "no label"),
        ([1, 0, 0, 0], "no rule produces"),
        ([1, 1, 1, 0], "no rule produces"),
        ([1, 0, 0], "3 places, not d = 4"),
    ],
)
def test_an_input_that_no_derivation_gives_is_refused(make_grammar, row, message):
    with pytest.raises(ParseError, match=message):
        parse(np.array(row), make_grammar(depth=1))
