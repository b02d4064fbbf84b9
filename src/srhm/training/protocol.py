"""What all engines share: order of batches, checks of the test error, and the end of training.

A training may be interrupted between two calls of an engine. Where those calls end is decided by
the plan and the engine alone, never by a clock: a training that was interrupted and resumed makes
the same calls on the same numbers as an undisturbed one, and gives the same bits.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Status = Literal["fitted", "capped", "diverged"]
# Steps of the first check of the test error; the others follow at equal ratios up to the cap.
FIRST_CHECK = 500


class Unresumable(ValueError):
    """A snapshot from which a training cannot go on: one of another network, or of other code."""


class Engine(Protocol):
    """A network in training.

    steps_at_once: batches that one call of `steps` is given at most; about a second of work, since
    a training is interrupted between two calls.
    """

    steps_at_once: int

    def steps(self, order: NDArray[np.int64]) -> float:
        """Trains on these points in this order, batch by batch.

        Returns the sum over points of the cross-entropy as their batch saw it, before its update.
        """
        ...

    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        ...

    def weights(self) -> dict[str, NDArray[np.floating]]:
        """Copies of the weights as they are now, by name of layer."""
        ...

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of all that further training depends on, by name: weights, momenta, counters.

        An engine of the same arguments that is given them by `restore` goes on with the same bits.
        """
        ...

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts the engine where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this engine.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """When to stop and when to look.

    batch: "shuffled", batches of batch_size points, reshuffled each epoch; or "balanced", batches
    of batch_size points of each class, composed once. drop_incomplete: points that are left over
    when an epoch's batches are full are not seen in that epoch.
    """

    batch: Literal["shuffled", "balanced"]
    batch_size: int
    loss_threshold: float
    max_steps: int
    n_checks: int
    drop_incomplete: bool = False


@dataclass(frozen=True, kw_only=True)
class TrainingOutcome:
    """How a training ended. Errors are NaN if it diverged."""

    epochs: int
    steps: int
    train_loss: float
    test_error: float
    best_test_error: float
    best_step: int
    status: Status


@dataclass(kw_only=True)
class Position:
    """How far a training is, without its network.

    epochs, first_step: whole epochs and steps before the epoch under way; generator: state of the
    order's generator when that epoch began; done, summed: points of it that have been trained on,
    and their summed cross-entropy; loss: mean of the epoch before; best, best_step: lowest test
    error of all looks.
    """

    epochs: int = 0
    first_step: int = 0
    generator: dict[str, Any] = field(default_factory=dict)
    done: int = 0
    summed: float = 0.0
    loss: float = float("nan")
    best: float = float("inf")
    best_step: int = 0


@dataclass(frozen=True)
class Snapshot:
    """A training between two calls: its position, its engine's state, and seconds spent so far."""

    position: dict[str, Any]
    engine: dict[str, NDArray[Any]]
    seconds: float = 0.0


# Called between two calls of an engine, with a function that makes the snapshot of that moment. It
# ends the training by raising.
Pause = Callable[[Callable[[], Snapshot]], None]


def points_per_batch(plan: TrainingPlan, *, n_classes: int) -> int:
    """Points that one step sees."""
    return plan.batch_size * (n_classes if plan.batch == "balanced" else 1)


def check_steps(plan: TrainingPlan) -> NDArray[np.int64]:
    """Steps at which the test error is looked at: at most n_checks, equal in ratio."""
    if plan.n_checks == 0:
        return np.empty(0, dtype=np.int64)
    first = min(FIRST_CHECK, plan.max_steps)
    grid = np.geomspace(first, plan.max_steps, plan.n_checks)
    return np.unique(grid.round().astype(np.int64))


class BatchOrder:
    """Order of the training points in each epoch."""

    def __init__(
        self,
        plan: TrainingPlan,
        labels: NDArray[np.integer],
        *,
        n_classes: int,
        generator: np.random.Generator,
    ) -> None:
        self._generator = generator
        self._n_points = self._n = len(labels)
        if plan.drop_incomplete:
            size = points_per_batch(plan, n_classes=n_classes)
            self._n -= self._n % size
            if self._n == 0:
                raise ValueError(
                    f"{len(labels)} points are fewer than the {size} of a batch, and incomplete"
                    " batches are dropped"
                )
        self._batches: NDArray[np.int64] | None = None
        if plan.batch == "balanced":
            self._batches = self._compose(labels, plan.batch_size, n_classes)

    def epoch(self) -> NDArray[np.int64]:
        """Indices of all points, each once, in the order of the next epoch.

        Without those of the last batch if it is incomplete and such batches are dropped.
        """
        if self._batches is None:
            return self._generator.permutation(self._n_points)[: self._n]
        full = self._generator.permutation(len(self._batches))
        return np.concatenate([self._batches[full].ravel(), self._rest])[: self._n]

    def _compose(
        self, labels: NDArray[np.integer], per_class: int, n_classes: int
    ) -> NDArray[np.int64]:
        """Balanced batches (batches, points), and what is left when one class runs out."""
        by_class = [
            self._generator.permutation(np.flatnonzero(labels == c)) for c in range(n_classes)
        ]
        n_batches = min(len(points) for points in by_class) // per_class
        used = n_batches * per_class
        self._rest = self._generator.permutation(np.concatenate([p[used:] for p in by_class]))
        stacked = [points[:used].reshape(n_batches, per_class) for points in by_class]
        return np.concatenate(stacked, axis=1)


