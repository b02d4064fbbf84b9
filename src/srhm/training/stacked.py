"""Networks of one shape in a stack, on a GPU: LCN, CNN, FCN, VGG, ResNet and EfficientNet.

Weights and momenta of all networks have a leading axis, and `torch.func.vmap` makes the gradient of
one network that of all. Each follows its own course of `protocol`, and leaves the stack at its end.
What a stack computes is what the engines of processors compute, up to the order of sums; the last
digits of a network may depend on what it is stacked with.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, groupby
from traceback import clear_frames
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
from torch.nn.functional import cross_entropy

from srhm.model.encoding import symbols
from srhm.model.grammar import parameters_of
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.networks.convolutions import Dropout
from srhm.networks.registry import NAMED
from srhm.store import provenance
from srhm.store.cells import CODE
from srhm.store.provenance import short_hash
from srhm.store.sources import digest_of
from srhm.training.autograd import MOMENTUM, STREAM, NetworkEngine, columns
from srhm.training.cell import Clock, TrainedCell, begun_cell, cell_result, points_of_a_step
from srhm.training.loop import Batch, BatchTrainer, Entry
from srhm.training.protocol import (
    PAUSE,
    TEST,
    Asked,
    Pause,
    Position,
    Snapshot,
    TrainingOutcome,
    Unresumable,
    course,
)
from srhm.training.reference import ReferenceEngine

# Networks of a stack, where the memory lets them; no card has been timed yet.
MOST_NETWORKS = 16
# Steps between two moments at which a stack can be interrupted, and test points in memory at once.
STEPS_AT_ONCE, TEST_BATCH = 100, 256
# Coordinates in which cells of one stack may differ.
OWN = {"P", "seed", "learning_rate"}
Samples = Mapping[tuple[int, str], Derivations]


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


@dataclass(frozen=True)
class MaskDrawn:
    """What one layer of dropout or drop-connect draws in a step of one network."""

    name: str
    rate: float
    shape: tuple[int, ...]

    def drawn(self, stream: torch.Generator) -> Tensor:
        """Its choices, as the layer draws them."""
        return torch.rand(self.shape, generator=stream) >= self.rate


def given_masks(network: nn.Module, x: Tensor) -> list[MaskDrawn]:
    """Masks that a training step on inputs x draws, in order; from now on they are to be given."""
    masks: list[MaskDrawn] = []

    def note(name: str, module: nn.Module, arguments: tuple[Tensor, ...]) -> None:
        assert isinstance(module, Dropout)
        masks.append(MaskDrawn(name, module.rate, module.mask_shape(arguments[0])))

    handles = [
        module.register_forward_pre_hook(partial(note, name))
        for name, module in network.named_modules()
        if isinstance(module, Dropout) and module.rate > 0
    ]
    network.train()(x)
    for handle in handles:
        handle.remove()
    for mask in masks:
        parent, _, attribute = mask.name.rpartition(".")
        setattr(network.get_submodule(parent), attribute, GivenMask(mask.rate))
    return masks


class StackMember:
    """A network of a stack: its coordinates and data, and how far its course is.

    engine: as it enters the stack; in the end, with the weights that it has then. at, outcome:
    where it is, or how it has ended. asked: points or TEST, what it waits for.
    """

    def __init__(
        self, cell: Mapping[str, Any], samples: Samples, known: Mapping[str, Any] | None
    ) -> None:
        """known: of `told`; None: at the beginning."""
        make: Any = NetworkEngine if cell["net"] in NAMED else ReferenceEngine
        data = (samples[cell["seed"], part] for part in ("train", "test"))
        engine, self.train, self.test, plan = begun_cell(cell, *data, make_engine=make)
        self.cell, self.engine = cell, engine
        known = known or {"at": asdict(Position())}
        self.at = Position(**known["at"])
        self.outcome = TrainingOutcome(**known["outcome"]) if "outcome" in known else None
        self.asked: Asked | None = None
        if self.outcome is None:
            order = generator(cell["seed"], role="order")
            self._course = course(
                self.train.labels, plan, n_classes=cell["n_c"], generator=order, at=self.at
            )
            self.answer(None)

    def answer(self, given: Any) -> None:
        """Goes on to the next points or test error that it asks for, or to its end."""
        try:
            self.asked = self._course.send(given)
            while self.asked is PAUSE:
                self.asked = self._course.send(None)
        except StopIteration as end:
            self.asked, self.outcome = None, end.value

    def told(self) -> dict[str, Any]:
        """Where it is, and how it has ended."""
        return {"at": asdict(self.at)} | ({"outcome": vars(self.outcome)} if self.outcome else {})


class Stack:
    """Networks, momenta and data of members on a device, each along a leading axis."""

    def __init__(
        self, members: Sequence[StackMember], samples: Samples, *, device: torch.device
    ) -> None:
        if device.type == "cuda":
            torch.backends.cudnn.deterministic = True
            torch.backends.cudnn.allow_tf32 = False  # torch has it on for convolutions
            torch.backends.cuda.matmul.allow_tf32 = False
        self.members, self.device = list(members), device
        first = members[0]
        self._parameters, self._momentum = parameters_of(first.cell), first.cell["momentum"]
        self._channels_first = isinstance(first.engine, NetworkEngine)
        self._size = points_of_a_step(first.cell)
        table = columns(self._parameters, whitening=first.cell["whitening"])
        weights, buffers = stack_module_state([net.engine.network for net in members])
        self._weights = {name: self._sent(array.detach()) for name, array in weights.items()}
        self._buffers = {name: self._sent(array) for name, array in buffers.items()}
        self._momenta = {name: torch.zeros_like(w) for name, w in self._weights.items()}
        self._columns = self._sent(torch.from_numpy(table).to(next(iter(weights.values())).dtype))
        rates = [net.engine.rate for net in members]
        self._rates = self._sent(torch.tensor(rates, dtype=self._columns.dtype))
        self._train = self._stacked([net.train for net in members])
        self._test = self._stacked([net.test for net in members])
        self._streams = [net.engine.stream for net in members]
        # What is done with given weights; it has none.
        self._template = StackMember(first.cell, samples, None).engine.network.to("meta")
        blank = self._sent(torch.zeros((self._size, self._parameters.input_length)))
        self._masks = given_masks(self._template, self._inputs(blank).to("meta"))

    def train(self, orders: Sequence[NDArray[np.int64]]) -> list[tuple[float, int]]:
        """Trains each network on a part of its points: summed cross-entropies, how many points.

        All make equally many steps: as many as the one makes that has the fewest points.
        """
        lengths = [len(order) for order in orders]
        n_steps = min(STEPS_AT_ONCE, -(-min(lengths) // self._size))
        n_used = np.minimum(lengths, n_steps * self._size)
        points = np.zeros((len(orders), n_steps * self._size), dtype=np.int64)
        real = np.arange(points.shape[1]) < n_used[:, None]
        for row, order in zip(points, orders, strict=True):
            row[: len(order)] = order[: len(row)]
        shape = (len(orders), n_steps, self._size)
        batches = zip(
            self._sent(torch.from_numpy(points.reshape(shape).swapaxes(0, 1).copy())),
            self._sent(torch.from_numpy(real.reshape(shape).swapaxes(0, 1).copy())),
            strict=True,
        )
        sums = sum(self._step(part, is_real) for part, is_real in batches)
        assert isinstance(sums, Tensor)
        return list(zip(sums.cpu().tolist(), n_used.tolist(), strict=True))

    def _step(self, points: Tensor, real: Tensor) -> Tensor:
        """A step of all on their points (members, batch), of which some are none; summed losses."""
        symbols_, labels = self._train
        rows = torch.arange(len(points), device=self.device)[:, None]
        x, y = self._inputs(symbols_[rows, points]), labels[rows, points]
        shares = real.to(self._columns.dtype) / real.sum(dim=1, keepdim=True)
        drawn = [
            [mask.drawn(stream) for mask in self._masks]
            for stream in self._streams
            if stream is not None
        ]
        masks = {
            f"{mask.name}.kept": self._sent(torch.stack([kept[k] for kept in drawn]))
            for k, mask in enumerate(self._masks)
        }

        def loss(weights: Any, buffers: Any, masks: Any, *data: Tensor) -> tuple[Tensor, Any]:
            x, y, share = data
            logits = functional_call(self._template, {**weights, **buffers, **masks}, (x,))
            return (share * cross_entropy(logits, y, reduction="none")).sum(), buffers

        self._template.train()
        gradients, (losses, self._buffers) = vmap(grad_and_value(loss, has_aux=True))(
            self._weights, self._buffers, masks, x, y, shares
        )
        for name, weights in self._weights.items():
            momenta = self._momenta[name].mul_(self._momentum).add_(gradients[name])
            weights.sub_(momenta * self._rates.view(-1, *[1] * (weights.ndim - 1)))
        return losses.double() * real.sum(dim=1)

    @torch.no_grad()
    def test_errors(self, rows: Sequence[int]) -> list[float]:
        """Fraction of its test set that each of these gets wrong; a tie is an error."""
        self._template.eval()
        index = self._sent(torch.tensor(rows))
        state = {name: array[index] for name, array in (self._weights | self._buffers).items()}
        symbols_, labels = (array[index] for array in self._test)
        right = torch.zeros(len(rows), dtype=torch.int64, device=self.device)
        for start in range(0, labels.shape[1], TEST_BATCH):
            batch = slice(start, start + TEST_BATCH)
            logits = vmap(lambda state, x: functional_call(self._template, state, (x,)))(
                state, self._inputs(symbols_[:, batch])
            )
            label_logits = logits.gather(2, labels[:, batch, None])
            right += ((logits >= label_logits).sum(dim=2) == 1).sum(dim=1)
        return [1 - n / labels.shape[1] for n in right.cpu().tolist()]

    def run(self, between: Callable[[], None]) -> None:
        """Trains all members to their ends; between: called before each call of `train`."""
        while self.members:
            if looking := [row for row, net in enumerate(self.members) if net.asked is TEST]:
                for row, error in zip(looking, self.test_errors(looking), strict=True):
                    self.members[row].answer(error)
            else:
                between()
                orders: Any = [net.asked for net in self.members]
                for net, result in zip(self.members, self.train(orders), strict=True):
                    net.answer(result)
            self.leave()

    def state(self, net: StackMember) -> dict[str, NDArray[Any]]:
        """Copies of weights, buffers, momenta and dropout's stream of a member, by name.

        Of one that has left, what its engine has.
        """
        if net not in self.members:
            return net.engine.state()
        row = self.members.index(net)
        momenta = {MOMENTUM + name: momentum for name, momentum in self._momenta.items()}
        arrays = {**self._weights, **self._buffers, **momenta}
        kept = {name: array[row].cpu().numpy().copy() for name, array in arrays.items()}
        stream = self._streams[row]
        return kept if stream is None else {**kept, STREAM: stream.get_state().numpy().copy()}

    def restore(self, row: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts a member where `state` was taken; its names begin with its row, as in a snapshot.

        Raises:
            KeyError, RuntimeError: if names or shapes are not those of this member.
        """
        momenta = {MOMENTUM + name: momentum for name, momentum in self._momenta.items()}
        of_its_own = {} if self.members[row].outcome else momenta
        for name, array in {**self._weights, **self._buffers, **of_its_own}.items():
            value = torch.from_numpy(np.array(state[f"{row}: {name}"]))
            array[row] = value.reshape(array[row].shape)
        stream = self._streams[row]
        if stream is not None:
            stream.set_state(torch.from_numpy(np.array(state[f"{row}: {STREAM}"])))

    def leave(self) -> None:
        """Members that have ended leave, each with what became of it in its engine."""
        kept = [row for row, net in enumerate(self.members) if net.outcome is None]
        if len(kept) == len(self.members):
            return
        for row, net in enumerate(self.members):
            if net.outcome:
                state = {**self._weights, **self._buffers}
                net.engine.network.load_state_dict({k: v[row].cpu() for k, v in state.items()})
        rows = self._sent(torch.tensor(kept, dtype=torch.int64))
        self.members = [self.members[row] for row in kept]
        self._streams = [self._streams[row] for row in kept]
        self._rates = self._rates[rows]
        for arrays in (self._weights, self._momenta, self._buffers):
            arrays.update({name: array[rows] for name, array in arrays.items()})
        self._train, self._test = (
            tuple(array[rows] for array in part) for part in (self._train, self._test)
        )

    def _stacked(self, data: Sequence[Derivations]) -> tuple[Tensor, ...]:
        """Symbols (members, points, places) and labels (members, points), filled up with zeros."""
        parameters, n = self._parameters, max(map(len, data))
        places = np.zeros((len(data), n, parameters.input_length), dtype=np.int16)
        labels = np.zeros((len(data), n), dtype=np.int64)
        for row, points in enumerate(data):
            places[row, : len(points)] = symbols(points, parameters)
            labels[row, : len(points)] = points.labels
        return self._sent(torch.from_numpy(places)), self._sent(torch.from_numpy(labels))

    def _inputs(self, symbols_: Tensor) -> Tensor:
        """Inputs (..., d, v) of symbols (..., d); of a named net (..., v, d)."""
        x = self._columns[symbols_.long()]
        return x.transpose(-1, -2).contiguous() if self._channels_first else x

    def _sent(self, tensor: Tensor) -> Tensor:
        return tensor.to(self.device)


