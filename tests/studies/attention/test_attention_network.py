"""A transformer's step is that of a plain loop; without positions it knows bags alone."""

from itertools import product

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, layer_norm, relu, softmax

from srhm.data import displace, random_grammar, symbols, train_and_test
from srhm_studies.learning_curves.attention.experiment import bag_error, output_probe, run, strings
from srhm_studies.learning_curves.attention.network import HEADS, TransformerEngine, transformer

GRAMMAR = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
PARAMETERS = GRAMMAR.parameters
DATA, TEST = train_and_test(GRAMMAR, n_train=96, n_test=80, seed=0)


def network(positions, width=8):
    made = transformer(
        PARAMETERS, positions=positions, width=width, generator=np.random.default_rng(0)
    )
    return made.double()


def logits_by_hand(weights, x):
    """The transformer of the README in single products, for one datum x (places, features)."""
    t = x @ weights["embedding.weight"].T
    t = t + weights.get("positions", 0)

    def normed(name, values):
        return layer_norm(values, values.shape[-1:], weights[f"{name}.weight"],
                          weights[f"{name}.bias"])  # fmt: skip

    def linear(name, values):
        return values @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0)

    D = t.shape[1]
    C = D // HEADS
    for block in ("blocks.0", "blocks.1"):
        found = linear(f"{block}.queries_keys_values", normed(f"{block}.norm_attention", t))
        q, k, v = found.split(D, dim=1)
        heads = [
            softmax(q[:, one] @ k[:, one].T / C**0.5, dim=1) @ v[:, one]
            for one in (slice(h * C, (h + 1) * C) for h in range(HEADS))
        ]
        t = t + linear(f"{block}.mixed", torch.cat(heads, dim=1))
        hidden = relu(linear(f"{block}.hidden", normed(f"{block}.norm_mlp", t)))
        t = t + linear(f"{block}.back", hidden)
    return linear("readout", normed("norm", t.mean(dim=0)))


@pytest.mark.parametrize("positions", [False, True])
def test_steps_of_Adam_are_those_of_a_plain_loop(positions):
    made = network(positions)
    weights = {name: one.detach().clone().requires_grad_() for name, one in made.named_parameters()}
    trained = TransformerEngine(made, PARAMETERS, DATA, TEST, rate=0.003,
                                batch_size=8)  # fmt: skip
    order = np.random.default_rng(1).permutation(96)[:44]
    summed = trained.steps(order)
    one_hot = torch.eye(4, dtype=torch.float64)[symbols(DATA, PARAMETERS)][..., 1:]
    means, squares = ({name: torch.zeros_like(one) for name, one in weights.items()}
                      for _ in range(2))  # fmt: skip
    expected = 0.0
    for step, points in enumerate(np.split(order, range(8, 44, 8)), start=1):
        logits = torch.stack([logits_by_hand(weights, one_hot[i]) for i in points])
        loss = cross_entropy(logits, torch.tensor(DATA.labels[points], dtype=torch.int64))
        expected += loss.item() * len(points)
        slopes = torch.autograd.grad(loss, list(weights.values()))
        with torch.no_grad():
            for (name, one), g in zip(weights.items(), slopes, strict=True):
                means[name] += 0.1 * (g - means[name])
                squares[name] += 0.001 * (g * g - squares[name])
                root = (squares[name] / (1 - 0.999**step)).sqrt() + 1e-8
                one -= 0.003 * means[name] / (1 - 0.9**step) / root
    assert summed == pytest.approx(expected, rel=1e-9)
    for name, found in trained.weights().items():
        # Adam makes of a gradient of rounding a step of the rate, so not to the last digits.
        assert np.allclose(found, weights[name].detach().numpy(), rtol=1e-6, atol=1e-7), name


def test_a_trained_net_without_positions_does_not_feel_displacements():
    made = network(False)
    TransformerEngine(made, PARAMETERS, DATA, TEST, rate=0.003,
                      batch_size=8).steps(np.tile(np.arange(96), 3))  # fmt: skip
    moved = displace(TEST, GRAMMAR, level=2, generator=np.random.default_rng(0), redraw_all=True)
    assert (moved.positions != TEST.positions).any()
    before, after = (output_probe(made, PARAMETERS).represent(one)[0].values
                     for one in (TEST, moved))  # fmt: skip
    assert np.allclose(before, after, atol=1e-11)


def test_strings_and_the_least_error_of_bags_are_those_of_a_plain_enumeration():
    low, top = GRAMMAR.rules
    counted = {}
    n = 0
    for c, k in product(range(3), range(3)):
        a, b = top[c, k]
        for left, right in product(low[a], low[b]):
            bag = tuple(sorted([*left, *right]))
            counted.setdefault(bag, [0, 0, 0])[c] += 1
            n += 1
    assert bag_error(GRAMMAR) == pytest.approx(1 - sum(map(max, counted.values())) / n)
    features, labels = strings(GRAMMAR)
    assert len(np.unique(features, axis=0)) == len(features) == n == 81
    assert (np.bincount(labels) == 27).all()


CELL = {"L": 2, "s": 2, "s0": 1, "v": 3, "n_c": 3, "m": 3, "P": 48, "width": 8, "n_test": 100,
        "max_steps": 12, "seed": 0}  # fmt: skip


@pytest.mark.parametrize("net", ["transformer", "transformer_positions", "lcn", "cnn"])
def test_a_cell_has_its_columns(net):
    row = run({**CELL, "net": net}).row
    assert row["steps"] == 12
    assert row["status"] == "capped"
    assert 0 <= row["test_error"] <= 1
    assert row["S"] > 0
    assert (row["bag_error"] is not None) == (net == "transformer")
    if net == "transformer":
        assert row["D"] < 1e-9
    else:
        assert row["D"] > 1e-3
    assert run({**CELL, "net": net}).row == row
