"""Data of the Sparse Random Hierarchy Model for programs of your own: grammars, data, their trees.

>>> grammar = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
>>> grammar.parameters.n_distinct
5184
>>> train, test = train_and_test(grammar, n_train=1000, n_test=500, seed=0)
>>> print(drawn(train[:1], grammar))
class 2
level 2  ·       1       ·       0
level 1  · · · · · 2 · 1 · · · · 0 · 1 ·
<BLANKLINE>
>>> tree(train[:4], grammar)[2].features.tolist()
[[1, 0], [2, 1], [0, 0], [2, 1]]

Letters of the paper: L depth, s branching, v features, m synonyms, n_c classes, s_0 empty places
for each informative place. Level 1 is the input, level L+1 the class. All randomness comes from
seeds and generators in arguments. Loads NumPy alone; `srhm.torch_data` has the data for PyTorch.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from srhm.model.encoding import symbols
from srhm.model.grammar import (
    Grammar,
    GrammarError,
    GrammarParameters,
    Sparsity,
    draw_grammar,
    whole,
)
from srhm.model.sampling import Derivations, SampleError, derive, draw_sample
from srhm.model.seeding import generator
from srhm.model.transformations import displace, exchange_synonyms

__all__ = [
    "Derivations",
    "Grammar",
    "GrammarError",
    "Level",
    "SampleError",
    "displace",
    "drawn",
    "exchange_synonyms",
    "random_grammar",
    "symbols",
    "train_and_test",
    "tree",
]

# Rules are drawn by the numbers of their tuples, which are 64-bit integers.
MAX_TUPLES = 2**63 - 1
# Inputs of more places are drawn by their informative places alone.
MAX_DRAWN = 64


def random_grammar(
    *,
    depth: int,
    branching: int,
    n_features: int,
    n_empty: int = 0,
    n_synonyms: int | None = None,
    n_classes: int | None = None,
    sparsity: Sparsity = "A",
    seed: int,
) -> Grammar:
    """Draws production rules at random, all tuples of a level distinct (sections 2, 3).

    The workflow draws the same grammar for this seed.

    Args:
        depth: L, the number of levels.
        branching: s, features in the tuple of a production rule.
        n_features: v, of each level.
        n_empty: s_0, empty places for each informative one.
        n_synonyms: m, tuples that a feature produces; without it v^(s-1), as in the paper.
        n_classes: n_c; without it v, as in the paper.
        sparsity: "A" or "B" of section 3.
        seed: of the draw.

    Returns:
        The grammar; `grammar.parameters.n_distinct` is the number of its distinct data.

    Raises:
        GrammarError: if no grammar has these parameters; the message says which are allowed.
        TypeError: if a number is no whole one, with the name of the argument and its range.
        ValueError: if the seed is negative.
    """
    seed = whole(seed, "seed", least=0)
    parameters = GrammarParameters(
        depth=depth,
        branching=branching,
        n_features=n_features,
        n_synonyms=1,
        n_classes=1,
        n_empty=n_empty,
        sparsity=sparsity,
    )
    v, s = parameters.n_features, parameters.branching
    parameters = replace(
        parameters,
        n_synonyms=v ** (s - 1) if n_synonyms is None else n_synonyms,
        n_classes=v if n_classes is None else n_classes,
    )
    if v**s > MAX_TUPLES:
        raise GrammarError(f"v = {v} with s = {s}: there are v^s tuples; allowed are v^s < 2^63")
    return draw_grammar(parameters, generator=generator(seed, role="grammar"))


def train_and_test(
    grammar: Grammar, *, n_train: int, n_test: int, seed: int
) -> tuple[Derivations, Derivations]:
    """Draws training and test data, uniform over all distinct data; all points are distinct.

    Training sets of one seed and n_test are nested: the first P points are the same in each. Test
    sets are nested, too. Training and test sets of calls with different n_test may share data. The
    workflow draws the same sample for this seed.

    Args:
        grammar: the production rules.
        n_train: P, number of training points.
        n_test: number of test points.
        seed: of the draw.

    Returns:
        Training and test data.

    Raises:
        TypeError: if a number is no whole one, with the name of the argument and its range.
        SampleError: if there are too few distinct data; the message says how many.
        ValueError: if the seed is negative.
    """
    seed = whole(seed, "seed", least=0)
    try:
        n_train, n_test = whole(n_train, "n_train", least=1), whole(n_test, "n_test", least=1)
    except ValueError as refusal:
        raise SampleError(str(refusal)) from None
    return draw_sample(
        grammar,
        n_train=n_train,
        n_test=n_test,
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )


@dataclass(frozen=True)
class Level:
    """The latents of level l of n data, left to right.

    features (n, s^(L+1-l)): 0 ... v-1; at level L+1 the class, 0 ... n_c-1. places (n, s^(L+1-l)):
    place of each feature among the n_places = (s(s_0+1))^(L+1-l) symbols of the level. Feature i
    produced features s i ... s i + s-1 of the level below, in the w = s(s_0+1) places from
    w places[i].
    """

    features: NDArray[np.int16]
    places: NDArray[np.int32]
    n_places: int


def tree(data: Derivations, grammar: Grammar) -> dict[int, Level]:
    """Derives the trees of data by level (Eq. 1, 2).

    Args:
        data: n data of the grammar.
        grammar: its production rules.

    Returns:
        The latents by level, from L+1, the class, to 1, the input.
    """
    parameters = grammar.parameters
    labels = data.labels[:, None]
    levels = {parameters.depth + 1: Level(labels, np.zeros(labels.shape, np.int32), 1)}
    for level in range(parameters.depth, 0, -1):
        # The levels from l up are a datum of the grammar without its lower rules.
        upper = replace(parameters, depth=parameters.depth + 1 - level)
        rules, nodes = grammar.rules[level - 1 :], slice(upper.n_nodes)
        derived = derive(
            Grammar(upper, rules), data.labels, data.choices[:, nodes], data.placements[:, nodes]
        )
        levels[level] = Level(derived.features, derived.positions, upper.input_length)
    return levels


def drawn(data: Derivations, grammar: Grammar) -> str:
    """Writes the trees of data as text: a line for each level, each feature above its patch.

    Args:
        data: n data of the grammar.
        grammar: its production rules.

    Returns:
        The text; a dot is an uninformative symbol, and an input of more than 64 places is a list of
        features with places.

    Raises:
        ValueError: if there is no datum, or one without n in front.
    """
    if np.ndim(data.labels) != 1 or not len(data):
        raise ValueError("one datum is data[:1], with n in front; of no datum there is no tree")
    parameters = grammar.parameters
    width = len(str(max(parameters.n_features, parameters.n_classes) - 1)) + 1
    levels = tree(data, grammar)
    lines = []
    for row in range(len(data)):
        lines.append(f"class {data.labels[row]}")
        for level in range(parameters.depth, 0, -1):
            nodes, cell = levels[level], width * parameters.patch_size ** (level - 1)
            shown = dict(zip(nodes.places[row].tolist(), nodes.features[row].tolist(), strict=True))
            if parameters.input_length <= MAX_DRAWN:
                texts = [str(shown.get(place, "·")).ljust(cell) for place in range(nodes.n_places)]
            else:
                texts = [f"{feature} at {place}, " for place, feature in shown.items()]
            lines.append(f"level {level}  " + "".join(texts).rstrip(", "))
        lines.append("")
    return "\n".join(lines)
