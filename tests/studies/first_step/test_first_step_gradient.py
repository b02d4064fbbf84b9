"""Signal and noise of the first update: autograd at finite width, all data, and the law in s_0."""

import numpy as np
import pytest
import torch
from assertions import all_data

from srhm.flow.descents import NetworkSystem
from srhm.flow.inputs import inputs
from srhm.flow.losses import CrossEntropy
from srhm.flow.networks import Predictor, hierarchical_network
from srhm.model.correlations import class_correlations, expected_class_correlations
from srhm.model.encoding import one_hot
from srhm.plane.first_step.analysis import as_seen, first_step


@pytest.mark.parametrize("sparsity", ["A", "B"])
@pytest.mark.parametrize("net", ["lcn", "cnn"])
def test_the_update_of_equal_weights_is_that_of_autograd(make_sample, tolerance, net, sparsity):
    # With f0 subtracted the output is zero at any width, as in the text at infinite width.
    width = 6
    grammar, data, _ = make_sample(n_train=40, n_test=1, sparsity=sparsity)
    network = hierarchical_network(
        net, grammar.parameters, width=width, n_outputs=3, parametrisation="mean_field"
    )
    start = {
        name: torch.full((1, *shape), 1 / width**0.5, dtype=torch.float64)
        for name, shape in network.weight_shapes().items()
    }
    readout = np.random.default_rng(0).standard_normal((width, 3))
    start["readout"] = torch.tensor(readout)[None]
    alpha = torch.full((1,), 1 / width**0.5, dtype=torch.float64)
    x, y = inputs(data, grammar.parameters), torch.from_numpy(data.labels.astype(np.int64))
    system = NetworkSystem.of(Predictor(network, alpha, start), x, y, CrossEntropy())
    # The gradient is of the loss over alpha^2 = 1/H; appendix C has no such factor.
    gradient = system.evaluate(start).gradient["layer1"][0].numpy() / width
    D = as_seen(grammar, class_correlations(data, grammar.parameters), net)
    expected = D @ readout.mean(axis=0)
    for channel in range(width):
        found = -gradient[:, :, channel] * width * np.sqrt(3)
        np.testing.assert_allclose(found, expected, **tolerance(np.float64))


@pytest.mark.parametrize("sparsity", ["A", "B"])
@pytest.mark.parametrize("net", ["lcn", "cnn"])
@pytest.mark.parametrize(("depth", "n_empty"), [(1, 2), (2, 0), (2, 1)])
def test_all_data_have_the_expected_correlations(
    make_grammar, tolerance, net, depth, n_empty, sparsity
):
    grammar = make_grammar(
        depth=depth, n_empty=n_empty, n_features=3, n_synonyms=2, n_classes=2, sparsity=sparsity
    )
    data = all_data(grammar)
    found = as_seen(grammar, class_correlations(data, grammar.parameters), net)
    expected = as_seen(grammar, expected_class_correlations(grammar), net)
    np.testing.assert_allclose(found, expected, **tolerance(np.float64))
    by_one_hot = one_hot(data, grammar.parameters).mean(axis=0)
    assert by_one_hot.sum() == pytest.approx(grammar.parameters.n_leaves)
    whole = first_step(grammar, data, net)
    assert np.isnan(whole.n_equal)
    assert whole.noise == pytest.approx(0, abs=1e-20)
    if sparsity == "A":
        assert whole.placement_noise == pytest.approx(0, abs=1e-20)


def equal_points(make_sample, net, n_empty, *, n_seeds=8, n_train=400, **changes):
    """Geometric mean over grammars of the P at which noise equals signal."""
    found = []
    for seed in range(n_seeds):
        grammar, data, _ = make_sample(
            n_train=n_train, n_test=1, seed=seed, n_empty=n_empty, **changes
        )
        found.append(first_step(grammar, data, net).n_equal)
    return np.exp(np.mean(np.log(found)))


SIX = {"n_features": 6, "n_synonyms": 6, "n_classes": 6}


def test_noise_meets_signal_at_a_multiple_of_the_sample_complexity_of_the_lcn(make_sample):
    # (s_0+1)^L n_c m^L up to a constant. Grammars of one seed are the same for all s_0, so that the
    # ratio fluctuates with the sample alone.
    points = {s0: equal_points(make_sample, "lcn", s0, **SIX) for s0 in (0, 1, 2)}
    for s0 in (1, 2):
        exponent = np.log(points[s0] / points[0]) / np.log(s0 + 1)
        assert exponent == pytest.approx(2, abs=0.15)
    assert 0.3 < points[0] / (6 * 6**2) < 3


def test_the_exponent_of_the_cnn_in_the_sparsity_is_about_one(make_sample):
    # The paper predicts none; each datum hits a place of the shared filter with odds 1/(s_0+1).
    points = {s0: equal_points(make_sample, "cnn", s0, **SIX) for s0 in (0, 1, 2)}
    for s0 in (1, 2):
        exponent = np.log(points[s0] / points[0]) / np.log(s0 + 1)
        assert exponent == pytest.approx(1, abs=0.25)
