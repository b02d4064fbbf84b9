"""Gradients by hand: a step of each named net against PyTorch's autograd, in double precision."""

import logging

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_tasks import named_engine

from srhm.networks.registry import NAMED
from srhm.training.autograd import NetworkEngine
from srhm.training.configuration import Training
from srhm.training.engines import NAMED_ENGINES, hierarchy_trainer
from srhm.training.tape_engine import TapedEngine

# Of one step: in some it grows by orders of magnitude, as batch norm divides by what is small.
EXACT = 1e-9
N_TRAIN, N_TEST = 24, 31


@pytest.fixture
def engines(make_sample):
    """A pair of engines, autograd's and the tape's, that start alike."""

    def make(net, *, batch=6, width=4, **grammar):
        sample = make_sample(n_train=N_TRAIN, n_test=N_TEST, **grammar)
        return tuple(
            named_engine(made, sample, net, width=width, batch_size=batch, rate=0.05)
            for made in (NetworkEngine, TapedEngine)
        )

    return make


def assert_same(one, other, *, within):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert_allclose(other[name], array, rtol=within, atol=within, err_msg=name)


@pytest.mark.parametrize(
    ("net", "options"),
    [
        *((net, {}) for net in NAMED),
        # Channels that fill no vector, a batch that is odd, one place left from the first pools on.
        ("vgg11_bn", {"width": 5, "batch": 3}),
        ("vgg11", {"n_empty": 0}),
        ("resnet18", {"width": 5, "batch": 3, "n_empty": 0}),
        # More channels than lanes are put together for.
        ("efficientnetb0", {"width": 16, "batch": 4, "n_empty": 2}),
    ],
)
def test_a_step_is_that_of_autograd(engines, net, options):
    """Two steps, the second from one state: its momenta and its masks count too."""
    plain, taped = engines(net, **options)
    stream = np.random.default_rng(0)
    batch = options.get("batch", 6)
    for order in stream.permutation(N_TRAIN)[: 2 * batch].reshape(2, batch):
        before = plain.state()
        assert taped.steps(order) == pytest.approx(plain.steps(order), rel=EXACT)
        assert_same(plain.state(), taped.state(), within=EXACT)
        assert any((before[name] != array).any() for name, array in plain.state().items())
        taped.restore(plain.state())


# Of the EfficientNet two steps: roundings grow by orders of magnitude in a few.
@pytest.mark.parametrize(
    ("net", "steps"), [("vgg11_bn", 8), ("resnet18", 8), ("efficientnetb0", 2)]
)
def test_both_engines_train_a_cell_to_the_same_end(make_sample, net, steps):
    """By the trainer of a curve: the row, with the test errors on the way, and the weights."""
    drawn, training, test = make_sample(n_train=N_TRAIN, n_test=N_TEST)
    samples = {(0, "train"): training, (0, "test"): test}
    shape = {"depth": "L", "branching": "s", "n_features": "v", "n_synonyms": "m",
             "n_classes": "n_c", "n_empty": "s0", "sparsity": "sparsity"}  # fmt: skip
    cell = {short: getattr(drawn.parameters, name) for name, short in shape.items()}
    cell |= {"net": net, "width": 4, "P": N_TRAIN, "seed": 0, "n_test": N_TEST}
    cell |= Training(batch_size=6, learning_rate=0.02, max_steps=steps, n_checks=2,
                     dtype="float64").model_dump(exclude={"fcn_scale"})  # fmt: skip
    found = []
    for engine in NAMED_ENGINES:
        entry = {"cell": {**cell, "engine": engine}}
        trainer = hierarchy_trainer([entry], samples, device="cpu", log=logging.getLogger("test"))
        found += trainer.train([entry])
    (one, other), engines = found, [cell.row.pop("engine") for cell in found]
    assert engines == list(NAMED_ENGINES)
    assert one.row.pop("train_loss") == pytest.approx(other.row.pop("train_loss"), rel=1e-5)
    assert one.row == other.row
    assert one.row["steps"] == steps
    assert_same(one.weights, other.weights, within=1e-4)
