"""What flow networks see and learn: inputs, parities of classes, latents of a level."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.model.encoding import one_hot
from srhm.model.grammar import Grammar, GrammarParameters
from srhm.model.sampling import Derivations, depth_slices


def inputs(
    data: Derivations,
    parameters: GrammarParameters,
    *,
    dtype: torch.dtype = torch.float64,
    squared_norm: float | None = None,
) -> Tensor:
    """One-hot inputs (n, d, v).

    squared_norm: of each input; None: s^L, as the one-hot encoding has it. The FCN of the thesis is
    given inputs of squared norm equal to their number, d v.
    """
    x = torch.from_numpy(one_hot(data, parameters)).to(dtype)
    if squared_norm is None:
        return x
    return x * (squared_norm / parameters.n_leaves) ** 0.5


def parity(labels: NDArray[np.integer], *, dtype: torch.dtype = torch.float64) -> Tensor:
    """Binary labels (n,): +1 for classes of even number, -1 for odd ones."""
    return torch.from_numpy(1 - 2 * (labels.astype(np.int64) % 2)).to(dtype)


def latents(grammar: Grammar, data: Derivations, *, level: int) -> NDArray[np.int64]:
    """Features of a level of each datum, in the order of the tree, (n, s^(L+1-level)).

    Level 1 is the input, level L + 1 the class.

    Raises:
        ValueError: if the level is not one of 1 ... L + 1.
    """
    parameters = grammar.parameters
    if not 1 <= level <= parameters.depth + 1:
        raise ValueError(f"level = {level}: allowed are 1 to L + 1 = {parameters.depth + 1}")
    found = data.labels.astype(np.int64)[:, None]
    for t, nodes in enumerate(depth_slices(parameters)[: parameters.depth + 1 - level]):
        rules = grammar.rules[parameters.depth - t - 1]
        found = rules[found, data.choices[:, nodes]].reshape(len(data), -1)
    return found


def indicators(
    values: NDArray[np.integer], *, n_values: int, dtype: torch.dtype = torch.float64
) -> Tensor:
    """Centred one-hot targets (n, nodes n_values) of latents (n, nodes) or classes (n,).

    Each column has zero mean over the data; of n_values columns of a node n_values - 1 are
    independent.
    """
    table = np.eye(n_values)[values.reshape(len(values), -1)].reshape(len(values), -1)
    return torch.from_numpy(table - table.mean(axis=0)).to(dtype)
