"""What all engines share: order of batches, checks of the test error, and the end of training."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Status = Literal["fitted", "capped", "diverged"]
# Steps of the first check of the test error; the others follow at equal ratios up to the cap.
FIRST_CHECK = 500


class Engine(Protocol):
    """A network in training."""

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


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """When to stop and when to look.

    batch: "shuffled", batches of batch_size points, reshuffled each epoch; or "balanced", batches
    of batch_size points of each class, composed once.
    """

    batch: Literal["shuffled", "balanced"]
    batch_size: int
    loss_threshold: float
    max_steps: int
    n_checks: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a training ended. Errors are NaN if it diverged."""

    epochs: int
    steps: int
    train_loss: float
    test_error: float
    best_test_error: float
    best_step: int
    status: Status


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
        self._n = len(labels)
        self._batches: NDArray[np.int64] | None = None
        if plan.batch == "balanced":
            self._batches = self._compose(labels, plan.batch_size, n_classes)

    def epoch(self) -> NDArray[np.int64]:
        """Indices of all points, each once, in the order of the next epoch."""
        if self._batches is None:
            return self._generator.permutation(self._n)
        full = self._generator.permutation(len(self._batches))
        return np.concatenate([self._batches[full].ravel(), self._rest])

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


def train(
    engine: Engine,
    labels: NDArray[np.integer],
    plan: TrainingPlan,
    *,
    n_classes: int,
    generator: np.random.Generator,
) -> Outcome:
    """Trains until the mean loss of an epoch is below the threshold, or the cap in steps.

    The loss of an epoch is what its batches saw before their updates. A loss that is not a finite
    number ends the training as diverged.
    """
    size = points_per_batch(plan, n_classes=n_classes)
    order = BatchOrder(plan, labels, n_classes=n_classes, generator=generator)
    checks = check_steps(plan)
    epochs, steps, loss = 0, 0, np.nan
    best, best_step = np.inf, 0
    status: Status = "capped"
    while steps < plan.max_steps:
        points = order.epoch()[: (plan.max_steps - steps) * size]
        summed, done = 0.0, 0
        while done < len(points):
            upcoming = checks[np.searchsorted(checks, steps, side="right") :]
            left = len(points) - done
            take = min(left, int(upcoming[0] - steps) * size) if len(upcoming) else left
            summed += engine.steps(points[done : done + take])
            done += take
            steps += -(-take // size)
            if not np.isfinite(summed):
                return Outcome(
                    epochs=epochs,
                    steps=steps,
                    train_loss=np.nan,
                    test_error=np.nan,
                    best_test_error=np.nan,
                    best_step=best_step,
                    status="diverged",
                )
            if len(upcoming) and steps == upcoming[0]:
                error = engine.test_error()
                if error < best:
                    best, best_step = error, steps
        loss = summed / len(points)
        if len(points) < len(labels):
            break
        epochs += 1
        if loss < plan.loss_threshold:
            status = "fitted"
            break
    error = engine.test_error()
    if error < best:
        best, best_step = error, steps
    return Outcome(
        epochs=epochs,
        steps=steps,
        train_loss=loss,
        test_error=error,
        best_test_error=best,
        best_step=best_step,
        status=status,
    )
