"""Two curves of the study `teaching` by plain PyTorch: P* of a CNN with nothing and with places.

Nothing is shared with the study but the data and their displacements: dense one-hot inputs, torch's
own initial weights, orders and gradients. v = 3, L = 2, s_0 = 2; the same four grammars.
"""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from srhm.data import displace, random_grammar, symbols, train_and_test
from srhm.learning_curve import sample_complexity
from srhm.studies.teaching.configuration import law
from srhm.studies.teaching.experiment import run

pytestmark = pytest.mark.science

V, S0, WIDTH, SEEDS = 3, 2, 32, 4
MULTIPLES = (1, 2, 4, 8)
CURVE = {"net": "cnn", "L": 2, "s": 2, "s0": S0, "v": V, "m": V, "n_c": V, "synonyms": 0}


class Cnn(nn.Module):
    """Eq. 9 and 10: filters without bias as large as a patch, ReLU, a readout over H."""

    def __init__(self) -> None:
        super().__init__()
        w = 2 * (S0 + 1)
        self.first, self.second = (nn.Conv1d(n, WIDTH, w, w, bias=False) for n in (V, WIDTH))
        self.readout = nn.Linear(WIDTH, V, bias=False)
        for weights in self.parameters():
            nn.init.normal_(weights)

    def forward(self, x: Tensor) -> Tensor:
        """Logits."""
        x = (self.first(x) / V**0.5).relu()
        return self.readout((self.second(x) / WIDTH**0.5).relu().sum(dim=2)) / WIDTH


def error_of(P: int, seed: int, *, taught: bool) -> float:
    """Test error of a network, trained to a loss of 1e-2 if it is taught places, else of 1e-3."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    grammar = random_grammar(depth=2, branching=2, n_features=V, n_empty=S0, seed=seed)
    train, test = train_and_test(grammar, n_train=P, n_test=2000, seed=seed)

    def inputs(data):
        found = torch.tensor(symbols(data, grammar.parameters), dtype=torch.int64)
        return one_hot(found, V + 1)[..., 1:].float().transpose(1, 2)

    labels, network = torch.tensor(train.labels, dtype=torch.int64), Cnn()
    optimiser = torch.optim.SGD(network.parameters(), lr=0.01 * WIDTH, momentum=0.9)
    steps, loss, x = 0, np.inf, inputs(train)
    while loss > (1e-2 if taught else 1e-3) and steps < 60_000:
        if taught:
            x = inputs(displace(train, grammar, level=2, generator=rng, redraw_all=True))
        summed = 0.0
        for batch in torch.tensor(rng.permutation(P)).split(4):
            value = cross_entropy(network(x[batch]), labels[batch])
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            summed += value.item() * len(batch)
            steps += 1
        loss = summed / P
    with torch.no_grad():
        wrong = network(inputs(test)).argmax(dim=1).numpy() != test.labels
    return float(wrong.mean())


@pytest.mark.parametrize("places", ["none", "all"])
def test_P_star_is_that_of_plain_PyTorch(places):
    curve = {**CURVE, "places": places}
    sizes = [round(factor * law(curve)) for factor in MULTIPLES]
    cell = {"width": WIDTH, "n_test": 2000, "max_steps": 60_000}
    both = {
        "PyTorch": lambda P, seed: error_of(P, seed, taught=places == "all"),
        "study": lambda P, seed: run({**curve, **cell, "P": P, "seed": seed}).row["test_error"],
    }
    found = {}
    for name, error in both.items():
        errors = [[error(P, seed) for seed in range(SEEDS)] for P in sizes]
        found[name] = sample_complexity(sizes, errors).P_star
        print(f"{name}, places: {places}: P* = {found[name]:.0f}, errors {np.mean(errors, axis=1)}")
    # Four grammars, initial weights that differ: the scatter of one P* is about a fifth.
    assert abs(np.log(found["PyTorch"] / found["study"])) < np.log(1.5)
