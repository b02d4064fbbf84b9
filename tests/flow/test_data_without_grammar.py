"""Digits and stripes: what the points and labels of a cell are, by other routes."""

import numpy as np
import pytest
from flow_kinds import RANDOM, cells_of
from sklearn.datasets import load_digits

from srhm.flow.cell import data_of
from srhm.flow.inputs import digits, stripe
from srhm.flow.task import n_inputs

NAMES = ("digits", "digits_pca")


def cell_of(data, **changes):
    """Coordinates of one cell of this kind of data."""
    d = 5 if data == "stripe" else None
    group = {**RANDOM, "data": data, "d": d, "seeds": 1, "optimiser": {"name": "adam"}}
    return {**cells_of(group)[0], **changes}


def places(x, data):
    """Which of all digits the points are."""
    whole = {row.tobytes(): place for place, row in enumerate(digits(data)[0])}
    return [whole[row.tobytes()] for row in x[:, 0].numpy()]


def test_digits_are_the_centred_pixels_and_their_first_components_up_to_scale():
    pixels = load_digits().data
    centred = pixels - pixels.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:10]
    for data, expected in (("digits", centred), ("digits_pca", centred @ directions.T)):
        cosines = expected / np.linalg.norm(expected, axis=1, keepdims=True)
        found = digits(data)[0] / np.sqrt(n_inputs(cell_of(data)))
        # A component may point either way.
        signs = np.sign((cosines * found).sum(axis=0))
        np.testing.assert_allclose(found, cosines * signs, atol=1e-10)


@pytest.mark.parametrize("data", NAMES)
def test_training_sets_of_digits_are_nested_and_no_test_point_is_learnt_from(data):
    small, large = (data_of(cell_of(data, P=P, n_test=597)) for P in (20, 1200))
    train = places(large.x_train, data)
    assert places(small.x_train, data) == train[:20]
    assert places(small.x_test, data) == places(large.x_test, data)
    assert sorted(train + places(large.x_test, data)) == list(range(1797))
    other = data_of(cell_of(data, P=1200, n_test=597, seed=1))
    assert set(places(other.x_train, data)) != set(train)


def test_a_cnn_sees_the_digits_of_an_fcn_in_blocks_of_neighbours():
    flat, blocks = (
        data_of(cell_of("digits", P=20, n_test=30, **net))
        for net in ({}, {"net": "cnn", "hidden_layers": 3})
    )
    images = flat.x_train[:, 0].reshape(-1, 8, 8)
    for block, place in enumerate([(0, 0), (0, 4), (4, 0), (4, 4)]):
        own = images[:, place[0] : place[0] + 4, place[1] : place[1] + 4]
        quarter = blocks.x_train[:, 16 * block : 16 * (block + 1), 0]
        assert (quarter[:, :4] == own[:, :2, :2].flatten(1)).all()
        assert (quarter[:, 12:] == own[:, 2:, 2:].flatten(1)).all()
    assert (flat.y_test == blocks.y_test).all()
    assert blocks.x_test.shape == (30, 64, 1)


def test_shuffled_labels_of_digits_are_those_of_the_training_set_in_another_order():
    true, shuffled = (
        data_of(cell_of("digits", P=200, n_test=40, labels=labels))
        for labels in ("parity", "shuffled")
    )
    assert (true.x_train == shuffled.x_train).all()
    assert sorted(true.y_train.tolist()) == sorted(shuffled.y_train.tolist())
    assert 60 < int((true.y_train != shuffled.y_train).sum()) < 140  # half of 200, 5 deviations
    assert true.y_test.tolist() == shuffled.y_test.tolist()


def test_the_first_coordinate_alone_decides_in_a_stripe():
    x, y = stripe(400, 3, generator=np.random.default_rng(0))
    assert y.tolist() == [-1.0 if -0.3 < point[0] < 1.1855 else 1.0 for point in x.tolist()]
    longer, _ = stripe(500, 3, generator=np.random.default_rng(0))
    assert longer[:400].tolist() == x.tolist()
