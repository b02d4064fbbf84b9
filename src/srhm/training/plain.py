"""LCN, CNN and FCN on a GPU without kernels of our own: dense networks of PyTorch in a stack.

What is trained where the packed engine does not pass on a device (`runtime.first_use`). The layers
of one network become layers of all by `torch.vmap`, as in `stacked`; a step computes every weight,
also those that the batch does not need. `rounds` lets each network be trained by the protocol in a
thread of its own.

A stack has one size whatever is in it, so that the shapes that a device sees, and with them its
numbers, are always the same. A network makes the steps that it asks for: in the others of a round
it rests.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from srhm.model.encoding import symbols
from srhm.model.sampling import Derivations
from srhm.networks.geometry import Geometry
from srhm.networks.hierarchical import HierarchicalNetwork
from srhm.results import provenance
from srhm.results.outdated import FORMS
from srhm.results.sources import digest_of
from srhm.training.cell import DTYPES, geometry_of, points_of_a_step
from srhm.training.rounds import PackMember, Rounds, TrainingInRounds, Work, halved_until_it_fits
from srhm.training.stacked import (
    COPIES,
    DEVICE,
    MOST_BYTES,
    MOST_NETWORKS,
    device_for_stacks,
    device_label,
    plain_float32,
)

# Steps between two looks at what networks have asked for, and test points in memory at once.
STEPS_OF_A_ROUND = 100
TEST_BATCH = 1024
MOMENTUM = "momentum of "
# Coordinates that cells of one stack share.
SHAPE = ("net", "L", "s", "s0", "v", "n_c", "sparsity", "width")
TRAINING = ("dtype", "batch", "batch_size", "momentum")


@dataclass(frozen=True, kw_only=True)
class PlainLayout:
    """What the networks of a stack share: shape, training, and room for their data."""

    geometry: Geometry
    batch_size: int
    momentum: float
    n_train: int
    n_test: int
    dtype: type = np.float32

    @property
    def real(self) -> torch.dtype:
        """Precision of weights."""
        return torch.float64 if self.dtype is np.float64 else torch.float32

    @property
    def n_weights(self) -> int:
        """Weights of one network."""
        return sum(math.prod(shape) for shape in self.geometry.weight_shapes().values())


def plain_stack_size(layout: PlainLayout) -> int:
    """Networks of a stack: a power of two that depends on their shape alone."""
    size = MOST_NETWORKS
    while size > 1 and size * COPIES * layout.n_weights * layout.real.itemsize > MOST_BYTES:
        size //= 2
    return size


class PlainStack:
    """`size` slots for networks of one layout on one device; a `rounds.Pack`."""

    def __init__(self, layout: PlainLayout, size: int, *, device: torch.device) -> None:
        self.layout, self.size, self.device = layout, size, device
        plain_float32()
        shapes = layout.geometry.weight_shapes()
        blank: dict[str, NDArray[Any]] = {
            name: np.zeros(shape, dtype=layout.dtype) for name, shape in shapes.items()
        }
        self._template = HierarchicalNetwork(layout.geometry, blank).to(device="meta")
        self._free = list(range(size))[::-1]
        self._n_test = [0] * size
        self._weights, self._momenta = (
            torch.zeros((size, layout.n_weights), dtype=layout.real, device=device)
            for _ in range(2)
        )
        self._rates = torch.zeros((size, 1), dtype=layout.real, device=device)
        self._parameters = {
            f"weights.{name}": part.detach().requires_grad_()
            for name, part in self._by_layer(self._weights).items()
        }
        d, v = layout.geometry.parameters.input_length, layout.geometry.parameters.n_features
        self._symbols, self._test_symbols = (
            torch.zeros((size, n, d), dtype=torch.int16, device=device)
            for n in (layout.n_train, layout.n_test)
        )
        self._labels, self._test_labels = (
            torch.zeros((size, n), dtype=torch.int64, device=device)
            for n in (layout.n_train, layout.n_test)
        )
        self._slots = torch.arange(size, device=device)[:, None]
        # Channels of each symbol: none of an empty place, else that of its feature.
        table = np.concatenate([np.zeros((1, v)), np.eye(v)])
        self._columns = self._sent(table.astype(layout.dtype))

    @property
    def batch_size(self) -> int:
        """Points of a step."""
        return self.layout.batch_size

    def enter(
        self,
        weights: Mapping[str, NDArray[Any]],
        train: Derivations,
        test: Derivations,
        *,
        rate: float,
    ) -> int:
        """Puts a network with its data into a free slot, and returns that.

        Raises:
            ValueError: if there is no free slot, or more data than the stack was made for.
        """
        layout = self.layout
        if not self._free:
            raise ValueError(f"all {self.size} slots of the stack are taken")
        if len(train) > layout.n_train or len(test) > layout.n_test:
            raise ValueError(
                f"{len(train)} training and {len(test)} test points: the stack was made for"
                f" {layout.n_train} and {layout.n_test}"
            )
        slot = self._free.pop()
        for name, array in self._of_slot(self._weights, slot).items():
            array.copy_(self._sent(weights[name].astype(layout.dtype)))
        self._momenta[slot].zero_()
        self._rates[slot] = rate
        for data, symbols_, labels in (
            (train, self._symbols, self._labels),
            (test, self._test_symbols, self._test_labels),
        ):
            symbols_[slot, : len(data)] = self._sent(symbols(data, layout.geometry.parameters))
            labels[slot, : len(data)] = self._sent(data.labels.astype(np.int64))
        self._n_test[slot] = len(test)
        return slot

    def retire(self, slot: int) -> None:
        """Gives a slot back; its weights become and stay zero."""
        for array in (self._weights, self._momenta, self._rates):
            array[slot].zero_()
        self._free.append(slot)

    def train(self, works: Sequence[Work]) -> list[float]:
        """Trains each network on its points; the losses, summed on from what they were."""
        size = self.batch_size
        n_steps = -(-max(len(work.points) for work in works) // size)
        orders: NDArray[Any] = np.zeros((self.size, n_steps * size), dtype=np.int64)
        there: NDArray[Any] = np.zeros((self.size, n_steps * size))
        summed = np.zeros(self.size)
        for work in works:
            orders[work.slot, : len(work.points)] = work.points
            there[work.slot, : len(work.points)] = 1
            summed[work.slot] = work.summed
        by_step = (self.size, n_steps, size)
        orders, there = (a.reshape(by_step).swapaxes(0, 1) for a in (orders, there))
        sums = self._sent(summed)
        for points, seen in zip(self._sent(orders), self._sent(there), strict=True):
            sums += self._step(points, seen)
        found = self._fetched(sums)
        return [float(found[work.slot]) for work in works]

    def _step(self, points: Tensor, seen: Tensor) -> Tensor:
        """One step on points (size, batch); the summed losses before it (size), float64.

        seen: (size, batch), 1 for points of the batch and 0 beyond its end; a network without any
        rests.
        """
        x = self._inputs(self._symbols[self._slots, points])
        y = self._labels[self._slots, points]
        logits = torch.vmap(self._outputs)(self._parameters, x)
        losses = cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="none").view_as(seen)
        sums = torch.where(seen > 0, losses, 0).sum(dim=1)
        n_seen = seen.sum(dim=1)
        # Networks share no weights: each is given the gradient of its own mean loss.
        means = sums / n_seen.clamp(min=1).to(sums.dtype)
        gradients = torch.autograd.grad(means.sum(), list(self._parameters.values()))
        with torch.no_grad():
            gradient = torch.cat([part.flatten(1) for part in gradients], dim=1)
            works = (n_seen > 0)[:, None]
            moved = self._momenta * self.layout.momentum + gradient
            torch.where(works, moved, self._momenta, out=self._momenta)
            self._weights.addcmul_(torch.where(works, self._rates, 0), self._momenta, value=-1)
        return sums.detach().double()

    def test_errors(self, slots: Sequence[int]) -> list[float]:
        """Fraction of its test set that each network does not classify right; a tie is an error."""
        right = self._fetched(torch.stack([self._n_right(slot) for slot in slots]))
        return [1 - int(n) / self._n_test[s] for n, s in zip(right, slots, strict=True)]

    @torch.no_grad()
    def _n_right(self, slot: int) -> Tensor:
        """How many of its test points a network classifies right."""
        parameters = {name: stack[slot] for name, stack in self._parameters.items()}
        right = torch.zeros((), dtype=torch.int64, device=self.device)
        for start in range(0, self._n_test[slot], TEST_BATCH):
            batch = slice(start, min(start + TEST_BATCH, self._n_test[slot]))
            logits = self._outputs(parameters, self._inputs(self._test_symbols[slot, batch]))
            own = logits.gather(1, self._test_labels[slot, batch, None])
            right += ((logits >= own).sum(dim=1) == 1).sum()
        return right

    def weights(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of the weights of a network by name of layer."""
        found = self._of_slot(self._weights, slot)
        return {name: self._fetched(array).copy() for name, array in found.items()}

    def state(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of weights and momenta, and what their bits are of."""
        momenta = self._of_slot(self._momenta, slot)
        return {
            **self.weights(slot),
            **{MOMENTUM + name: self._fetched(array).copy() for name, array in momenta.items()},
            DEVICE: np.frombuffer(self._place, dtype=np.uint8),
        }

    def restore(self, slot: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts a network where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this layout, or the state is
                from another kind of device, another size of stack, or another engine.
        """
        momenta = self._of_slot(self._momenta, slot)
        own = self._of_slot(self._weights, slot)
        own |= {MOMENTUM + name: array for name, array in momenta.items()}
        if state.keys() != {*own, DEVICE}:
            raise ValueError(f"a state of {sorted(state)} is not one of {sorted([*own, DEVICE])}")
        if bytes(state[DEVICE]) != self._place:
            made_on = bytes(state[DEVICE]).decode()
            raise ValueError(f"it was made on {made_on}, not on {self._place.decode()}")
        values = {name: torch.from_numpy(np.array(state[name])) for name in own}
        for name, like in own.items():
            value = values[name]
            if value.shape != like.shape or value.dtype != like.dtype:
                raise ValueError(f"{name}: {value.dtype}{tuple(value.shape)} does not fit")
        for name, like in own.items():
            like.copy_(values[name].to(self.device))

    @property
    def _place(self) -> bytes:
        return f"{self.device.type}, {self.size} at a time".encode()

    def _by_layer(self, flat: Tensor) -> dict[str, Tensor]:
        """Views (size, slots, inputs, H) by name of layer of an array (size, weights)."""
        shapes = self.layout.geometry.weight_shapes()
        parts = flat.split([math.prod(shape) for shape in shapes.values()], dim=1)
        return {
            name: part.view(len(flat), *shape)
            for (name, shape), part in zip(shapes.items(), parts, strict=True)
        }

    def _of_slot(self, flat: Tensor, slot: int) -> dict[str, Tensor]:
        return {name: part[slot] for name, part in self._by_layer(flat).items()}

    def _outputs(self, parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        """Logits (batch, classes) of one network."""
        return functional_call(self._template, parameters, (x,))

    def _inputs(self, symbols_: Tensor) -> Tensor:
        """Inputs (..., d, v) of symbols (..., d)."""
        return self._columns[symbols_.long()]

    def _sent(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _fetched(self, tensor: Tensor) -> NDArray[Any]:
        return tensor.cpu().numpy()


class PlainEngine(PackMember):
    """One network of a stack, as the protocol sees it: see `protocol.Engine`."""

    steps_at_once = 500

    def __init__(
        self,
        rounds: Rounds,
        geometry: Geometry,
        weights: Mapping[str, NDArray[Any]],
        train: Derivations,
        test: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
    ) -> None:
        stack, layout = rounds.pack, rounds.pack.layout
        own = (geometry, batch_size, momentum, dtype)
        if own != (layout.geometry, layout.batch_size, layout.momentum, layout.dtype):
            raise ValueError("networks of a stack share geometry, batch size, momentum, precision")
        super().__init__(rounds, partial(stack.enter, weights, train, test, rate=rate))


class PlainTraining(TrainingInRounds):
    """Trains cells of one shape together: call `train` in a thread for each."""

    def __init__(
        self,
        cells: Sequence[Mapping[str, Any]],
        log: logging.Logger,
        *,
        device: torch.device | None = None,
        size: int | None = None,
    ) -> None:
        """A stack for these cells, of `size` networks; None: as `plain_stack_size` says.

        device: None for the GPU.

        Raises:
            ValueError: if the cells are not of one shape; biases and whitening are of none.
            NoDevice: if there is no GPU, and no other device is given.
            torch.cuda.OutOfMemoryError: if not even one network fits.
        """
        first, shared = cells[0], SHAPE + TRAINING
        for cell in cells:
            own = any(cell[name] != first[name] for name in shared)
            if own or cell["bias"] or cell["whitening"]:
                raise ValueError(f"cells of one stack share {', '.join(shared)}, without bias")
        device = device or device_for_stacks()
        layout = PlainLayout(
            geometry=geometry_of(first),
            batch_size=points_of_a_step(first),
            momentum=first["momentum"],
            n_train=max(cell["P"] for cell in cells),
            n_test=max(cell["n_test"] for cell in cells),
            dtype=DTYPES[first["dtype"]],
        )

        def rehearsed(n: int) -> PlainStack:
            stack = PlainStack(layout, n, device=device)
            points = torch.zeros((n, layout.batch_size), dtype=torch.int64, device=device)
            stack._step(points, torch.zeros_like(points, dtype=torch.float64))
            return stack

        stack = halved_until_it_fits(rehearsed, size or plain_stack_size(layout), log=log)
        name = device_label(device)
        code = digest_of(FORMS["plain"])
        packages = provenance.versions(["numpy", "torch"])
        log.info("%d cells in a stack of %d on %s", len(cells), stack.size, name)
        super().__init__(
            Rounds(stack, steps=STEPS_OF_A_ROUND),
            PlainEngine,
            device=name,
            versions=f"{packages}, plain {code} of {stack.size} on {name}",
        )
