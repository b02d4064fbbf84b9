"""The data of `srhm.data` for PyTorch."""

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from srhm.data import tree
from srhm.model.encoding import one_hot, symbols
from srhm.model.grammar import Grammar
from srhm.model.sampling import Derivations

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

    whitening: x(1 + c) - c in place of a one-hot x, c = 1/sqrt(v - 1), as in the published figures.

    Raises:
        ValueError: if the form is unknown, or symbols are to be whitened.
    """

    def __init__(
        self,
        data: Derivations,
        grammar: Grammar,
        *,
        form: Form = "channels_last",
        whitening: bool = False,
        trees: bool = False,
    ) -> None:
        if form not in FORMS:
            raise ValueError(f"form = {form!r}: allowed are {', '.join(FORMS)}")
        if whitening and form == "symbols":
            raise ValueError("whitening: allowed where the input is one-hot, not with symbols")
        self.data, self.grammar = data, grammar
        self.form, self.whitening, self.trees = form, whitening, trees

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, rows: Any) -> tuple[Any, ...]:
        one = not isinstance(rows, slice) and np.ndim(rows) == 0
        if not isinstance(rows, slice):
            rows = np.atleast_1d(np.asarray(rows))
        data = self.data[rows]
        parts: list[Any] = [self.inputs(data), _integers(data.labels)]
        if self.trees:
            levels = tree(data, self.grammar)
            parts.append(
                {
                    level: {
                        name: _integers(getattr(own, name))[0 if one else slice(None)]
                        for name in ("features", "places")
                    }
                    for level, own in levels.items()
                }
            )
        if one:
            parts[:2] = [part[0] for part in parts[:2]]
        return tuple(parts)

    def inputs(self, data: Derivations) -> Tensor:
        """Inputs x of any data of the grammar, like transformed ones, with n in front."""
        if self.form == "symbols":
            return _integers(symbols(data, self.grammar.parameters))
        x_BDC = torch.from_numpy(one_hot(data, self.grammar.parameters, whitening=self.whitening))
        if self.form == "channels_first":
            return x_BDC.transpose(1, 2).contiguous()
        return x_BDC


def _integers(array: np.ndarray) -> Tensor:
    return torch.from_numpy(array.astype(np.int64))