# What a course asks for beside points to train on.
TEST: Final = "test error"
PAUSE: Final = "pause"
# Points to train on, answered by (their summed cross-entropy as their batches saw it, how many of
# them were trained on: whole batches, or all); TEST, by the test error; PAUSE, by nothing.
Asked = NDArray[np.int64] | Literal["test error", "pause"]
Course = Generator[Asked, Any, "TrainingOutcome"]


def course(
    labels: NDArray[np.integer],
    plan: TrainingPlan,
    *,
    n_classes: int,
    generator: np.random.Generator,
    at: Position,
) -> Course:
    """What a training asks its network for, one thing after the other, and how it ends.

    at: where it begins, and always where it is; between an answer and the next PAUSE it is not the
    position of the network. Other arguments are those of `train`.
    """
    size = points_per_batch(plan, n_classes=n_classes)
    order = BatchOrder(plan, labels, n_classes=n_classes, generator=generator)
    checks = check_steps(plan)
    if at.generator:  # after the batches are composed
        generator.bit_generator.state = at.generator

    def look(step: int) -> Generator[Asked, Any, float]:
        error: float = yield TEST
        if error < at.best:
            at.best, at.best_step = error, step
        return error

    status: Status = "capped"
    steps = at.first_step
    while at.first_step < plan.max_steps:
        at.generator = dict(generator.bit_generator.state)
        epoch = order.epoch()
        points = epoch[: (plan.max_steps - at.first_step) * size]
        steps = at.first_step - (-at.done // size)
        while at.done < len(points):
            upcoming = checks[np.searchsorted(checks, steps, side="right") :]
            until = [*(upcoming[:1] - steps) * size, len(points) - at.done]
            summed, taken = yield points[at.done : at.done + min(until)]
            at.summed += summed
            at.done += taken
            steps += -(-taken // size)
            if not np.isfinite(at.summed):
                return TrainingOutcome(
                    epochs=at.epochs,
                    steps=steps,
                    train_loss=np.nan,
                    test_error=np.nan,
                    best_test_error=np.nan,
                    best_step=at.best_step,
                    status="diverged",
                )
            if len(upcoming) and steps == upcoming[0]:
                yield from look(steps)
            yield PAUSE
        at.loss = at.summed / len(points)
        at.first_step, at.done, at.summed = steps, 0, 0.0
        if len(points) < len(epoch):
            break
        at.epochs += 1
        if at.loss < plan.loss_threshold:
            status = "fitted"
            break
    error = yield from look(steps)
    return TrainingOutcome(
        epochs=at.epochs,
        steps=steps,
        train_loss=at.loss,
        test_error=error,
        best_test_error=at.best,
        best_step=at.best_step,
        status=status,
    )


def train(
    engine: Engine,
    labels: NDArray[np.integer],
    plan: TrainingPlan,
    *,
    n_classes: int,
    generator: np.random.Generator,
    start: Snapshot | None = None,
    pause: Pause | None = None,
) -> TrainingOutcome:
    """Trains until the mean loss of an epoch is below the threshold, or the cap in steps.

    The loss of an epoch is what its batches saw before their updates. A loss that is not a finite
    number ends the training as diverged.

    Args:
        engine: network and data; new, also where a training is resumed.
        labels: of the training points (P,).
        plan: when to stop and when to look.
        n_classes: number of classes, for balanced batches.
        generator: of the order of batches; new, also where a training is resumed.
        start: snapshot of an earlier training of the same arguments, from which this one goes on
            as if it had never been interrupted; None: from the beginning.
        pause: called between two calls of the engine; None: nothing.

    Raises:
        Unresumable: if position or engine of the start are not of this training; the engine and
            the generator are of no use then.
    """
    at, most = Position(), engine.steps_at_once * points_per_batch(plan, n_classes=n_classes)
    if start is not None:
        try:
            at = Position(**start.position)
            type(generator.bit_generator)().state = at.generator
            engine.restore(start.engine)
        except (ValueError, TypeError, KeyError, IndexError, RuntimeError) as cause:
            raise Unresumable(f"{type(cause).__name__}: {cause}") from cause
    moves = course(labels, plan, n_classes=n_classes, generator=generator, at=at)
    answer: Any = None
    while True:
        try:
            asked = moves.send(answer)
        except StopIteration as end:
            outcome: TrainingOutcome = end.value
            return outcome
        if isinstance(asked, str):
            answer = engine.test_error() if asked == TEST else None
            if asked == PAUSE and pause is not None:
                pause(lambda: Snapshot(asdict(at), engine.state()))
        else:
            points = asked[:most]
            answer = engine.steps(points), len(points)
