"""P* of the study `optimisers` by other routes: SGD by the sparse engine, Adam by plain PyTorch.

PyTorch shares nothing with the study but the data: dense one-hot inputs, torch's own initial
weights, orders, gradients and Adam. v = 3, L = 2, s_0 = 1; the same four grammars.
"""

from functools import partial

import numpy as np
import pytest
import torch
from test_teaching_by_another_route import trained

from srhm.data import random_grammar, train_and_test
from srhm.learning_curve import sample_complexity
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.training.protocol import TrainingPlan, train
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.optimisers.experiment import run

V, S0, WIDTH, SEEDS, STOP, CAP = 3, 1, 32, 4, 0.01, 60_000
SIZES = [round(27 * 4 * factor) for factor in (0.7, 1, 1.4, 2, 2.8, 4, 5)]
CURVE = {"net": "cnn", "L": 2, "s": 2, "s0": S0, "v": V, "m": V, "n_c": V}
RATES = {"momentum": 0.03, "adam": 0.01}


def drawn(P, seed):
    grammar = random_grammar(depth=2, branching=2, n_features=V, n_empty=S0, seed=seed)
    return grammar, *train_and_test(grammar, n_train=P, n_test=500, seed=seed)


def by_the_sparse_engine(P, seed):
    grammar, data, test = drawn(P, seed)
    shape = geometry("cnn", grammar.parameters, width=WIDTH)
    weights = initial_weights(shape, generator=generator(seed, role="initialisation"))
    engine = SparseEngine(shape, weights, data, test, batch_size=4,
                          rate=RATES["momentum"] * WIDTH, momentum=0.9)  # fmt: skip
    plan = TrainingPlan(batch="shuffled", batch_size=4, loss_threshold=STOP, max_steps=CAP,
                        n_checks=0)  # fmt: skip
    order = generator(seed, role="order")
    return train(engine, data.labels, plan, n_classes=V, generator=order).test_error


def by_PyTorch(P, seed):
    grammar, data, test = drawn(P, seed)
    adam = partial(torch.optim.Adam, lr=RATES["adam"])
    answers = trained(grammar, data, seed, optimiser=adam, loss_threshold=STOP)
    return float((answers(test) != test.labels).mean())


@pytest.mark.parametrize(("optimiser", "route", "factor"), [
    # The same steps up to the order of sums, which trainings of thousands of steps amplify.
    ("momentum", by_the_sparse_engine, 1.15),
    # Other initial weights and orders: the scatter of one P* is about a fifth.
    ("adam", by_PyTorch, 1.3),
])  # fmt: skip
def test_P_star_is_that_of_another_route(optimiser, route, factor):
    cell = {**CURVE, "optimiser": optimiser, "rate": RATES[optimiser], "width": WIDTH,
            "n_test": 500, "max_steps": CAP, "loss_threshold": STOP}  # fmt: skip
    found = {}
    for name, error in {
        "study": lambda P, seed: run({**cell, "P": P, "seed": seed}).row["test_error"],
        route.__name__: route,
    }.items():
        errors = [[error(P, seed) for seed in range(SEEDS)] for P in SIZES]
        found[name] = sample_complexity(SIZES, errors).P_star
        print(f"{name}, {optimiser}: P* = {found[name]:.0f}, errors {np.mean(errors, axis=1)}")
    assert abs(np.log(found[route.__name__] / found["study"])) < np.log(factor)
