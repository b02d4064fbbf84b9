"""Tokens of one level of the data, and the patches that they make.

Letters of the paper: s branching, s_0 empty places for each informative one, L depth. A patch has
w = s(s_0+1) places. Its content says which s tokens it holds and where within it they stand; with
sparsity A token j stands among the places j(s_0+1) ... j(s_0+1) + s_0. Empty places hold nothing.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations


@dataclass(frozen=True)
class Tokens:
    """Tokens of one level of n data: values (n, k) from 0 on, and where they stand, (n, k)."""

    values: NDArray[np.int64]
    places: NDArray[np.int64]


@dataclass(frozen=True)
class Patches:
    """Patches of one level that hold something: numbers of contents and places, (n, k/s) each."""

    contents: NDArray[np.int64]
    places: NDArray[np.int64]


@dataclass(frozen=True)
class Alphabet:
    """All contents that a patch can have: s of `n_tokens` tokens, each in its own sub-patch."""

    n_tokens: int
    branching: int
    n_empty: int

    @property
    def patch_size(self) -> int:
        """Places of a patch, s(s_0+1)."""
        return self.branching * (self.n_empty + 1)

    @property
    def size(self) -> int:
        """Number of contents, (v(s_0+1))^s."""
        return int((self.n_tokens * (self.n_empty + 1)) ** self.branching)

    def one_hot(self) -> NDArray[np.float64]:
        """Every content as s ones among (places of a patch, tokens), shape (size, w v)."""
        width = self.n_tokens * (self.n_empty + 1)
        rows = np.array(list(product(range(width), repeat=self.branching)))
        found = np.zeros((self.size, self.branching, width))
        np.put_along_axis(found, rows[:, :, None], 1.0, axis=2)
        return found.reshape(self.size, -1)

    def patches(self, tokens: Tokens) -> Patches:
        """The patches of tokens; s neighbours in the order of `Derivations` are in one patch."""
        n, k = tokens.values.shape
        shape = (n, k // self.branching, self.branching)
        offsets = tokens.places.reshape(shape) % (self.n_empty + 1)
        digits = offsets * self.n_tokens + tokens.values.reshape(shape)
        width = self.n_tokens * (self.n_empty + 1)
        weights = width ** np.arange(self.branching - 1, -1, -1)
        return Patches(digits @ weights, tokens.places[:, :: self.branching] // self.patch_size)


def alphabet_of(parameters: GrammarParameters) -> Alphabet:
    """The contents of a patch of features of this grammar.

    Raises:
        ValueError: if the sparsity is not A: of sparsity B a place belongs to no one sub-patch.
    """
    if parameters.sparsity != "A":
        raise ValueError(f"sparsity = {parameters.sparsity!r}: allowed is 'A'")
    return Alphabet(parameters.n_features, parameters.branching, parameters.n_empty)


def inputs(data: Derivations) -> Tokens:
    """The informative features of the input, which are the tokens of level 1."""
    return Tokens(data.features.astype(np.int64), data.positions.astype(np.int64))
