"""The stacked engine: VGG, ResNet and EfficientNet, many of one architecture in each step of a GPU.

Weights, momenta and batch norm's buffers of all networks lie in stacks, and `torch.vmap` makes the
layers of one network layers of all of them: a convolution becomes one of as many groups. `rounds`
lets each network be trained by the protocol in a thread of its own, as `network` trains one.

A stack has one size whatever is in it: empty slots are computed too, so that the shapes that a
device sees, and with them its numbers, are always the same.
"""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from srhm.model.encoding import symbols
from srhm.model.grammar import GrammarParameters
from srhm.model.letters import parameters_of
from srhm.model.sampling import Derivations
from srhm.networks.convolutions import Dropout
from srhm.results import provenance
from srhm.results.outdated import FORMS
from srhm.results.sources import digest_of
from srhm.runtime.no_device import NoDevice
from srhm.training.cell import DTYPES, points_of_a_step
from srhm.training.network import TEST_BATCH, NetworkEngine, columns, network_for
from srhm.training.network_state import MOMENTUM, STREAM
from srhm.training.protocol import Engine
from srhm.training.rounds import PackMember, Rounds, TrainingInRounds, Work, halved_until_it_fits

# Networks of a stack, and bytes that it may take. Both are guesses: no card has run a stack yet.
MOST_NETWORKS = 16
MOST_BYTES = 5 * 10**9
# Steps that all networks make between two looks at what they have asked for.
STEPS_OF_A_ROUND = 20
# Copies of the weights: themselves, momenta, rates, gradients of each layer and of all.
COPIES = 5
# Entry of a state: what kind of device, and what size of stack, its bits are of.
DEVICE = "device"
# Coordinates that cells of one stack share.
SHAPE = ("net", "L", "s", "s0", "v", "m", "n_c", "sparsity", "width", "whitening")
TRAINING = ("dtype", "batch", "batch_size", "momentum")


@dataclass(frozen=True, kw_only=True)
class StackLayout:
    """What the networks of a stack share: architecture, training, and room for their data."""

    net: str
    parameters: GrammarParameters
    width: int
    batch_size: int
    momentum: float
    n_train: int
    n_test: int
    dtype: type = np.float32
    whitening: bool = False

    @property
    def real(self) -> torch.dtype:
        """Precision of weights."""
        return torch.float64 if self.dtype is np.float64 else torch.float32

    def template(self) -> nn.Module:
        """The network without storage: what is done with given weights."""
        network = network_for(
            self.net, self.parameters, width=self.width, generator=torch.Generator()
        )
        return network.to(device="meta", dtype=self.real)


@dataclass(frozen=True)
class StackMask:
    """What one layer of dropout or drop-connect draws in a step of one network."""

    name: str
    rate: float
    shape: tuple[int, ...]

    @property
    def n_choices(self) -> int:
        """Values of the mask."""
        return math.prod(self.shape)


