"""First steps of nets that share weights: known places, equal points, rows."""

import numpy as np
import pytest

from srhm.data import tree
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm_studies.learning_curves.tokens import independent
from srhm_studies.learning_curves.weight_sharing.analysis import equal_points, known_places
from srhm_studies.learning_curves.weight_sharing.figures import ORDER


def test_levels_of_known_places_are_those_of_the_readme(make_parameters):
    wanted = {"lcn": [3, 2, 1], "cnn_features": [3, 2, 1], "cnn_first": [1, 2, 1],
              "cnn_second": [3, 1, 1], "cnn_places": [1, 1, 1], "cnn": [1, 1, 1],
              "cnn_pooled_first": [0, 1, 1], "cnn_pooled_last": [1, 1, 0],
              "cnn_pooled": [0, 0, 0]}  # fmt: skip
    parameters = make_parameters(depth=3, branching=2, n_empty=2)
    assert {net: known_places(net, parameters) for net in wanted} == wanted
    deeper = {"cnn_first": [1, 3, 2, 1], "cnn_second": [4, 1, 2, 1], "cnn_third": [4, 3, 1, 1],
              "cnn_first_second": [1, 1, 2, 1], "cnn_first_third": [1, 3, 1, 1],
              "cnn_second_third": [4, 1, 1, 1]}  # fmt: skip
    parameters = make_parameters(depth=4, branching=2, n_empty=1)
    assert {net: known_places(net, parameters) for net in deeper} == deeper
    assert set(wanted) | set(deeper) == set(ORDER)


@pytest.mark.parametrize("net", ["lcn", "cnn_places"])
def test_equal_points_are_those_of_a_plain_loop_over_independent_data(make_grammar, net):
    grammar = make_grammar(depth=2, branching=2, n_features=3, n_synonyms=3, n_classes=3, n_empty=1)
    data = independent(grammar, 40_000, generator(0, role="drawing"))
    levels = tree(data, grammar)
    for k, layer in enumerate(geometry(net, grammar.parameters, width=1).layers, start=1):
        # Contribution of each datum, dense; signal and variance from all of them as the population.
        each = np.zeros((len(data), layer.n_slots, 3, 3))
        for places, features in zip(levels[k].places.T, levels[k].features.T, strict=True):
            slots = np.array(layer.slots)[places]
            each[np.arange(len(data)), slots, features] += np.eye(3)[data.labels] - 1 / 3
        mean = each.mean(axis=0)
        variance = ((each - mean) ** 2).sum() / (len(data) - 1)
        signal = (mean**2).sum() - variance / len(data)
        found = equal_points(layer, levels[k], data.labels)
        assert found == pytest.approx(variance / signal, rel=0.05)
