"""Derivations as the input of a network: one-hot features, empty places as zero columns."""

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations


def symbols(data: Derivations, parameters: GrammarParameters) -> NDArray[np.int16]:
    """Symbols at each place, shape (n, d): 0 for uninformative, 1 ... v for the features."""
    places = np.zeros((len(data), parameters.input_length), dtype=np.int16)
    np.put_along_axis(places, data.positions.astype(np.int64), data.features + 1, axis=1)
    return places


def one_hot(
    data: Derivations, parameters: GrammarParameters, *, whitening: bool = False
) -> NDArray[np.float32]:
    """Input of shape (n, d, v): a one-hot row where a place is informative, else zeros.

    With whitening, x(1 + c) - c with c = 1/sqrt(v - 1), as the published figures were made: a
    feature becomes 1 in its channel and -c in the others, an empty place a row of -c.
    """
    n = len(data)
    x = np.zeros((n, parameters.input_length, parameters.n_features), dtype=np.float32)
    x[np.arange(n)[:, None], data.positions, data.features] = 1.0
    if whitening:
        c = np.float32(1 / np.sqrt(parameters.n_features - 1))
        x = x * (1 + c) - c
    return x
