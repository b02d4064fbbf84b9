"""The dense engine takes the steps of the reference: same batches, same weights, same loss."""

import numpy as np
import pytest

from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_biases, initial_weights
from srhm.training.dense import DenseEngine
from srhm.training.reference import ReferenceEngine

ORDER = np.arange(200) * 7 % 60


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("whitening", [False, True])
@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_steps_are_those_of_the_reference(make_sample, net, whitening, bias):
    grammar, *samples = make_sample(n_train=60, n_test=80)
    shape = geometry(net, grammar.parameters, width=8)
    weights = initial_weights(shape, generator=generator(0, role="initialisation"))
    biases = initial_biases(shape, generator=generator(1, role="initialisation")) if bias else None
    options = {"batch_size": 7, "rate": 0.5, "momentum": 0.9, "dtype": np.float64}
    reference, dense = (
        made(shape, weights, *samples, biases=biases, whitening=whitening, **options)
        for made in (ReferenceEngine, DenseEngine)
    )
    for start in range(0, len(ORDER), 50):
        order = ORDER[start : start + 50]  # the last batch of each is smaller
        assert dense.steps(order) == pytest.approx(reference.steps(order), rel=1e-9)
    ours, theirs = dense.state(), reference.state()
    assert ours.keys() == theirs.keys()
    assert len(ours) == 2 * (3 + 2 * bias)
    for name, array in theirs.items():
        np.testing.assert_allclose(ours[name], array, rtol=1e-8, atol=1e-10, err_msg=name)
    assert dense.test_error() == reference.test_error()
