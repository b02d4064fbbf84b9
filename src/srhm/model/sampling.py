"""Data as derivation trees: which rules a datum used, where it placed their features.

A datum is given by its label, and for each of its (s^L - 1)/(s - 1) production rules by the
choice of a synonym and of a placement. Rules are numbered breadth-first: node 0 belongs to the
class, nodes s i + 1 ... s i + s are the children of node i. A node at depth t of the tree produces
features of level L - t; an uninformative symbol produces only uninformative ones and needs no node.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar, placement_offsets
from srhm.model.seeding import generator

# Up to this many distinct data the order of a sample is a permutation of all of them; above, data
# are drawn one by one and repetitions dropped. A constant, so that a sample never depends on how
# many points of it are asked for.
MAX_ENUMERATED = 2**22
# Points drawn at a time from a stream; a constant, so that prefixes of the stream are stable.
BLOCK = 4096
# At least this many test points, or the test error is not worth the name.
MIN_TEST = 50


class SampleError(ValueError):
    """A sample that the grammar cannot give, with the range that it can."""


@dataclass(frozen=True, kw_only=True)
class Derivations:
    """Data of one grammar, a row each.

    labels (n,); choices and placements (n, nodes); features and positions (n, s^L): the level-1
    features, 0 ... v-1, left to right, and their places, 0 ... d-1.
    """

    labels: NDArray[np.int16]
    choices: NDArray[np.int16]
    placements: NDArray[np.int32]
    features: NDArray[np.int16]
    positions: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: Any) -> "Derivations":
        """The data of a slice or of an array of indices."""
        return Derivations(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


def depth_slices(parameters: GrammarParameters) -> list[slice]:
    """Nodes of each depth of the tree, from the root down."""
    starts = np.cumsum([0] + [parameters.branching**t for t in range(parameters.depth)])
    return [slice(int(a), int(b)) for a, b in pairwise(starts)]


def derive(
    grammar: Grammar,
    labels: NDArray[np.integer],
    choices: NDArray[np.integer],
    placements: NDArray[np.integer],
) -> Derivations:
    """The data that these labels (n,), choices and placements (n, nodes) produce (Eq. 1, 2)."""
    parameters = grammar.parameters
    offsets = placement_offsets(parameters)
    n = len(labels)
    latents = labels.astype(np.int64)[:, None]
    positions = np.zeros((n, 1), dtype=np.int64)
    for t, nodes in enumerate(depth_slices(parameters)):
        rules = grammar.rules[parameters.depth - t - 1]
        latents = rules[latents, choices[:, nodes]].reshape(n, -1)
        places = positions[:, :, None] * parameters.patch_size + offsets[placements[:, nodes]]
        positions = places.reshape(n, -1)
    return Derivations(
        labels=labels.astype(np.int16),
        choices=choices.astype(np.int16),
        placements=placements.astype(np.int32),
        features=latents.astype(np.int16),
        positions=positions.astype(np.int32),
    )


def largest_training_set(parameters: GrammarParameters) -> int:
    """Most training points that leave a test set and can be drawn: see `draw_sample`."""
    n_distinct = parameters.n_distinct
    return (n_distinct if n_distinct <= MAX_ENUMERATED else n_distinct // 2) - MIN_TEST


def n_test_points(parameters: GrammarParameters, *, n_train: int, n_test: int) -> int:
    """Points of the test set: those asked for, or all that the largest training set leaves.

    Raises:
        SampleError: if the training set is larger than the distinct data allow.
    """
    n_distinct, largest = parameters.n_distinct, largest_training_set(parameters)
    if n_train > largest:
        kept = "of which" if n_distinct <= MAX_ENUMERATED else "half of which can be drawn and"
        raise SampleError(
            f"P = {n_train}: this grammar has {n_distinct} distinct data, {kept} {MIN_TEST} are"
            f" kept for testing; allowed are P from 1 to {max(largest, 0)}"
        )
    return min(n_test, largest + MIN_TEST - n_train)


def draw_sample(
    grammar: Grammar,
    *,
    n_train: int,
    n_test: int,
    train_generator: np.random.Generator,
    test_generator: np.random.Generator,
) -> tuple[Derivations, Derivations]:
    """Training and test data, all distinct, each an ordered sample.

    The first P training points are the same whatever n_train is, so that training sets of one
    seed are nested; likewise for the test set.

    Raises:
        SampleError: if there are not as many distinct data.
    """
    parameters = grammar.parameters
    n_distinct = parameters.n_distinct
    if n_train + n_test > n_distinct:
        raise SampleError(
            f"P = {n_train} and n_test = {n_test}: this grammar has only {n_distinct} distinct data"
        )
    if n_distinct <= MAX_ENUMERATED:
        order = train_generator.permutation(n_distinct)
        train = _from_ranks(parameters, order[:n_train])
        test = _from_ranks(parameters, order[::-1][:n_test])
    else:
        if n_train + n_test > n_distinct // 2:
            raise SampleError(
                f"P = {n_train} and n_test = {n_test}: drawing more than half of {n_distinct}"
                f" distinct data is not supported; allowed are P up to {n_distinct // 2 - n_test}"
            )
        none = np.empty((0, 1 + 2 * parameters.n_nodes), dtype=np.int32)
        test = _distinct(parameters, n_test, excluded=none, generator=test_generator)
        train = _distinct(parameters, n_train, excluded=test, generator=train_generator)
    nodes = parameters.n_nodes
    return tuple(  # type: ignore[return-value]
        derive(grammar, rows[:, 0], rows[:, 1 : 1 + nodes], rows[:, 1 + nodes :])
        for rows in (train, test)
    )


def _from_ranks(parameters: GrammarParameters, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
    """Label, choices and placements as the digits of a number below n_distinct."""
    nodes = parameters.n_nodes
    bases = [parameters.n_classes] + [parameters.n_synonyms] * nodes
    bases += [parameters.n_placements] * nodes
    rows = np.empty((len(ranks), len(bases)), dtype=np.int32)
    rest = ranks.astype(np.int64)
    for column, base in enumerate(bases):
        rest, rows[:, column] = np.divmod(rest, base)
    return rows


def _distinct(
    parameters: GrammarParameters,
    n: int,
    *,
    excluded: NDArray[np.int32],
    generator: np.random.Generator,
) -> NDArray[np.int32]:
    """The first n distinct rows of a stream that are not among the excluded ones."""
    rows = excluded
    while True:
        missing = len(excluded) + n - len(rows)
        if missing <= 0:
            return rows[len(excluded) : len(excluded) + n]
        blocks = [_block(parameters, generator) for _ in range(-(-missing // BLOCK))]
        rows = np.concatenate([rows, *blocks])
        _, first = np.unique(
            rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel(),
            return_index=True,
        )
        rows = np.ascontiguousarray(rows[np.sort(first)])


def _block(parameters: GrammarParameters, generator: np.random.Generator) -> NDArray[np.int32]:
    nodes = parameters.n_nodes
    return np.concatenate(
        [
            generator.integers(parameters.n_classes, size=(BLOCK, 1), dtype=np.int32),
            generator.integers(parameters.n_synonyms, size=(BLOCK, nodes), dtype=np.int32),
            generator.integers(parameters.n_placements, size=(BLOCK, nodes), dtype=np.int32),
        ],
        axis=1,
    )


def draw_samples(
    parameters: GrammarParameters, seeds: Iterable[int], *, n_train: int, n_test: int
) -> dict[tuple[int, str], Derivations]:
    """Training and test data by (seed, "train" or "test"), each seed with a grammar of its own."""
    samples = {}
    for seed in seeds:
        grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
        samples[seed, "train"], samples[seed, "test"] = draw_sample(
            grammar,
            n_train=n_train,
            n_test=n_test,
            train_generator=generator(seed, role="train"),
            test_generator=generator(seed, role="test"),
        )
    return samples
