"""A net of four layers by two engines."""

import numpy as np
import pytest

from srhm.networks.geometry import geometry, initial_weights
from srhm.training.dense import DenseEngine
from srhm.training.sparse import SparseEngine


def test_the_dense_engine_trains_a_net_of_four_layers_as_the_sparse_one_does(make_sample):
    sizes = {"branching": 2, "n_features": 3, "n_synonyms": 3, "n_classes": 3, "sparsity": "A"}
    grammar, training, test = make_sample(n_train=30, n_test=20, depth=4, n_empty=1, **sizes)
    order = np.random.default_rng(1).integers(len(training), size=80)
    for net in ("cnn", "lcn"):
        shape = geometry(net, grammar.parameters, width=5)
        start = initial_weights(shape, generator=np.random.default_rng(0), dtype=np.float64)
        sparse, dense = (
            engine(shape, start, training, test, batch_size=4, rate=0.05, momentum=0.9,
                   dtype=np.float64)
            for engine in (SparseEngine, DenseEngine)
        )  # fmt: skip
        assert sparse.steps(order) == pytest.approx(dense.steps(order), rel=1e-9)
        for name, value in sparse.weights().items():
            np.testing.assert_allclose(value, dense.weights()[name], rtol=1e-8, atol=1e-10)
