"""Ranks by layer of deep networks with weight decay that learn the classes of a grammar.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Convergence of
the representations" (symmetries are learnt in the first layers), on the Sparse Random Hierarchy
Model (Tomasini, Wyart 2024).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.data import random_grammar, train_and_test
from srhm.experiments.cells import Outcome
from srhm.model.encoding import one_hot
from srhm_studies.beyond.representation_cost import spectra
from srhm_studies.beyond.representation_cost.fitting import fit
from srhm_studies.beyond.representation_cost.networks import Architecture, activations, concatenated
from srhm_studies.beyond.representation_cost.outcomes import layer_tables, numbers

N_TEST = 1000


def centred_classes(labels: NDArray[np.integer], n_classes: int) -> Tensor:
    """Centred one-hot rows, of unit variance in each of the n_c - 1 directions of the classes."""
    rows = np.eye(n_classes)[labels] - 1 / n_classes
    return torch.from_numpy(rows * np.sqrt(n_classes))


def run(cell: Mapping[str, Any]) -> Outcome:
    """One deep fully connected network.

    cell: L (of the network), width, n (training points), levels, s, v, m, n_c, s0 (of the grammar),
    and what `fitting.fit` reads. Row: besides `outcomes.numbers` the test error, and directions of
    the middle representation.
    """
    depth, n_classes, seed = int(cell["levels"]), int(cell["n_c"]), int(cell["seed"])
    grammar = random_grammar(
        depth=depth,
        branching=int(cell["s"]),
        n_features=int(cell["v"]),
        n_synonyms=int(cell["m"]),
        n_classes=n_classes,
        n_empty=int(cell["s0"]),
        seed=seed,
    )
    train, test = train_and_test(grammar, n_train=int(cell["n"]), n_test=N_TEST, seed=seed)
    x, x_test = (
        torch.from_numpy(one_hot(data, grammar.parameters).reshape(len(data), -1))
        for data in (train, test)
    )
    channels = concatenated((x.shape[1], n_classes), int(cell["L"]), int(cell["width"]))
    wanted = centred_classes(train.labels, n_classes)
    fitted = fit(Architecture(channels=channels), x, wanted, cell)
    row = {**numbers(fitted), "variance": float(n_classes - 1)}
    if not fitted.finite:
        return Outcome(row)
    layers = activations(fitted.parameters, x_test.to(fitted.parameters.theta.dtype))
    row["test_error"] = float(np.mean(layers[-1].argmax(1).numpy() != test.labels))
    middle = spectra.representation_values(layers[len(layers) // 2])
    row["representation_rank"] = float(spectra.n_visible(middle))
    return Outcome(row, layer_tables(fitted, x_test))
