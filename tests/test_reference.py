"""The reference engine does SGD with momentum, as written out by hand without autograd."""

from math import exp, log

import numpy as np
import pytest
from assertions import forward_by_loops

from srhm.model.encoding import one_hot
from srhm.networks.geometry import geometry, initial_biases, initial_weights
from srhm.training.reference import ReferenceEngine

RATE, MOMENTUM = 0.3, 0.9


@pytest.fixture
def sampled(make_sample):
    """Data whose network is small enough for finite differences in every weight."""
    return make_sample(n_train=12, n_test=20, depth=2, n_features=2, n_synonyms=2, n_classes=2)


def make_engine(net, sampled, *, width=3, batch_size=4, dtype=np.float64, bias=False, **options):
    grammar, train, test = sampled
    shape = geometry(net, grammar.parameters, width=width)
    stream = np.random.default_rng(0)
    weights = initial_weights(shape, generator=stream, dtype=np.float64)
    biases = initial_biases(shape, generator=stream, dtype=np.float64) if bias else None
    engine = ReferenceEngine(
        shape,
        weights,
        train,
        test,
        batch_size=batch_size,
        rate=RATE,
        momentum=MOMENTUM,
        dtype=dtype,
        biases=biases,
        **options,
    )
    return shape, engine


def split(named):
    """Weights and biases from what an engine returns."""
    biases = {n.removesuffix(".bias"): a for n, a in named.items() if n.endswith(".bias")}
    return {n: a for n, a in named.items() if not n.endswith(".bias")}, biases


def loss_by_hand(shape, named, x, labels):
    """Mean cross-entropy of inputs (n, d, v), from loops over places and channels."""
    weights, biases = split(named)
    losses = []
    for datum, label in zip(x, labels.tolist(), strict=True):
        logits = forward_by_loops(shape, weights, datum, biases=biases)[-1].tolist()
        losses.append(log(sum(exp(z) for z in logits)) - logits[label])
    return sum(losses) / len(losses)


def gradient_by_hand(shape, named, x, labels, *, epsilon=1e-5):
    """Central differences of the loss in every single weight; exact to epsilon^2."""
    gradients = {}
    for name, array in named.items():
        gradients[name] = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            ends = []
            for sign in (1, -1):
                moved = array.copy()
                moved[index] += sign * epsilon
                ends.append(loss_by_hand(shape, named | {name: moved}, x, labels))
            gradients[name][index] = (ends[0] - ends[1]) / (2 * epsilon)
    return gradients


@pytest.mark.parametrize(("net", "practice"), [("lcn", False), ("fcn", False), ("cnn", True)])
def test_two_steps_are_sgd_with_momentum_by_hand(sampled, net, practice):
    grammar, train, _ = sampled
    shape, engine = make_engine(net, sampled, width=2, bias=practice, whitening=practice)
    by_hand = engine.weights()
    momenta = {name: np.zeros_like(array) for name, array in by_hand.items()}
    x = one_hot(train, grammar.parameters, whitening=practice).astype(np.float64)
    order = np.array([5, 2, 9, 0, 11, 3])
    summed = 0.0
    for batch in (order[:4], order[4:]):  # the last batch is short
        inputs, labels = x[batch], train.labels[batch]
        summed += loss_by_hand(shape, by_hand, inputs, labels) * len(batch)
        gradients = gradient_by_hand(shape, by_hand, inputs, labels)
        for name, gradient in gradients.items():
            momenta[name] = MOMENTUM * momenta[name] + gradient
            by_hand[name] = by_hand[name] - RATE * momenta[name]
    # Single precision of whitened inputs: 1e-8 relatively; central differences: 1e-10.
    assert engine.steps(order) == pytest.approx(summed, rel=1e-7)
    for name, array in engine.weights().items():
        np.testing.assert_allclose(array, by_hand[name], rtol=0, atol=1e-7, err_msg=name)
