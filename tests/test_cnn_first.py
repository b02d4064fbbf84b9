"""The network that shares its filter in the first layer alone."""

import numpy as np
import pytest

from srhm.networks.geometry import geometry


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_first_layer_is_that_of_a_cnn_and_the_others_are_those_of_an_lcn(
    make_parameters, depth
):
    parameters = make_parameters(depth=depth)
    own, cnn, lcn = (geometry(net, parameters, width=5) for net in ("cnn_first", "cnn", "lcn"))
    assert own.layers == (cnn.layers[0], *lcn.layers[1:])


def test_exchanged_patches_exchange_places_of_the_first_layer_alone(make_sample):
    grammar, data, _ = make_sample(n_train=5, n_test=1, depth=3)
    shape, w = geometry("cnn_first", grammar.parameters, width=5), grammar.parameters.patch_size
    first, *above = shape.slots(data.positions)
    assert first.max() < w
    moved = (data.positions + w) % grammar.parameters.input_length
    first_moved, *above_moved = shape.slots(moved)
    assert np.array_equal(first, first_moved)
    assert not np.array_equal(above[0], above_moved[0])
