"""R_f of the SRHM at initialisation is of order one (thesis, chapter 4, figure 3).

CNN, ReLU; displaced data are those of Eq. 6 and 7 of the paper, noise has their mean displacement
(chapter 4, Eq. 4, with means). Numbers are printed.
"""

import numpy as np
import pytest

from srhm.flow.inputs import inputs
from srhm.flow.layer_changes import layer_changes, layers_of, noisy
from srhm.flow.networks import hierarchical_network, initial_weights
from srhm.measure.sensitivity import transform
from srhm.model.seeding import generator

DEFAULT = {"depth": 2, "branching": 2, "n_features": 4, "n_synonyms": 4, "n_classes": 4}


@pytest.mark.parametrize("width", [64, 256, 512])
def test_networks_are_about_as_stable_to_diffeomorphisms_as_to_noise_before_training(
    make_sample, width
):
    grammar, _, test = make_sample(n_train=1, n_test=500, n_empty=1, **DEFAULT)
    x = inputs(test, grammar.parameters)
    drawn = transform(test, grammar, n_draws=4, seed=0, variant="text")["D", 1]
    displaced = inputs(drawn, grammar.parameters).reshape(4, *x.shape)
    noise = noisy(x, displaced, generator=generator(0, role="transformation", member=4))
    network = hierarchical_network("cnn", grammar.parameters, width=width, n_outputs=1)
    found = []
    for seed in range(10):
        weights = initial_weights(network, generators=[np.random.default_rng(seed)])
        images = {
            "S": None,
            "D": [layers_of(network, weights, draw) for draw in displaced],
            "G": [layers_of(network, weights, draw) for draw in noise],
        }
        found.append(layer_changes(layers_of(network, weights, x), images)["R"][-1].value)
    print(f"\nh = {width}: R_f {np.mean(found):.3f}, from {min(found):.3f} to {max(found):.3f}")
    assert 0.3 < np.mean(found) < 3
