"""Many networks on one device, each trained by the protocol in a thread of its own, as if alone.

What the threads ask for is done together, in rounds of a few steps for each network. What a pack of
networks is, and how it makes its steps, is the affair of `packed` and `stacked`.
"""

import logging
import math
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.model.sampling import Derivations
from srhm.training.cell import TrainedCell, train_cell
from srhm.training.protocol import Engine

E = TypeVar("E", bound="PackMember")
P = TypeVar("P", bound="AnyPack")


@dataclass(frozen=True)
class Work:
    """Points that a network is to be trained on in one round, and its loss summed so far."""

    slot: int
    points: NDArray[np.integer]
    summed: float


class AnyPack(Protocol):
    """Networks on one device, each in a slot of its own.

    size: how many there can be; batch_size: points of a step.
    """

    size: int

    @property
    def batch_size(self) -> int:
        """Points of a step."""
        ...

    def retire(self, slot: int) -> None:
        """Gives a slot back."""
        ...

    def train(self, works: Sequence[Work]) -> list[float]:
        """Trains each network on its points; the losses, summed on from what they were."""
        ...

    def test_errors(self, slots: Sequence[int]) -> list[float]:
        """Fraction of its test set that each network does not classify right; a tie is an error."""
        ...

    def weights(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of the weights of a network by name."""
        ...

    def state(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of all that further training of a network depends on."""
        ...

    def restore(self, slot: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts a network where `state` was taken."""
        ...


class _Request:
    """Steps or a test error that a network waits for."""

    def __init__(self, points: NDArray[np.integer] | None) -> None:
        self.points = points
        self.done, self.summed = 0, 0.0
        self.answer: Future[float] = Future()


class Rounds:
    """Serves the engines of a pack: what all of them wait for is done in rounds, together.

    A round begins when every network of the pack waits. It gives each up to `steps` of the steps
    that it has asked for. Networks enter and retire between rounds.

    in_step: all networks of a round make equally many steps, as many as the one makes that has
    asked for the fewest; a network whose loss is not finite goes on to the end of what it has asked
    for. Otherwise each makes what it can, and its request ends with such a loss.
    """

    def __init__(self, pack: AnyPack, *, steps: int, in_step: bool = False) -> None:
        self._pack, self._steps, self._in_step = pack, steps, in_step
        self._lock = threading.Lock()
        self._waiting: dict[int, _Request] = {}
        self._members: set[int] = set()
        self._entering = 0
        self._entering_lock = threading.Lock()

    @contextmanager
    def member(self, engine: type[E]) -> Iterator[Callable[..., E]]:
        """What makes engines of this class, of networks of this pack; they retire as it ends."""
        engines: list[E] = []

        def make_engine(*arguments: Any, **options: Any) -> E:
            engines.append(engine(self, *arguments, **options))
            return engines[-1]

        try:
            yield make_engine
        finally:
            for one in engines:
                self._leave(one.slot)

    @property
    def pack(self) -> Any:
        """The pack, for what does not change."""
        return self._pack

    def enter(self, enter: Callable[[], int]) -> int:
        """Slot of a network that `enter` puts into the pack, between two rounds."""
        with self._entering_lock:
            self._entering += 1
        with self._lock:
            try:
                slot = enter()
                self._members.add(slot)
            finally:
                with self._entering_lock:
                    self._entering -= 1
                if not self._entering:
                    self._serve()
        return slot

    def ask(self, slot: int, points: NDArray[np.integer] | None) -> float:
        """Summed loss of steps on these points; the test error where there are none."""
        request = _Request(points)
        with self._lock:
            self._waiting[slot] = request
            self._serve()
        return request.answer.result()

    def now(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """What a method of the pack gives, between two rounds."""
        with self._lock:
            return method(*arguments)

    def _leave(self, slot: int) -> None:
        with self._lock:
            self._members.discard(slot)
            self._waiting.pop(slot, None)
            self._pack.retire(slot)
            self._serve()

    def _serve(self) -> None:
        """Rounds, as long as all wait and nobody has got an answer or wants to enter."""
        answered = False
        while self._waiting and len(self._waiting) == len(self._members) and not answered:
            if self._entering:
                return
            failed = True
            try:
                answered = self._round()
                failed = False
            finally:
                if failed:  # all of them wait for this thread, and would wait for ever
                    cause = sys.exception() or RuntimeError("a round has failed")
                    for request in self._waiting.values():
                        request.answer.set_exception(cause)
                    self._waiting.clear()

    def _round(self) -> bool:
        """One round; whether anybody has got an answer."""
        looks = [slot for slot, request in self._waiting.items() if request.points is None]
        if looks:
            for slot, error in zip(looks, self._pack.test_errors(looks), strict=True):
                self._waiting.pop(slot).answer.set_result(error)
            return True
        most = self._steps * self._pack.batch_size
        if self._in_step:
            left = [len(r.points) - r.done for r in self._waiting.values() if r.points is not None]
            most = min(most, *left)
        works = [
            Work(slot, request.points[request.done : request.done + most], request.summed)
            for slot, request in self._waiting.items()
            if request.points is not None
        ]
        answered = False
        for work, summed in zip(works, self._pack.train(works), strict=True):
            request = self._waiting[work.slot]
            request.done += len(work.points)
            request.summed = summed
            assert request.points is not None
            ended = not self._in_step and not math.isfinite(summed)
            if request.done == len(request.points) or ended:
                self._waiting.pop(work.slot).answer.set_result(summed)
                answered = True
        return answered


class PackMember:
    """One network of a pack, as the protocol sees it: see `protocol.Engine`."""

    steps_at_once: int

    def __init__(self, rounds: Rounds, enter: Callable[[], int]) -> None:
        self._rounds = rounds
        self.slot = rounds.enter(enter)

    def steps(self, order: NDArray[np.integer]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        return self._rounds.ask(self.slot, order)

    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        return self._rounds.ask(self.slot, None)

    def weights(self) -> dict[str, NDArray[Any]]:
        """Copies of the weights as they are now, by name."""
        return self._rounds.now(self._rounds.pack.weights, self.slot)

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of all that further training depends on, and the kind of device."""
        return self._rounds.now(self._rounds.pack.state, self.slot)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts the engine where `state` was taken."""
        self._rounds.now(self._rounds.pack.restore, self.slot, state)


class TrainingInRounds:
    """Trains cells of one shape together: call `train` in a thread for each.

    size: networks at a time; device: its name; versions: what rows say of packages, code, device.
    """

    def __init__(
        self, rounds: Rounds, engine: type[PackMember], *, device: str, versions: str
    ) -> None:
        self._rounds, self._engine = rounds, engine
        self.size = rounds.pack.size
        self.device, self._versions = device, versions
        self._places = threading.Semaphore(self.size)

    def train(
        self, cell: Mapping[str, Any], training: Derivations, test: Derivations, **options: Any
    ) -> TrainedCell:
        """As `cell.train_cell`, together with the cells of the other threads.

        Waits for a place in the pack. The row's `versions` say on which device it was trained and
        by which code, the times name the device as the processor.
        """
        with self._places, self._rounds.member(self._engine) as make_engine:
            trained = train_cell(
                cell, training, test, make_engine=self.maker(make_engine), **options
            )
        return replace(
            trained,
            row={**trained.row, "versions": self._versions},
            timing={**trained.timing, "processor": self.device},
        )

    def maker(self, make_engine: Callable[..., Engine]) -> Callable[..., Engine]:
        """What `train_cell` is given to make the engine."""
        return make_engine


def halved_until_it_fits(make: Callable[[int], P], size: int, *, log: logging.Logger) -> P:
    """A pack of `size` networks, or of half of them and so on, with a warning each time.

    Raises:
        torch.cuda.OutOfMemoryError: if not even one network fits.
    """
    while True:
        try:
            return make(size)
        except torch.cuda.OutOfMemoryError:
            if size == 1:
                raise
        torch.cuda.empty_cache()
        log.warning("out of memory with %d networks at a time, now %d", size, size // 2)
        size //= 2
