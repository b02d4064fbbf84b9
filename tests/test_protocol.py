"""When a training ends and when it looks at the test error, with an engine that only records."""

import numpy as np
import pytest

from srhm.training.protocol import BatchOrder, TrainingPlan, check_steps, train

LABELS = np.arange(20) % 4


class Recorder:
    """An engine that learns nothing: it records its orders and gives the losses of a script.

    loss: of the points of a step, by number of the step from 1; error: of the test set, likewise.
    """

    def __init__(self, *, batch_size=4, loss=lambda step: 1.0, error=lambda step: 0.5):
        self.steps_at_once = 10_000
        self.batch_size, self._loss, self._error = batch_size, loss, error
        self.points, self.step, self.looks = [], 0, []

    def steps(self, order):
        self.points.extend(order.tolist())
        summed = 0.0
        for start in range(0, len(order), self.batch_size):
            self.step += 1
            summed += self._loss(self.step) * len(order[start : start + self.batch_size])
        return summed

    def test_error(self):
        self.looks.append(self.step)
        return self._error(self.step)


def plan(**changes):
    defaults = {
        "batch": "shuffled",
        "batch_size": 4,
        "loss_threshold": 0.1,
        "max_steps": 1000,
        "n_checks": 30,
    }
    return TrainingPlan(**{**defaults, **changes})


def run(engine, *, labels=LABELS, seed=0, **changes):
    return train(
        engine, labels, plan(**changes), n_classes=4, generator=np.random.default_rng(seed)
    )


def test_training_ends_after_the_first_epoch_whose_mean_loss_is_below_the_threshold():
    # An epoch is 5 steps; its loss is 1/epoch.
    outcome = run(Recorder(loss=lambda step: 1 / ((step - 1) // 5 + 1)), loss_threshold=0.3)
    assert (outcome.status, outcome.epochs, outcome.steps) == ("fitted", 4, 20)
    assert outcome.train_loss == pytest.approx(0.25)


def test_the_loss_of_an_epoch_is_weighted_by_points_not_by_batches():
    # 5 points: a batch of 4 with loss 0, a batch of 1 with loss 1.
    engine = Recorder(loss=lambda step: float(step % 2 == 0))
    outcome = run(engine, labels=LABELS[:5], loss_threshold=0.21)
    assert outcome.train_loss == pytest.approx(1 / 5)
    assert outcome.status == "fitted"


@pytest.mark.parametrize("max_steps", [1, 4, 5, 6, 503, 999])
def test_the_cap_is_met_exactly(max_steps):
    engine = Recorder()
    outcome = run(engine, max_steps=max_steps)
    assert (outcome.status, outcome.steps, engine.step) == ("capped", max_steps, max_steps)
    assert len(engine.points) == 4 * max_steps
    assert outcome.epochs == max_steps // 5


@pytest.mark.parametrize("loss", [np.nan, np.inf])
@pytest.mark.parametrize("step", [1, 7, 502])
def test_a_loss_that_is_no_finite_number_ends_the_training_as_diverged(loss, step):
    engine = Recorder(loss=lambda now: loss if now == step else 1.0)
    outcome = run(engine)
    assert outcome.status == "diverged"
    assert step <= outcome.steps <= step + 4  # at the end of its epoch or at a check, at the latest
    errors = (outcome.train_loss, outcome.test_error, outcome.best_test_error)
    assert np.isnan(errors).all()


@pytest.mark.parametrize("max_steps", [1, 10, 500, 501, 3000, 2_000_000])
@pytest.mark.parametrize("n_checks", [0, 1, 2, 30])
def test_checks_are_at_most_as_many_as_planned_increasing_and_within_the_cap(max_steps, n_checks):
    steps = check_steps(plan(n_checks=n_checks, max_steps=max_steps))
    assert len(steps) <= n_checks
    assert (np.diff(steps) > 0).all()
    assert all(1 <= step <= max_steps for step in steps)


def test_the_best_error_is_the_lowest_of_all_looks_with_its_step():
    steps = check_steps(plan(max_steps=1000))
    best = int(steps[12])
    engine = Recorder(error=lambda step: abs(step - best) / 1000)
    outcome = run(engine)
    assert (outcome.best_test_error, outcome.best_step) == (0.0, best)
    assert outcome.test_error == (1000 - best) / 1000


@pytest.mark.parametrize("batch", ["shuffled", "balanced"])
def test_every_point_is_seen_once_an_epoch(batch):
    labels = np.random.default_rng(0).integers(4, size=103)
    order = BatchOrder(plan(batch=batch), labels, n_classes=4, generator=np.random.default_rng(1))
    for _ in range(3):
        assert sorted(order.epoch().tolist()) == list(range(103))


def balanced_epochs(labels, *, per_class, n_epochs=4):
    order = BatchOrder(
        plan(batch="balanced", batch_size=per_class),
        labels,
        n_classes=4,
        generator=np.random.default_rng(2),
    )
    return [order.epoch() for _ in range(n_epochs)]


UNEVEN = np.repeat([0, 1, 2, 3], [13, 9, 20, 10])  # 9 // 2 = 4 balanced batches of 8


def test_a_balanced_batch_has_as_many_points_of_each_class():
    for epoch in balanced_epochs(UNEVEN, per_class=2):
        for batch in epoch[:32].reshape(4, 8):
            assert np.bincount(UNEVEN[batch]).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("batch", ["shuffled", "balanced"])
def test_incomplete_batches_are_dropped_if_the_plan_says_so(batch):
    # 18 points of 4 classes: 4 whole shuffled batches of 4, or 1 balanced one of 16.
    engine = Recorder(batch_size=16 if batch == "balanced" else 4)
    outcome = run(
        engine, labels=LABELS[:18], batch=batch, drop_incomplete=True, max_steps=40, n_checks=0
    )
    per_epoch = 1 if batch == "balanced" else 4
    assert (outcome.steps, outcome.epochs) == (40, 40 // per_epoch)
    assert len(engine.points) == 40 * engine.batch_size
    epochs = np.array(engine.points).reshape(-1, 16)
    assert all(len(set(epoch)) == 16 for epoch in epochs)
