"""The engine of named nets on processors: a `NetworkEngine` whose steps are those of a tape.

The same SGD from the same initial weights with the same masks as in `network`, several times
faster. Sums have another order, and all batches have one size.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from srhm.model.encoding import symbols
from srhm.training.autograd import NetworkEngine, columns
from srhm.training.tape import Tape


class TapedEngine(NetworkEngine):
    """SGD with momentum on the mean cross-entropy of a batch; arguments of `NetworkEngine`."""

    def __init__(self, *arguments: Any, rate: float, momentum: float, **options: Any) -> None:
        super().__init__(*arguments, rate=rate, momentum=momentum, **options)
        self._descent = {"rate": rate, "momentum": momentum}
        parameters = self._parameters
        table = columns(parameters, whitening=self._whitening)
        self._tape = Tape(
            self.network,
            places=parameters.input_length,
            batch=self._batch_size,
            channels=parameters.n_features,
        )
        self._inputs = self._tape.inputs.numpy()
        self._columns = table.astype(self._inputs.dtype)
        self._symbols, self._test_symbols = (
            symbols(data, parameters).T.copy() for data in (self._train, self._test)
        )
        self._labels, self._test_labels = (
            torch.from_numpy(data.labels.astype(np.int64)) for data in (self._train, self._test)
        )
        self._norms = [m for m in self.network.modules() if isinstance(m, nn.BatchNorm1d)]
        self._share_momenta()

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them.

        Raises:
            ValueError: unless they are whole batches.
        """
        if len(order) % self._batch_size:
            raise ValueError(f"{len(order)} points are not whole batches of {self._batch_size}")
        batches = np.asarray(order).reshape(-1, self._batch_size)
        summed = 0.0
        for points in batches:
            self._enter(self._symbols, points)
            self._tape.forward(training=True)
            summed += self._tape.backward(self._labels[points]) * len(points)
            self._tape.descend(**self._descent)
        for norm in self._norms:
            assert norm.num_batches_tracked is not None
            norm.num_batches_tracked += len(batches)
        return summed

    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        n, right = len(self._test_labels), 0
        for start in range(0, n, self._batch_size):
            # The last batch is filled up with its last point.
            points = np.minimum(np.arange(start, start + self._batch_size), n - 1)
            self._enter(self._test_symbols, points)
            self._tape.forward(training=False)
            logits, y = self._tape.logits, self._test_labels[points]
            is_right = (logits >= logits.gather(1, y[:, None])).sum(dim=1) == 1
            right += int(is_right[: n - start].sum())
        return 1 - right / n

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """As `NetworkEngine.restore`."""
        super().restore(state)
        for parameter, momentum in self._tape.parameters.momentum_of.items():
            momentum.copy_(self._optimiser.state[parameter]["momentum_buffer"])
        self._share_momenta()

    def _share_momenta(self) -> None:
        """Momenta are those of the tape, where states look for them."""
        for parameter, momentum in self._tape.parameters.momentum_of.items():
            self._optimiser.state[parameter]["momentum_buffer"] = momentum

    def _enter(self, symbols_: NDArray[np.int16], points: NDArray[np.int64]) -> None:
        np.take(self._columns, symbols_[:, points], axis=0, out=self._inputs)
