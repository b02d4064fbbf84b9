"""Derivations as rows of symbols, one-hot inputs, and the whitened inputs of the practice."""

import numpy as np
import pytest

from srhm.model.encoding import one_hot, symbols


@pytest.fixture(params=["A", "B"])
def sampled(request, make_sample):
    return make_sample(n_train=60, n_features=4, n_empty=2, sparsity=request.param)[:2]


def test_symbols_are_features_plus_one_at_their_positions_and_zero_elsewhere(sampled):
    grammar, data = sampled
    rows = symbols(data, grammar.parameters)
    assert rows.shape == (60, grammar.parameters.input_length)
    for row, features, positions in zip(rows, data.features, data.positions, strict=True):
        expected = dict(zip(positions.tolist(), (features + 1).tolist(), strict=True))
        assert row.tolist() == [expected.get(place, 0) for place in range(len(row))]


def test_a_feature_is_a_one_in_its_channel_and_an_empty_place_a_zero_column(sampled):
    grammar, data = sampled
    x = one_hot(data, grammar.parameters)
    assert x.dtype == np.float32
    for datum, row in zip(x, symbols(data, grammar.parameters), strict=True):
        for place, symbol in zip(datum, row.tolist(), strict=True):
            assert place.tolist() == [float(channel + 1 == symbol) for channel in range(4)]


def test_whitening_leaves_ones_and_turns_all_zeros_into_minus_one_over_root_v_minus_1(sampled):
    grammar, data = sampled
    plain = one_hot(data, grammar.parameters)
    white = one_hot(data, grammar.parameters, whitening=True)
    assert (white[plain == 1] == 1).all()
    np.testing.assert_allclose(white[plain == 0], -1 / np.sqrt(3), rtol=1e-6)