def stack_trainer(
    entries: Sequence[Entry], samples: Samples, *, device: str, log: logging.Logger
) -> BatchTrainer:
    """What trains cells in stacks of those of one shape, the smallest P first.

    samples: training and test data by seed and part. Where a stack does not fit the memory of the
    device, it and those after it are cut to half its size, with a warning.
    """
    name = torch.cuda.get_device_name(device) if device == "cuda" else device
    versions = provenance.versions(("numpy", "torch"))

    def smaller(error: Exception, batch: Batch, waiting: Sequence[Batch]) -> list[Batch] | None:
        clear_frames(error.__traceback__)  # they hold the stack's tensors
        if not isinstance(error, torch.cuda.OutOfMemoryError) or len(batch) == 1:
            return None
        size = len(batch) // 2
        log.warning("out of memory with %d networks at once, now %d", len(batch), size)
        return stacks([*batch, *chain(*waiting)], size=size)

    return BatchTrainer(
        train=partial(train_stack, samples=samples, device=torch.device(device), made_by=name),
        versions=f"{versions}, stacked {digest_of(CODE)} on {name}",
        batches=partial(stacks, size=MOST_NETWORKS),
        at_once=1,
        after=smaller,
    )


def stacks(entries: Iterable[Entry], *, size: int) -> list[Batch]:
    """Batches of at most so many cells that differ in no coordinate but OWN, by P."""

    def shape(entry: Entry) -> str:
        return repr(sorted((k, v) for k, v in entry["cell"].items() if k not in OWN))

    batches = list[Batch]()
    ordered = sorted(entries, key=lambda entry: (shape(entry), entry["cell"]["P"]))
    for _, group in groupby(ordered, key=shape):
        alike = list(group)
        batches += [alike[i : i + size] for i in range(0, len(alike), size)]
    return batches


