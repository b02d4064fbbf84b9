"""What is drawn anew stays in the task; a network that is taught nothing is the sparse engine's."""

from itertools import product

import numpy as np
import pytest
import torch

from srhm.data import displace, exchange_synonyms, random_grammar, symbols, train_and_test
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.teaching import experiment
from srhm_studies.learning_curves.teaching.experiment import TaughtEngine, drawn_anew, run

GRAMMAR = random_grammar(depth=2, branching=2, n_features=4, n_empty=3, seed=0)
DATA, TEST = train_and_test(GRAMMAR, n_train=400, n_test=50, seed=0)


def drawn(**taught):
    options = {"synonyms": 0, "places": "none", **taught}
    return drawn_anew(DATA, GRAMMAR, generator=np.random.default_rng(1), **options)


def test_what_is_not_taught_stays():
    assert (drawn().positions == DATA.positions).all()
    for places in ("all", "level 1", "halves", "skewed"):
        image = drawn(places=places)
        assert (image.features == DATA.features).all()
        assert (image.labels == DATA.labels).all()
        assert (image.positions != DATA.positions).any()
    image = drawn(synonyms=1)
    assert (image.positions == DATA.positions).all()
    assert (image.choices[:, 0] == DATA.choices[:, 0]).all()
    assert (image.choices[:, 1:] != DATA.choices[:, 1:]).any()


def test_places_of_one_level_alone_move_nothing_above():
    for level, moved, still in ((1, slice(1, None), slice(1)), (2, slice(1), slice(1, None))):
        image = drawn(places=f"level {level}")
        assert (image.placements[:, still] == DATA.placements[:, still]).all()
        assert (image.placements[:, moved] != DATA.placements[:, moved]).any()


def engines(net, draw, **options):
    shape = geometry(net, GRAMMAR.parameters, width=5)
    weights = initial_weights(shape, generator=generator(0, role="initialisation"))
    given = {"batch_size": 4, "rate": 0.05, "momentum": 0.9, **options}
    engine = TaughtEngine(shape, weights, DATA, TEST, draw=draw, **given)
    return shape, weights, SparseEngine(shape, weights, DATA, TEST, **given), engine


@pytest.mark.parametrize("net", ["lcn", "cnn"])
def test_taught_nothing_it_is_the_sparse_engine_bit_for_bit(net):
    _, _, plain, taught = engines(net, lambda data: data)
    order = np.random.default_rng(0).permutation(400)
    assert [plain.steps(order) for _ in range(2)] == [taught.steps(order) for _ in range(2)]
    for name, weights in plain.weights().items():
        assert (weights == taught.weights()[name]).all()


@pytest.mark.parametrize("net", ["lcn", "cnn"])
def test_a_plain_loop_of_PyTorch_over_images_of_the_data_gives_the_same_weights(net):
    ours, theirs = (np.random.default_rng(3) for _ in range(2))

    def draw(data):
        taught = {"synonyms": 1, "places": "all"}
        return drawn_anew(data, GRAMMAR, generator=ours, **taught)

    shape, weights, _, engine = engines(net, draw, dtype=np.float64)
    tensors = {name: torch.tensor(one, dtype=torch.float64, requires_grad=True)
               for name, one in weights.items()}  # fmt: skip
    optimiser = torch.optim.SGD(tensors.values(), lr=0.05, momentum=0.9)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(400)[:120]
        engine.steps(order)
        met = exchange_synonyms(DATA[order], GRAMMAR, level=1, generator=theirs, redraw_all=True)
        met = displace(met, GRAMMAR, level=2, generator=theirs, redraw_all=True)
        inputs = torch.eye(5, dtype=torch.float64)[symbols(met, GRAMMAR.parameters)][..., 1:]
        labels = torch.tensor(met.labels, dtype=torch.int64)
        for x, y in zip(inputs.split(4), labels.split(4), strict=True):
            for k, layer in enumerate(shape.layers, start=1):
                filters = tensors[f"layer{k}"][list(layer.slots)]
                patches = torch.einsum("bpi,pih->bph", x, filters) * layer.scale
                x = patches.reshape(4, layer.n_places, -1, 5).sum(dim=2).relu()
            logits = x.sum(dim=1) @ tensors["readout"] / 5
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(logits, y).backward()
            optimiser.step()
    for name, found in engine.weights().items():
        assert np.allclose(found, tensors[name].detach().numpy(), rtol=1e-9, atol=1e-12)


def test_a_cell_learns_and_says_what_it_felt():
    cell = {"net": "cnn", "L": 2, "s": 2, "s0": 1, "v": 3, "n_c": 3, "m": 3, "P": 40, "width": 16,
            "n_test": 200, "max_steps": 4000, "seed": 0}  # fmt: skip
    found = {
        (synonyms, places): run({**cell, "synonyms": synonyms, "places": places}).row
        for synonyms, places in product((0, 1), ("none", "all"))
    }
    assert found[1, "all"]["test_error"] < 0.1 < found[0, "none"]["test_error"]
    assert found[0, "all"]["D_2"] < 0.5 * found[0, "none"]["D_2"]
    assert found[1, "none"]["S_2"] < 0.5 * found[0, "none"]["S_2"]
    dense = run({**cell, "s0": 0, "P": 20, "synonyms": 0, "places": "none"}).row
    assert dense["D_2"] is None
    assert dense["S_2"] > 0


def test_a_cell_of_the_shortcut_is_the_same_network_and_its_donors_are_answered():
    cell = {"net": "lcn", "L": 2, "s": 2, "s0": 6, "v": 3, "n_c": 3, "m": 3, "P": 30, "width": 16,
            "n_test": 400, "max_steps": 20000, "seed": 0,
            "synonyms": 1, "places": "none"}  # fmt: skip
    found = experiment.run_shortcut({**cell, "patterns": 0}).row
    assert found["test_error"] == run(cell).row["test_error"]
    # A tenth of 270 answers is beyond three deviations of a binomial.
    assert found["donor"] - found["anew"] > 0.1
    assert 0 < experiment.run_shortcut({**cell, "patterns": 4, "n_test": 60}).row["donor"] < 1
