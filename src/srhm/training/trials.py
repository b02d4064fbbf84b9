"""Two small networks of each form for LCN, CNN and FCN, on a device and on the processor, compared.

Each network is trained many times at once, on orders of its own, as a curve's cells are. The device
and the processor compute in single precision; both are compared with the processor in double
precision. The device may be ALLOWED times as far from it as the processor is, in the median: a
pre-activation that rounding takes across zero moves a network by up to 2 % (measured), so that any
single one may be farther.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_weights
from srhm.training.protocol import Engine
from srhm.training.rounds import AnyPack, Work
from srhm.training.sparse import SparseEngine

# Trainings at once and their steps, of which the second half is timed.
TOGETHER, STEPS = 16, 200
N_TRAIN = N_TEST = 200
BATCH, MOMENTUM, LEARNING_RATE = 4, 0.9, 0.01
# Nets: name, L, H. A width of the paper's, and a deeper tree.
NETWORKS = (("cnn", 2, 512), ("lcn", 3, 128))
PARAMETERS: dict[str, Any] = {
    **{"branching": 2, "n_features": 8, "n_synonyms": 8, "n_classes": 8, "n_empty": 1}
}
# Times the processor's own rounding; of losses, relative; test points, in the mean; and of the
# network that is farthest, over how far training has moved it.
ALLOWED, ALLOWED_LOSS, ALLOWED_POINTS, ALLOWED_ALONE = 10.0, 1e-5, 1.0, 0.1

Weights = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class TrialTrained:
    """What networks have become: weights, summed losses, test errors; and how long it took.

    seconds: of the second half of the steps of all.
    """

    weights: list[Weights]
    losses: list[float]
    errors: list[float]
    seconds: float


def halves(orders: NDArray[np.int64], *, batch: int) -> list[NDArray[np.int64]]:
    """The first and the second half of the steps of orders (..., points)."""
    n_steps = orders.shape[-1] // batch
    return np.split(orders, [(n_steps - n_steps // 2) * batch], axis=-1)


def by_engine(make: Callable[[], Engine], orders: NDArray[np.int64], *, batch: int) -> TrialTrained:
    """The trainings of an engine on orders (networks, points), one after the other."""
    found = TrialTrained([], [], [], 0.0)
    seconds = 0.0
    for order in orders:
        engine, (before, timed) = make(), halves(order, batch=batch)
        loss, clock = engine.steps(before), time.perf_counter()
        loss += engine.steps(timed)
        seconds += time.perf_counter() - clock
        found.weights.append(engine.weights())
        found.losses.append(loss)
        found.errors.append(engine.test_error())
    return TrialTrained(found.weights, found.losses, found.errors, seconds)


def in_pack(
    pack: AnyPack, slots: Sequence[int], orders: NDArray[np.int64], *, batch: int
) -> TrialTrained:
    """The trainings on orders (networks, points) in a pack, all at once."""
    losses, seconds = [0.0] * len(slots), 0.0
    for part in halves(orders, batch=batch):
        works = [Work(*work) for work in zip(slots, part, losses, strict=True)]
        clock = time.perf_counter()
        losses = pack.train(works)
        seconds = time.perf_counter() - clock
    weights: list[Weights] = [pack.weights(slot) for slot in slots]
    return TrialTrained(weights, losses, pack.test_errors(slots), seconds)


def distances(some: TrialTrained, exact: TrialTrained, start: Weights) -> NDArray[np.float64]:
    """Of each network: distance of its weights over that by which training has moved them."""
    found = []
    for own, its in zip(some.weights, exact.weights, strict=True):
        apart, moved = (
            sum(float(np.square(a[name] - b[name], dtype=np.float64).sum()) for name in start)
            for a, b in ((own, its), (its, start))
        )
        found.append((apart / moved) ** 0.5)
    return np.array(found)


def trial_row(
    name: str,
    start: Weights,
    *,
    steps: int,
    n_test: int,
    there: TrialTrained,
    here: TrialTrained,
    exact: TrialTrained,
    alone: float = ALLOWED_ALONE,
) -> dict[str, Any]:
    """What is told of one network, see `runtime.trial_process`.

    start: weights that are compared, before training. there: on the device; here: on the processor;
    exact: there in double precision. alone: what is allowed of the farthest.
    """
    found, rounding = distances(there, exact, start), distances(here, exact, start)
    losses = np.abs(np.divide(there.losses, here.losses) - 1)
    points = n_test * np.abs(np.subtract(there.errors, here.errors))
    return {
        "network": name,
        "trained": len(found),
        "steps": steps,
        "seconds": there.seconds,
        "on_processor": here.seconds,
        "differences": {
            "weights": (float(np.median(found)), ALLOWED * float(np.median(rounding))),
            "weights of one": (float(found.max()), alone),
            "loss": (float(np.median(losses)), ALLOWED_LOSS),
            "test points": (float(points.mean()), ALLOWED_POINTS),
        },
    }


@dataclass(frozen=True)
class TrialTask:
    """A network as it begins, its data, and the orders of its trainings (TOGETHER, points)."""

    shape: Geometry
    start: Weights
    train: Derivations
    test: Derivations
    orders: NDArray[np.int64]

    @property
    def rate(self) -> float:
        """Of a step."""
        return LEARNING_RATE * self.shape.width


def trial_sample(parameters: GrammarParameters) -> tuple[Derivations, Derivations]:
    """Training and test data of a trial."""
    return draw_sample(
        draw_grammar(parameters, generator=generator(0, role="grammar")),
        n_train=N_TRAIN,
        n_test=N_TEST,
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )


def _task(net: str, depth: int, width: int) -> TrialTask:
    parameters = GrammarParameters(depth=depth, **PARAMETERS)
    shape = geometry(net, parameters, width=width)
    start = initial_weights(shape, generator=generator(0, role="initialisation"))
    orders = generator(0, role="order").integers(N_TRAIN, size=(TOGETHER, STEPS * BATCH))
    return TrialTask(shape, start, *trial_sample(parameters), orders)


def _compared(
    entered: Callable[[TrialTask], tuple[AnyPack, list[int]]],
) -> Iterator[dict[str, Any]]:
    """A row for each network. entered: a pack of its trainings, and their slots."""
    torch.set_num_threads(1)
    for net, depth, width in NETWORKS:
        one = _task(net, depth, width)

        def engine(dtype: type, one: TrialTask = one) -> SparseEngine:
            return SparseEngine(
                *(one.shape, one.start, one.train, one.test),
                batch_size=BATCH,
                rate=one.rate,
                momentum=MOMENTUM,
                dtype=dtype,
            )

        here, exact = (
            by_engine(lambda dtype=dtype: engine(dtype), one.orders, batch=BATCH)  # type: ignore[misc]
            for dtype in (np.float32, np.float64)
        )
        there = in_pack(*entered(one), one.orders, batch=BATCH)
        name = f"{net.upper()}, L = {depth}, H = {width}"
        sizes = {"steps": STEPS, "n_test": N_TEST}
        yield trial_row(name, one.start, there=there, here=here, exact=exact, **sizes)


def packed_trial(device: str) -> Iterator[dict[str, Any]]:
    """Rows of the packed engine, on a GPU, or interpreted where there is none."""
    from srhm.training.packed import Pack, PackLayout, device_for_packs

    def entered(one: TrialTask) -> tuple[Pack, list[int]]:
        layout = PackLayout(
            one.shape, batch_size=BATCH, momentum=MOMENTUM, n_train=N_TRAIN, n_test=N_TEST
        )
        pack = Pack(layout, TOGETHER, device=device_for_packs())
        data = (one.start, one.train, one.test)
        return pack, [pack.enter(*data, rate=one.rate) for _ in one.orders]

    return _compared(entered)


def plain_trial(device: str) -> Iterator[dict[str, Any]]:
    """Rows of dense networks of PyTorch in a stack."""
    from srhm.training.plain import PlainLayout, PlainStack

    def entered(one: TrialTask) -> tuple[PlainStack, list[int]]:
        layout = PlainLayout(
            geometry=one.shape, batch_size=BATCH, momentum=MOMENTUM, n_train=N_TRAIN, n_test=N_TEST
        )
        stack = PlainStack(layout, TOGETHER, device=torch.device(device))
        data = (one.start, one.train, one.test)
        return stack, [stack.enter(*data, rate=one.rate) for _ in one.orders]

    return _compared(entered)
