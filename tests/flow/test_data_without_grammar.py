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


@pytest.mark.parametrize("data", NAMES)
def test_digits_have_a_squared_norm_of_their_number_of_inputs(data, tolerance):
    x, labels = digits(data)
    d = {"digits": 64, "digits_pca": 10}[data]
    assert x.shape == (1797, d)
    np.testing.assert_allclose((x**2).sum(axis=1), d, **tolerance(np.float64))
    assert labels.tolist() == load_digits().target.tolist()


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


@pytest.mark.parametrize("data", NAMES)
def test_labels_of_digits_are_plus_one_for_even_ones(data):
    found = data_of(cell_of(data, P=50, n_test=40))
    target = load_digits().target
    for x, y in ((found.x_train, found.y_train), (found.x_test, found.y_test)):
        assert y.tolist() == [1.0 if target[k] % 2 == 0 else -1.0 for k in places(x, data)]


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


def test_a_cell_of_stripes_has_gaussian_points_of_its_seed():
    cell = cell_of("stripe", P=300, n_test=200)
    found = data_of(cell)
    assert found.x_train.shape == (300, 1, 5)
    assert found.x_test.shape == (200, 1, 5)
    # Of 1500 numbers of unit variance: five standard deviations of the mean square.
    assert float(found.x_train.square().mean()) == pytest.approx(1, abs=5 * (2 / 1500) ** 0.5)
    assert not set(found.x_train[:, 0, 0].tolist()) & set(found.x_test[:, 0, 0].tolist())