def train_stack(
    batch: Batch,
    *,
    start: Snapshot | None,
    pause: Pause,
    samples: Samples,
    device: torch.device,
    made_by: str,
) -> list[TrainedCell]:
    """The cells of a batch, trained at once; start, pause: as in `protocol.train`, of all of them.

    Raises:
        Unresumable: if the start is not one of these cells on this kind of device.
    """
    keys = [entry["key"] for entry in batch]
    clock, here = Clock(start), {"members": short_hash(keys), "device": device.type}
    if start and {name: start.position.get(name) for name in here} != here:
        raise Unresumable("it is of other cells, or of another kind of device")
    known = start.position["each"] if start else [None] * len(batch)
    everyone = [
        StackMember(entry["cell"], samples, told) for entry, told in zip(batch, known, strict=True)
    ]
    stack = Stack(everyone, samples, device=device)
    if start:
        try:
            for row in range(len(batch)):
                stack.restore(row, start.engine)
        except (KeyError, RuntimeError) as misfit:
            raise Unresumable(f"it does not fit ({misfit!r})") from misfit
        stack.leave()

    def snapshot() -> Snapshot:
        arrays = dict[str, NDArray[Any]]()
        for row, net in enumerate(everyone):
            arrays |= {f"{row}: {name}": array for name, array in stack.state(net).items()}
        return Snapshot({**here, "each": [net.told() for net in everyone]}, arrays, clock.seconds)

    stack.run(lambda: pause(snapshot))
    ends = [(net, net.outcome) for net in everyone if net.outcome]
    total = sum(outcome.steps for _, outcome in ends)
    cells = []
    for net, outcome in ends:
        timing = clock.timing(steps=outcome.steps)
        # Of the stack's time each network has the part that its steps are.
        timing["seconds"] *= outcome.steps / max(total, 1)
        timing["processor"] = made_by
        cells.append(cell_result(net.cell, outcome, net.engine.weights(), timing))
    return cells