class GivenMask(nn.Module):
    """Dropout or drop-connect whose mask `kept` is drawn elsewhere; nothing in eval."""

    kept: Tensor

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.register_buffer("kept", torch.empty(0, device="meta"), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Input, masked in training mode."""
        return x * self.kept.to(x.dtype) / (1 - self.rate) if self.training else x


def masks_in_order(network: nn.Module, x: Tensor) -> list[StackMask]:
    """Masks that a training step on inputs x draws, in the order in which it draws them."""
    found: list[StackMask] = []

    def note(name: str, module: nn.Module, arguments: tuple[Tensor, ...]) -> None:
        assert isinstance(module, Dropout)
        found.append(StackMask(name, module.rate, module.mask_shape(arguments[0])))

    handles = [
        module.register_forward_pre_hook(partial(note, name))
        for name, module in network.named_modules()
        if isinstance(module, Dropout) and module.rate > 0
    ]
    network.train()(x)
    for handle in handles:
        handle.remove()
    return found


def stack_size(layout: StackLayout) -> int:
    """Networks of a stack: a power of two that depends on architecture and batch alone.

    Not on the memory that happens to be free: the bits of a network may depend on the size.
    """
    network = layout.template()
    elements = COPIES * sum(p.numel() for p in network.parameters())

    def count(module: nn.Module, arguments: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal elements
        elements += 2 * output.numel()  # values and their gradients

    for module in network.modules():
        if not list(module.children()):
            module.register_forward_hook(count)
    network.train()(_blank(layout))
    size = MOST_NETWORKS
    while size > 1 and size * elements * layout.real.itemsize > MOST_BYTES:
        size //= 2
    return size


def _blank(layout: StackLayout) -> Tensor:
    """A batch of inputs (batch, v, d) without storage."""
    shape = (layout.batch_size, layout.parameters.n_features, layout.parameters.input_length)
    return torch.empty(shape, dtype=layout.real, device="meta")


def device_for_stacks() -> torch.device:
    """The GPU.

    Raises:
        NoDevice: if there is none.
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    raise NoDevice("device = 'cuda', but torch sees no CUDA device; 'cpu' trains without one")


def device_label(device: torch.device) -> str:
    """Name of a device: of a GPU as its maker gives it, else its kind."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def plain_float32() -> None:
    """For the whole process, on a GPU: no tf32, and convolutions whose sums have one order."""
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.allow_tf32 = False  # torch has it on for convolutions
    torch.backends.cuda.matmul.allow_tf32 = False


class Stack:
    """`size` slots for networks of one layout on one device, all of which make each step."""

    def __init__(self, layout: StackLayout, size: int, *, device: torch.device) -> None:
        self.layout, self.size, self.device = layout, size, device
        plain_float32()
        self._template = layout.template()
        self._masks = masks_in_order(self._template, _blank(layout))
        for mask in self._masks:
            parent, _, own = mask.name.rpartition(".")
            setattr(self._template.get_submodule(parent), own, GivenMask(mask.rate))
        self._streams = [torch.Generator() for _ in range(size)]
        self._free = list(range(size))[::-1]
        self._n_test = [0] * size

        # One array for the weights of all layers, each layer's a block: the update is one kernel.
        shapes = {name: p.shape for name, p in self._template.named_parameters()}
        blocks = [size * shape.numel() for shape in shapes.values()]
        self._weights, self._momenta, self._rates = (
            torch.zeros(sum(blocks), dtype=layout.real, device=device) for _ in range(3)
        )

        def by_layer(flat: Tensor) -> dict[str, Tensor]:
            return {
                name: part.view(size, *shape)
                for (name, shape), part in zip(shapes.items(), flat.split(blocks), strict=True)
            }

        self._parameters = {
            name: part.detach().requires_grad_() for name, part in by_layer(self._weights).items()
        }
        self._momentum_of, self._rate_of = by_layer(self._momenta), by_layer(self._rates)
        self._buffers = {
            name: torch.zeros((size, *like.shape), dtype=like.dtype, device=device)
            for name, like in self._template.state_dict().items()
            if name not in shapes
        }

        d = layout.parameters.input_length
        self._symbols, self._test_symbols = (
            torch.zeros((size, n, d), dtype=torch.int16, device=device)
            for n in (layout.n_train, layout.n_test)
        )
        self._labels, self._test_labels = (
            torch.zeros((size, n), dtype=torch.int64, device=device)
            for n in (layout.n_train, layout.n_test)
        )
        self._rows = torch.arange(size, device=device)[:, None]
        table = columns(layout.parameters, whitening=layout.whitening)
        self._columns = self._sent(table.astype(layout.dtype))

    @property
    def batch_size(self) -> int:
        """Points of a step."""
        return self.layout.batch_size

    def rehearse(self) -> None:
        """A step and an evaluation of empty slots: too little memory shows before any training.

        What they need stays reserved for this process.
        """
        kept = torch.zeros(
            (self.size, sum(mask.n_choices for mask in self._masks)),
            dtype=torch.bool,
            device=self.device,
        )
        points = torch.zeros((self.size, self.batch_size), dtype=torch.int64, device=self.device)
        self._step(points, kept)
        self._n_right(0, n_test=self.layout.n_test)

    def enter(
        self,
        state: Mapping[str, NDArray[Any]],
        train: Derivations,
        test: Derivations,
        *,
        rate: float,
    ) -> int:
        """Puts a network with its data into a free slot, and returns that.

        state: of a `NetworkEngine` that has made no step, which decides the initial weights.

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
        own = self._state(slot)
        for name, array in own.items():
            if name in state:
                array.copy_(self._sent(state[name]).view_as(array))
            else:
                array.zero_()  # momenta
        self._streams[slot].set_state(torch.from_numpy(np.array(state[STREAM])))
        for rates in self._rate_of.values():
            rates[slot].fill_(rate)
        for data, symbols_, labels in (
            (train, self._symbols, self._labels),
            (test, self._test_symbols, self._test_labels),
        ):
            symbols_[slot, : len(data)] = self._sent(symbols(data, layout.parameters))
            labels[slot, : len(data)] = self._sent(data.labels.astype(np.int64))
        self._n_test[slot] = len(test)
        return slot

    def retire(self, slot: int) -> None:
        """Gives a slot back; its weights become and stay zero, whatever became of the network."""
        for array in self._state(slot).values():
            array.zero_()
        for rates in self._rate_of.values():
            rates[slot].zero_()
        self._free.append(slot)

    def train(self, works: Sequence[Work]) -> list[float]:
        """Trains each network on its points; the losses, summed on from what they were.

        Raises:
            ValueError: unless each network of the stack is given the same number of whole batches.
        """
        slots = [work.slot for work in works]
        taken = set(range(self.size)) - set(self._free)
        (n_points, *others) = {len(work.points) for work in works}
        if set(slots) != taken or others or n_points % self.batch_size:
            raise ValueError(
                f"slots {sorted(slots)} of {sorted(taken)}: all networks of a stack make each"
                f" step, of {self.batch_size} points"
            )
        n_steps = n_points // self.batch_size
        orders = np.zeros((n_steps, self.size, self.batch_size), dtype=np.int64)
        summed = np.zeros(self.size)
        for work in works:
            orders[:, work.slot] = np.asarray(work.points).reshape(n_steps, -1)
            summed[work.slot] = work.summed
        sums = self._sent(summed)
        steps = zip(self._sent(orders), self._drawn(slots, n_steps), strict=True)
        for points, kept in steps:
            sums += self._step(points, kept).double() * self.batch_size
        found = self._fetched(sums)
        return [float(found[slot]) for slot in slots]

    def _step(self, points: Tensor, kept: Tensor) -> Tensor:
        """One step of all slots on their points (size, batch); the mean losses before it (size).

        kept: choices (size, all masks of a step).
        """
        x = self._inputs(self._symbols[self._rows, points])
        y = self._labels[self._rows, points]
        masks = {
            f"{mask.name}.kept": part.reshape(self.size, *mask.shape)
            for mask, part in zip(
                self._masks, kept.split([m.n_choices for m in self._masks], dim=1), strict=True
            )
        }
        self._template.train()
        logits = torch.vmap(self._outputs)(self._parameters, self._buffers, masks, x)
        # Networks share no weights: each is given the gradient of its own loss.
        losses = cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="none")
        losses = losses.view(self.size, -1).mean(dim=1)
        gradients = torch.autograd.grad(losses.sum(), list(self._parameters.values()))
        with torch.no_grad():
            self._momenta.mul_(self.layout.momentum)
            self._momenta.add_(torch.cat([gradient.flatten() for gradient in gradients]))
            self._weights.addcmul_(self._rates, self._momenta, value=-1)
        return losses.detach()

    def test_errors(self, slots: Sequence[int]) -> list[float]:
        """Fraction of its test set that each network does not classify right; a tie is an error.

        One network after the other: a large batch of one needs no company to fill a device.
        """
        right = torch.stack([self._n_right(slot, n_test=self._n_test[slot]) for slot in slots])
        found = self._fetched(right)
        return [1 - int(n) / self._n_test[s] for n, s in zip(found, slots, strict=True)]

    @torch.no_grad()
    def _n_right(self, slot: int, *, n_test: int) -> Tensor:
        """How many of its test points a network classifies right."""
        self._template.eval()
        parameters = {name: stack[slot] for name, stack in self._parameters.items()}
        buffers = {name: stack[slot] for name, stack in self._buffers.items()}
        right = torch.zeros((), dtype=torch.int64, device=self.device)
        for start in range(0, n_test, TEST_BATCH):
            batch = slice(start, min(start + TEST_BATCH, n_test))
            x = self._inputs(self._test_symbols[slot, batch])
            logits = self._outputs(parameters, buffers, {}, x)
            own = logits.gather(1, self._test_labels[slot, batch, None])
            right += ((logits >= own).sum(dim=1) == 1).sum()
        return right

    def weights(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of parameters and of batch norm's buffers, by their names in the network."""
        own = self._state(slot)
        return {name: self._fetched(own[name]).copy() for name in self._template.state_dict()}

    def state(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of weights, of momenta and of dropout's stream, and what its bits are of."""
        found = {name: self._fetched(own).copy() for name, own in self._state(slot).items()}
        stream = self._streams[slot].get_state().numpy().copy()
        return {**found, STREAM: stream, DEVICE: np.frombuffer(self._place, dtype=np.uint8)}

    def restore(self, slot: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts a network where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this network, or the state
                is from another kind of device or another size of stack.
        """
        own = self._state(slot)
        if state.keys() != {*own, STREAM, DEVICE}:
            odd = sorted(state.keys() ^ {*own, STREAM, DEVICE})
            raise ValueError(f"the state is not one of this stack: {', '.join(odd)}")
        if bytes(state[DEVICE]) != self._place:
            made_on = bytes(state[DEVICE]).decode()
            raise ValueError(f"it was made on {made_on}, not on {self._place.decode()}")
        values = {name: torch.from_numpy(np.array(state[name])) for name in own}
        for name, like in own.items():
            if like.ndim == 0 and values[name].shape == (1,):  # a file has none without axes
                values[name] = values[name][0]
            value = values[name]
            if value.shape != like.shape or value.dtype != like.dtype:
                raise ValueError(f"{name}: {value.dtype}{tuple(value.shape)} does not fit")
        for name, like in own.items():
            like.copy_(values[name].to(self.device))
        self._streams[slot].set_state(torch.from_numpy(np.array(state[STREAM])))

    @property
    def _place(self) -> bytes:
        return f"{self.device.type}, {self.size} at a time".encode()

    def _state(self, slot: int) -> dict[str, Tensor]:
        """Views of what the training of a network changes, by the names of `network_state`."""
        weights = {name: stack.detach()[slot] for name, stack in self._parameters.items()}
        buffers = {name: stack[slot] for name, stack in self._buffers.items()}
        momenta = {MOMENTUM + name: stack[slot] for name, stack in self._momentum_of.items()}
        return {**weights, **buffers, **momenta}

    def _outputs(
        self,
        parameters: dict[str, Tensor],
        buffers: dict[str, Tensor],
        masks: dict[str, Tensor],
        x: Tensor,
    ) -> Tensor:
        """Logits (batch, classes) of one network, whose buffers change in training mode."""
        return functional_call(self._template, {**parameters, **buffers, **masks}, (x,))

    def _inputs(self, symbols_: Tensor) -> Tensor:
        """Inputs (..., v, d) of symbols (..., d)."""
        return self._columns[symbols_.long()].transpose(-1, -2).contiguous()

    def _drawn(self, slots: Sequence[int], n_steps: int) -> Tensor:
        """Choices of the masks of these networks (steps, size, all masks of a step).

        Each network's are drawn as it draws them alone, from its own stream.
        """
        n_choices = sum(mask.n_choices for mask in self._masks)
        kept = torch.zeros((n_steps, self.size, n_choices), dtype=torch.bool, device="cpu")
        for slot in slots:
            stream = self._streams[slot]
            for step in range(n_steps if self._masks else 0):
                drawn = [
                    torch.rand(mask.shape, generator=stream, device="cpu").flatten() >= mask.rate
                    for mask in self._masks
                ]
                kept[step, slot] = torch.cat(drawn)
        return kept.to(self.device)

    def _sent(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.array(array)).to(self.device)

    def _fetched(self, tensor: Tensor) -> NDArray[Any]:
        return tensor.cpu().numpy()


def make_stack(
    layout: StackLayout, size: int, *, device: torch.device, log: logging.Logger
) -> Stack:
    """A stack that has made a step and an evaluation; of half the size, aloud, if none fits.

    Raises:
        torch.cuda.OutOfMemoryError: if not even one network fits.
    """

    def rehearsed(n: int) -> Stack:
        stack = Stack(layout, n, device=device)
        stack.rehearse()
        return stack

    return halved_until_it_fits(rehearsed, size, log=log)


class StackedEngine(PackMember):
    """One network of a stack, as the protocol sees it; arguments are those of `NetworkEngine`."""

    steps_at_once = NetworkEngine.steps_at_once

    def __init__(
        self,
        rounds: Rounds,
        net: str,
        parameters: GrammarParameters,
        train: Derivations,
        test: Derivations,
        *,
        width: int,
        generator: np.random.Generator,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
        whitening: bool = False,
    ) -> None:
        stack = rounds.pack
        own = (net, parameters, width, batch_size, momentum, dtype, whitening)
        if own != _shared(stack.layout):
            raise ValueError("networks of a stack share architecture, data and training")
        alone = NetworkEngine(
            net,
            parameters,
            train,
            test,
            width=width,
            generator=generator,
            batch_size=batch_size,
            rate=rate,
            momentum=momentum,
            dtype=dtype,
            whitening=whitening,
        )
        super().__init__(rounds, partial(stack.enter, alone.state(), train, test, rate=rate))


def _shared(layout: StackLayout) -> tuple[Any, ...]:
    return (
        layout.net,
        layout.parameters,
        layout.width,
        layout.batch_size,
        layout.momentum,
        layout.dtype,
        layout.whitening,
    )


class _Maker:
    """Makes engines of cells, as the class `NetworkEngine` does for `train_cell`."""

    whole_batches = NetworkEngine.whole_batches

    def __init__(self, make_engine: Callable[..., Engine]) -> None:
        self._make_engine = make_engine

    def __call__(self, *arguments: Any, **options: Any) -> Engine:
        return self._make_engine(*arguments, **options)

    def of_cell(self, cell: Mapping[str, Any], *arguments: Any, **options: Any) -> Engine:
        """As `NetworkEngine.of_cell`."""
        return self(
            cell["net"], *arguments, width=cell["width"], rate=cell["learning_rate"], **options
        )


class StackedTraining(TrainingInRounds):
    """Trains cells of one architecture together: call `train` in a thread for each."""

    def __init__(
        self,
        cells: Sequence[Mapping[str, Any]],
        log: logging.Logger,
        *,
        device: torch.device | None = None,
        size: int | None = None,
    ) -> None:
        """A stack for these cells, of `size` networks; None: as `stack_size` says.

        device: None for the GPU.

        Raises:
            ValueError: if the cells are not of one architecture and training.
            NoDevice: if there is no GPU, and no other device is given.
            torch.cuda.OutOfMemoryError: see `make_stack`.
        """
        first = cells[0]
        for cell in cells:
            if any(cell[name] != first[name] for name in SHAPE + TRAINING):
                raise ValueError(f"cells of one stack share {', '.join(SHAPE + TRAINING)}")
        device = device or device_for_stacks()
        layout = StackLayout(
            net=first["net"],
            parameters=parameters_of(first),
            width=first["width"],
            batch_size=points_of_a_step(first),
            momentum=first["momentum"],
            n_train=max(cell["P"] for cell in cells),
            n_test=max(cell["n_test"] for cell in cells),
            dtype=DTYPES[first["dtype"]],
            whitening=first["whitening"],
        )
        stack = make_stack(layout, size or stack_size(layout), device=device, log=log)
        name = device_label(device)
        code = digest_of(FORMS["stacked"])
        packages = provenance.versions(["numpy", "torch"])
        log.info("%d cells in a stack of %d on %s", len(cells), stack.size, name)
        super().__init__(
            Rounds(stack, steps=STEPS_OF_A_ROUND, in_step=True),
            StackedEngine,
            device=name,
            versions=f"{packages}, stacked {code} of {stack.size} on {name}",
        )

    def maker(self, make_engine: Callable[..., Engine]) -> Callable[..., Engine]:
        """What `train_cell` is given to make the engine: a cell is of a named net."""
        return _Maker(make_engine)
