"""The engine takes the steps of torch.optim; SGD is the sparse engine's; a cell learns."""

import numpy as np
import pytest
import torch

from srhm.data import random_grammar, symbols, train_and_test
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.optimisers.experiment import (
    OPTIMISERS,
    OptimiserEngine,
    at_rate,
    run,
)
from srhm_studies.learning_curves.optimisers.kernels import Rule

WIDTH = 5
GRAMMAR = random_grammar(depth=2, branching=2, n_features=4, n_empty=2, seed=0)
DATA, TEST = train_and_test(GRAMMAR, n_train=203, n_test=50, seed=0)
STRONG = Rule(mu=0.9, decay=0.05)
ADAM_WITH_DECAY = Rule(adam=True, mu=0.8, beta=0.95, decay=0.05)


def shape_and_weights(net):
    shape = geometry(net, GRAMMAR.parameters, width=WIDTH)
    return shape, initial_weights(shape, generator=generator(0, role="initialisation"))


def engine_of(net, optimiser, rate, **options):
    rule = at_rate(optimiser, rate, width=WIDTH)
    return OptimiserEngine(*shape_and_weights(net), DATA, TEST, rule=rule, batch_size=4, **options)


def orders(n=3):
    rng = np.random.default_rng(3)
    return [rng.permutation(203) for _ in range(n)]


@pytest.mark.parametrize("net", ["lcn", "cnn"])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd_is_that_of_the_sparse_engine(net, momentum):
    sparse = SparseEngine(*shape_and_weights(net), DATA, TEST, batch_size=4, rate=0.05 * WIDTH,
                          momentum=momentum, dtype=np.float64)  # fmt: skip
    ours = engine_of(net, Rule(mu=momentum), 0.05, dtype=np.float64)
    for order in orders():
        assert ours.steps(order) == pytest.approx(sparse.steps(order), rel=1e-12)
        assert ours.test_error() == sparse.test_error()
    for name, weights in sparse.weights().items():
        assert np.allclose(ours.weights()[name], weights, rtol=1e-10, atol=1e-12), name


def theirs(optimiser, tensors, rate):
    """torch.optim with the same numbers."""
    both = {"lr": rate if optimiser.adam else rate * WIDTH, "weight_decay": optimiser.decay / WIDTH}
    if optimiser.adam:
        betas = (optimiser.mu, optimiser.beta)
        return torch.optim.Adam(tensors.values(), betas=betas, **both)
    return torch.optim.SGD(tensors.values(), momentum=optimiser.mu, **both)


@pytest.mark.parametrize("net", ["lcn", "cnn"])
@pytest.mark.parametrize(
    ("optimiser", "rate"),
    [(OPTIMISERS["adam"], 0.02), (OPTIMISERS["decay"], 0.05), (STRONG, 0.05),
     (ADAM_WITH_DECAY, 0.02)],
    ids=["adam", "decay", "strong decay", "adam with decay"],
)  # fmt: skip
def test_steps_are_those_of_torch_optim_one_by_one(net, optimiser, rate):
    shape, weights = shape_and_weights(net)
    engine = engine_of(net, optimiser, rate, dtype=np.float64)
    tensors = {name: torch.tensor(one, dtype=torch.float64, requires_grad=True)
               for name, one in weights.items()}  # fmt: skip
    optimiser = theirs(optimiser, tensors, rate)
    inputs = torch.eye(5, dtype=torch.float64)[symbols(DATA, GRAMMAR.parameters)][..., 1:]
    labels = torch.tensor(DATA.labels, dtype=torch.int64)
    for batch in np.array_split(orders(1)[0][:120], 30):
        x = inputs[batch]
        for k, layer in enumerate(shape.layers, start=1):
            filters = tensors[f"layer{k}"][list(layer.slots)]
            patches = torch.einsum("bpi,pih->bph", x, filters) * layer.scale
            x = patches.reshape(4, layer.n_places, -1, WIDTH).sum(dim=2).relu()
        loss = torch.nn.functional.cross_entropy(
            x.sum(dim=1) @ tensors["readout"] / WIDTH, labels[batch]
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        assert engine.steps(batch) == pytest.approx(4 * loss.item(), rel=1e-9)
        for name, found in engine.weights().items():
            assert np.allclose(found, tensors[name].detach().numpy(), rtol=1e-7, atol=1e-10), name


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_cell_learns_by_each_optimiser(optimiser):
    rate = {"adam": 0.01, "plain": 0.3}.get(optimiser, 0.03)
    cell = {"net": "cnn", "L": 2, "s": 2, "s0": 1, "v": 3, "n_c": 3, "m": 3, "width": 16,
            "optimiser": optimiser, "rate": rate, "n_test": 200, "max_steps": 20_000,
            "loss_threshold": 0.01, "seed": 0}  # fmt: skip
    few, many = (run({**cell, "P": P}).row for P in (20, 240))
    assert many["status"] == "fitted"
    assert many["train_loss"] < 0.01
    assert many["test_error"] < 0.1 < few["test_error"]
