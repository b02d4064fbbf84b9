"""Grammars: the random production rules of the Sparse Random Hierarchy Model (sections 2, 3).

Level L+1 is the class, level 1 the input. A latent of level l+1 (a class if l = L) has m
synonyms: tuples of s features of level l. The tuples of a level are distinct, so that a tuple
belongs to one latent only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Sparsity = Literal["A", "B"]
# Features are kept as 16-bit integers, with one value for the empty symbol.
MAX_FEATURES = 2**15 - 2
# Places are kept as 32-bit integers.
MAX_PLACES = 2**31 - 1
# The placements of a rule are listed, s numbers each.
MAX_PLACEMENTS = 2**20


def whole(value: Any, name: str, *, least: int, most: int | None = None) -> int:
    """A whole number of any type as Python's own, whose sums and powers do not overflow.

    Raises:
        TypeError: if it is none, with the name of the argument and its range.
        ValueError: if it is out of range.
    """
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: allowed are whole numbers, {allowed}") from None
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} = {number}: allowed are {allowed}")
    return number


def n_nodes(*, depth: int, branching: int) -> int:
    """Number of production rules that a datum uses, (s^L - 1)/(s - 1)."""
    depth, branching = index(depth), index(branching)
    return (branching**depth - 1) // (branching - 1)


def n_placements(*, branching: int, n_empty: int, sparsity: str = "A") -> int:
    """Number of ways to place the s features of one rule in their patch of s(s_0+1) places.

    Sparsity A: each feature in its own sub-patch, (s_0+1)^s. Sparsity B: anywhere, order kept,
    binomial(s(s_0+1), s). Section 3 and Figure 2, panel 3.
    """
    branching, n_empty = index(branching), index(n_empty)
    if sparsity == "A":
        return (n_empty + 1) ** branching
    return comb(branching * (n_empty + 1), branching)


def n_distinct(
    *,
    depth: int,
    branching: int,
    n_synonyms: int,
    n_classes: int,
    n_empty: int,
    sparsity: str = "A",
) -> int:
    """Number of distinct data, n_c (m placements)^((s^L - 1)/(s - 1)).

    One choice of synonym and of places for each rule that a datum uses; no two choices give the
    same datum, since no tuple is shared by two latents of a level.
    """
    n_synonyms, n_classes = index(n_synonyms), index(n_classes)
    places = n_placements(branching=branching, n_empty=n_empty, sparsity=sparsity)
    return n_classes * (n_synonyms * places) ** n_nodes(depth=depth, branching=branching)


class GrammarError(ValueError):
    """Parameters that no grammar can have; the message names the parameter and its range."""


@dataclass(frozen=True, kw_only=True)
class GrammarParameters:
    """Parameters of a grammar: L, s, v, m, n_c, s_0 of the paper, and the kind of sparsity.

    Raises:
        TypeError: if a number is no whole one.
        GrammarError: unless L >= 1, s >= 2, v, m, n_c >= 1, s_0 >= 0, v m <= v^s, n_c m <= v^s.
    """

    depth: int
    branching: int
    n_features: int
    n_synonyms: int
    n_classes: int
    n_empty: int
    sparsity: Sparsity = "A"

    def __post_init__(self) -> None:
        ranges = {
            "L": ("depth", 1, 8),
            "s": ("branching", 2, 16),
            "v": ("n_features", 1, MAX_FEATURES),
            "m": ("n_synonyms", 1, MAX_FEATURES),
            "n_c": ("n_classes", 1, MAX_FEATURES),
            "s0": ("n_empty", 0, 64),
        }
        for key, (name, low, high) in ranges.items():
            value = getattr(self, name)
            try:
                # The only door of parameters: powers of NumPy's integers would overflow.
                object.__setattr__(self, name, whole(value, name, least=low, most=high))
            except ValueError:
                raise GrammarError(f"{key} = {value}: allowed are {low} to {high}") from None
        if self.sparsity not in ("A", "B"):
            raise GrammarError(f"sparsity = {self.sparsity!r}: allowed are 'A' and 'B'")
        if self.input_length > MAX_PLACES:
            raise GrammarError(
                f"s0 = {self.n_empty} with L = {self.depth} and s = {self.branching}: the input has"
                f" d = (s(s0+1))^L = {self.input_length} places; allowed are d up to {MAX_PLACES}"
            )
        if self.n_placements > MAX_PLACEMENTS:
            raise GrammarError(
                f"s0 = {self.n_empty} with s = {self.branching}: a rule has {self.n_placements}"
                f" placements; allowed are up to {MAX_PLACEMENTS}"
            )
        n_tuples = self.n_features**self.branching
        limit = f"v^s = {self.n_features}^{self.branching} = {n_tuples}"
        for key, n_latents, needed in (
            ("v", self.n_features, self.depth > 1),
            ("n_c", self.n_classes, True),
        ):
            if needed and n_latents * self.n_synonyms > n_tuples:
                allowed = f"m from 1 to {n_tuples // n_latents}"
                if n_latents > n_tuples:
                    allowed = f"{key} from 1 to {n_tuples}"
                raise GrammarError(
                    f"m = {self.n_synonyms} with {key} = {n_latents}: {key}*m ="
                    f" {n_latents * self.n_synonyms} tuples are needed, no two alike, but there"
                    f" are {limit}; allowed are {allowed}"
                )

    @property
    def patch_size(self) -> int:
        """Places in a patch, s(s_0+1)."""
        return self.branching * (self.n_empty + 1)

    @property
    def input_length(self) -> int:
        """Places of the input, d = (s(s_0+1))^L."""
        return self.patch_size**self.depth

    @property
    def n_leaves(self) -> int:
        """Informative features of a datum, s^L."""
        return self.branching**self.depth

    @property
    def n_nodes(self) -> int:
        """Production rules that a datum uses, (s^L - 1)/(s - 1)."""
        return n_nodes(depth=self.depth, branching=self.branching)

    @property
    def n_placements(self) -> int:
        """Ways to place the s features of a rule in their patch."""
        return n_placements(branching=self.branching, n_empty=self.n_empty, sparsity=self.sparsity)

    @property
    def n_distinct(self) -> int:
        """Number of distinct data."""
        return n_distinct(
            depth=self.depth,
            branching=self.branching,
            n_synonyms=self.n_synonyms,
            n_classes=self.n_classes,
            n_empty=self.n_empty,
            sparsity=self.sparsity,
        )


@dataclass(frozen=True)
class Grammar:
    """Production rules: rules[l-1], of shape (latents, m, s), holds the tuples of level l."""

    parameters: GrammarParameters
    rules: tuple[NDArray[np.int64], ...]


def draw_grammar(parameters: GrammarParameters, *, generator: np.random.Generator) -> Grammar:
    """Grammar whose rules are drawn at random, all tuples of a level distinct.

    At each level the v^s tuples are shuffled and dealt out, m to each latent: for m = v^(s-1) and
    v latents, a partition of all of them.
    """
    v, s, m = parameters.n_features, parameters.branching, parameters.n_synonyms
    rules = []
    for level in range(1, parameters.depth + 1):
        n_latents = parameters.n_classes if level == parameters.depth else v
        codes = generator.choice(v**s, size=n_latents * m, replace=False)
        digits = codes[:, None] // v ** np.arange(s - 1, -1, -1) % v
        rules.append(digits.reshape(n_latents, m, s).astype(np.int64))
    return Grammar(parameters, tuple(rules))


def placement_offsets(parameters: GrammarParameters) -> NDArray[np.int64]:
    """Offsets of the s features within their patch, one row for each placement, increasing.

    Shape (n_placements, s). Sparsity A: feature j in j(s_0+1) ... j(s_0+1) + s_0; sparsity B: any
    s places out of s(s_0+1), in order.
    """
    s, width = parameters.branching, parameters.n_empty + 1
    if parameters.sparsity == "A":
        rows = list(product(*(range(j * width, (j + 1) * width) for j in range(s))))
    else:
        rows = list(combinations(range(s * width), s))
    return np.array(rows, dtype=np.int64)


def parameters_of(cell: Mapping[str, Any]) -> GrammarParameters:
    """Parameters of the grammar of a cell, or of the coordinates that its cells share.

    cell: L, s, v, m, n_c, s0, and sparsity, A where it is left out.

    Raises:
        srhm.model.grammar.GrammarError: if no grammar can have them; the message names the letter.
    """
    sparsity = {"sparsity": cell["sparsity"]} if "sparsity" in cell else {}
    return GrammarParameters(
        depth=cell["L"],
        branching=cell["s"],
        n_features=cell["v"],
        n_synonyms=cell["m"],
        n_classes=cell["n_c"],
        n_empty=cell["s0"],
        **sparsity,
    )


GRAMMAR = ("L", "s", "s0", "v", "m", "n_c")
DATA_MODEL = (*GRAMMAR, "sparsity")
NET_AND_DATA = ("net", *DATA_MODEL)
