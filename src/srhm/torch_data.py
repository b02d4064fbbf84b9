"""The data of `srhm.data` for PyTorch.

>>> from srhm.data import random_grammar, train_and_test
>>> grammar = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
>>> train, _ = train_and_test(grammar, n_train=1000, n_test=500, seed=0)
>>> x, y = HierarchyDataset(train, grammar, form="channels_first")[:64]
>>> tuple(x.shape), tuple(y.shape)
((64, 3, 16), (64,))
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import numpy as np

from srhm.data import tree
from srhm.declare.names import extra
from srhm.model.grammar import Grammar
from srhm.model.sampling import Derivations
from srhm.transforms import Change, Encoding, OneHot, Tokens, Transform

with extra("torch"):
    import torch
    from torch import Tensor
    from torch.utils.data import Dataset

    from srhm.model.streams import Stream

# What a network takes: a one-hot row at each place (d, v), as LCN, CNN and FCN of `srhm.networks`;
# its transpose (v, d), as convolutions of torch; or integers (d,), as embeddings do.
Form = Literal["channels_last", "channels_first", "symbols"]
FORMS = ("channels_last", "channels_first", "symbols")


class HierarchyDataset(Dataset[Any]):
    """Data of a grammar as pairs (x, y) of input and class, or (x, y, tree).

    `dataset[i]` is one datum, `dataset[:100]` and `dataset[rows]` are batches with n in front:

        x     (d, v) float32, one-hot, zeros at an empty place; "channels_first": (v, d); "symbols":
              (d,) int64, 0 at an empty place, f + 1 for feature f. d = (s(s_0+1))^L
        y     () int64, 0 ... n_c-1
        tree  with trees=True: {level: {"features", "places"}} from L+1, the class, to 1, the input,
              each (s^(L+1-level),) int64, as in `srhm.data.Level`

    Args:
        data: of the grammar.
        grammar: its production rules.
        form: of the input, "channels_last" by default.
        whitening: x(1 + c) - c in place of a one-hot x, c = 1/sqrt(v - 1), as in the published
            figures.
        trees: whether the tree comes with each datum.
        transform: one of `srhm.transforms`, or several in their order. `Displacement`, `Synonyms`
            and any `change(data, grammar, generator)` give other data, anew at each access;
            `OneHot` or `Tokens` stands in the place of form and whitening; what follows them is
            called with x alone, n in front.
        generator: of these draws. A worker of a `DataLoader` has a stream of its own, which the
            seed that PyTorch gives it continues.

    Raises:
        ValueError: if the form is unknown, symbols are to be whitened, the form is given twice, a
            class stands in place of a transform, or data are to be changed without a generator.
    """

    def __init__(
        self,
        data: Derivations,
        grammar: Grammar,
        *,
        form: Form | None = None,
        whitening: bool = False,
        trees: bool = False,
        transform: Transform | Sequence[Transform] = (),
        generator: np.random.Generator | None = None,
    ) -> None:
        if form not in (None, *FORMS):
            raise ValueError(f"form = {form!r}: allowed are {', '.join(FORMS)}")
        if whitening and form == "symbols":
            raise ValueError("whitening: allowed where the input is one-hot, not with symbols")
        steps = [transform] if callable(transform) else list(transform)
        if classes := [step.__name__ for step in steps if isinstance(step, type)]:
            raise ValueError(f"transform has the class {classes[0]}: give {classes[0]}(...)")
        ends = [place for place, step in enumerate(steps) if isinstance(step, Encoding)]
        if ends and (form is not None or whitening):
            raise ValueError(
                f"transform has {steps[ends[0]]}: form and whitening are allowed without"
            )
        first = ends[0] if ends else len(steps)
        if first and not isinstance(generator, np.random.Generator):
            raise ValueError("transform changes data: give generator=np.random.default_rng(0), say")
        self.data, self.grammar, self.trees = data, grammar, trees
        self.stream = None if generator is None else Stream(generator)
        self.changes = cast(list[Change], steps[:first])
        channels_first = form == "channels_first"
        default = Tokens() if form == "symbols" else OneHot(channels_first, whitening)
        self.encoding = cast(Encoding, steps[first] if ends else default)
        self.further = cast(list[Callable[[Any], Any]], steps[first + 1 :])

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, rows: Any) -> tuple[Any, ...]:
        single = not isinstance(rows, slice) and np.ndim(rows) == 0
        if not isinstance(rows, slice):
            rows = np.atleast_1d(np.asarray(rows))
        data = self.data[rows]
        for change in self.changes:
            assert self.stream is not None  # as without a generator no change is taken
            data = change(data, self.grammar, self.stream.here())
        parts: list[Any] = [self.inputs(data), _integers(data.labels)]
        if self.trees:
            levels = tree(data, self.grammar)
            parts.append(
                {
                    level: {
                        name: _integers(getattr(latents, name))[0 if single else slice(None)]
                        for name in ("features", "places")
                    }
                    for level, latents in levels.items()
                }
            )
        if single:
            parts[:2] = [part[0] for part in parts[:2]]
        return tuple(parts)

    def inputs(self, data: Derivations) -> Tensor:
        """Inputs x of any data of the grammar, like transformed ones.

        Args:
            data: n data of the grammar.

        Returns:
            The inputs with n in front.
        """
        x: Any = torch.from_numpy(self.encoding(data, self.grammar))
        for step in self.further:
            x = step(x)
        return cast(Tensor, x)


def _integers(array: np.ndarray) -> Tensor:
    return torch.from_numpy(array.astype(np.int64))
