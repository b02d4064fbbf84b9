"""What `HierarchyDataset(transform=...)` may do to data: other images of them, forms of the input.

>>> from srhm.data import random_grammar, train_and_test
>>> grammar = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
>>> data, _ = train_and_test(grammar, n_train=4, n_test=2, seed=0)
>>> Tokens()(data[:1], grammar).tolist()
[[0, 0, 0, 0, 0, 3, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0]]
>>> moved = Displacement(1)(data, grammar, np.random.default_rng(0))
>>> bool((moved.features == data.features).all()), bool((moved.positions == data.positions).all())
(True, False)

Loads NumPy alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.model.encoding import one_hot, symbols
from srhm.model.grammar import Grammar, whole
from srhm.model.sampling import Derivations
from srhm.model.transformations import displace, exchange_synonyms


@dataclass(frozen=True)
class Displacement:
    """Moves the features of each patch of level l to places drawn anew: `srhm.data.displace`."""

    level: int

    def __post_init__(self) -> None:
        whole(self.level, "level", least=1)

    def __call__(
        self, data: Derivations, grammar: Grammar, generator: np.random.Generator
    ) -> Derivations:
        return displace(data, grammar, level=self.level, generator=generator)


@dataclass(frozen=True)
class Synonyms:
    """Exchanges each patch of level l for a synonym: `srhm.data.exchange_synonyms`."""

    level: int

    def __post_init__(self) -> None:
        whole(self.level, "level", least=1)

    def __call__(
        self, data: Derivations, grammar: Grammar, generator: np.random.Generator
    ) -> Derivations:
        return exchange_synonyms(data, grammar, level=self.level, generator=generator)


@dataclass(frozen=True)
class OneHot:
    """Input (n, d, v), float32: one-hot, zeros at an empty place.

    channels_first: (n, v, d), as convolutions of PyTorch take it. whitening: x(1 + c) - c,
    c = 1/sqrt(v - 1), as in the published figures; not defined for v = 1.
    """

    channels_first: bool = False
    whitening: bool = False

    def __call__(self, data: Derivations, grammar: Grammar) -> NDArray[np.float32]:
        if self.whitening and grammar.parameters.n_features == 1:
            raise ValueError("whitening with v = 1, c = 1/sqrt(v - 1): allowed are v of 2 or more")
        x_BDC = one_hot(data, grammar.parameters, whitening=self.whitening)
        return np.ascontiguousarray(x_BDC.swapaxes(1, 2)) if self.channels_first else x_BDC


@dataclass(frozen=True)
class Tokens:
    """Input (n, d), int64, as embeddings take it: 0 at an empty place, f + 1 for feature f."""

    def __call__(self, data: Derivations, grammar: Grammar) -> NDArray[np.int64]:
        return symbols(data, grammar.parameters).astype(np.int64)


# Of data: other data of the same classes. Of these: an input. Of an input: another one.
Change = Callable[[Derivations, Grammar, np.random.Generator], Derivations]
Encoding = OneHot | Tokens
Transform = Change | Encoding | Callable[[Any], Any]
