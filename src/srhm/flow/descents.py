"""Training of many members: gradient flow with an adaptive step, full-batch Adam, and SGD.

The loss is (1/(alpha^2 P)) sum_mu l(F_mu, y_mu), so that the time t of the flow dw/dt = -grad Loss
is that of the thesis (chapter 3a). Members never see each other: each has its own step, its own
time and its own end, and one that has ended costs nothing more.

A training ends as
    fitted      the loss says so: all points satisfied, or the mean cross-entropy low enough
    capped      its budget is spent, or the gradient is zero, with N_Delta > 0 points unsatisfied
    diverged    the loss is not a finite number, or no step is short enough

The budget counts gradient evaluations: what is fitted depends on it, so it is kept with N_Delta.
States keep their dtype. They and the data are on one device, the CPU or a GPU; arrays of numpy that
go out are on the CPU. A training on a GPU waits for it once an evaluation, to see which members
end, and at each record of the history.

A training may be interrupted between two evaluations: it hands all that it depends on to `pause`,
as arrays by name, and goes on from them with the same bits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.flow.losses import Loss
from srhm.flow.networks import Predictor, Weights, selected

# Evaluations at which the history is kept: this many for each factor of ten.
RECORDS_PER_DECADE = 10
# A step below this fraction of the first one is no step any more.
SHORTEST_STEP = 1e-60


@dataclass(frozen=True, kw_only=True)
class FlowStep:
    """Rule of the adaptive step, Eq. 8 and 9 of chapter 3a; constants of the thesis and its code.

    A step is accepted if no training output F moves by more than max_output_change and
    |g - g'|^2/(|g| |g'|) stays below max_gradient_change. A rejected step is divided by `shrink`;
    an accepted one grows by `growth` if both are below half of their limits.

    kink: a step that moves no output by more than this is accepted whatever the gradient does. The
    gradient of a ReLU network jumps at a kink however short the step is, so that the second
    criterion alone would stop the flow there; the thesis uses a smooth activation. 0: not at all.
    """

    first_step: float = 1.0
    max_output_change: float = 0.1
    max_gradient_change: float = 1e-4
    shrink: float = 10.0
    growth: float = 1.1
    kink: float = 0.0


# For ReLU. With a kink of 1e-3 the half times of an SRHM cell (CNN, h = 16, P = 128, two seeds,
# alpha_tilde = 1) are the same within 0.2 %, but 8000 evaluations are not enough to fit; with these
# limits 2300 and 3300 are.
RELU_STEP = FlowStep(max_gradient_change=1e-2, kink=1e-2)


# All that a training depends on, by name; and what is called between two evaluations with a
# function that gives it. A pause may raise: the training then ends there.
Arrays = dict[str, NDArray[Any]]
Pause = Callable[[Callable[[], Arrays]], None]
# What is looked at besides where the history is kept: gets weights and evaluation of the members
# in training and their places (E',); gives numbers (E',) by name.
Observe = Callable[[Weights, "Evaluation", Tensor], Mapping[str, Tensor]]
STATUSES = ("fitted", "capped", "diverged")

HISTORY = ("evaluation", "time", "mean_loss", "n_unsatisfied", "output_norm")


@dataclass
class Evaluation:
    """A state: F (E, B, O), mean l, N_Delta and fitted (E,), gradient by name (E, ...)."""

    F: Tensor
    mean_loss: Tensor
    n_unsatisfied: Tensor
    fitted: Tensor
    gradient: Weights


NUMBERS = ("F", "mean_loss", "n_unsatisfied", "fitted")


class FlowingSystem(Protocol):
    """Something that flows down the gradient of its loss; states have a leading axis of members."""

    def select(self, members: Tensor) -> Self:
        """The system of some members."""
        ...

    def evaluate(self, state: Weights) -> Evaluation:
        """Outputs, loss and gradient at a state."""
        ...

    def squared_norm(self, gradient: Weights) -> Tensor:
        """Squared norm of a gradient in the space of parameters, (E,)."""
        ...


System = TypeVar("System", bound=FlowingSystem)


@dataclass(frozen=True)
class Trained:
    """Members at the end of their training, in the order they were given.

    state: weights by name (E, ...); status by member; mean_loss: mean of l, without 1/alpha^2;
    n_unsatisfied: N_Delta; time: sum of the steps (for SGD, Adam: of their rates); half_time: time
    at which the mean of l falls to half of its first value, NaN if it does not (gradient flow
    only); evaluations: gradients computed; steps: those accepted; budget: most evaluations allowed.
    history: evaluation (R,), about ten for each decade, and time, mean_loss, n_unsatisfied,
    output_norm (R, E), NaN after a member's end; output_norm is the root mean square of F over the
    training points. With them what `observe` gives.
    """

    state: Weights
    status: NDArray[np.str_]
    mean_loss: NDArray[np.float64]
    n_unsatisfied: NDArray[np.int64]
    time: NDArray[np.float64]
    half_time: NDArray[np.float64]
    steps: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    budget: int
    history: dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class NetworkSystem:
    """Predictors on a training set: inputs (B, d, v) or (E, B, d, v), labels (B,) or (E, B)."""

    predictor: Predictor
    x: Tensor
    y: Tensor
    loss: Loss
    offset: Tensor | None = None
    weight_decay: float = 0.0
    """lambda of the term lambda |w|^2 of Loss; with it no member is ever fitted"""

    @classmethod
    def of(
        cls, predictor: Predictor, x: Tensor, y: Tensor, loss: Loss, *, weight_decay: float = 0.0
    ) -> Self:
        """The system with f(w0) on the training set computed once."""
        return cls(predictor, x, y, loss, predictor.offset(x), weight_decay)

    def select(self, members: Tensor) -> Self:
        """The system of some members."""
        return replace(
            self,
            predictor=self.predictor.select(members),
            x=self.x[members] if self.x.ndim == 4 else self.x,
            y=self.y[members] if self.y.ndim == 2 else self.y,
            offset=None if self.offset is None else self.offset[members],
        )

    def batch(self, points_EB: Tensor) -> Self:
        """The system of a batch: for each member the indices of its points, (E, b)."""
        rows = torch.arange(len(points_EB), device=points_EB.device)[:, None]
        return replace(
            self,
            x=self.x[rows, points_EB] if self.x.ndim == 4 else self.x[points_EB],
            y=self.y[rows, points_EB] if self.y.ndim == 2 else self.y[points_EB],
            offset=None if self.offset is None else self.offset[rows, points_EB],
        )

    def evaluate(self, state: Weights) -> Evaluation:
        """F, mean l, N_Delta and the gradient of the loss by autograd."""
        leaves = {name: array.detach().requires_grad_() for name, array in state.items()}
        with torch.enable_grad():
            F = self.predictor(leaves, self.x, offset=self.offset)
            mean_E = self.loss.values(F, self.y).mean(dim=1)
            total = (mean_E / self.predictor.alpha.to(mean_E.dtype).square()).sum()
        gradients = torch.autograd.grad(total, list(leaves.values()))
        F = F.detach()
        fitted = self.loss.fitted(F, self.y)
        # In memory as they are read back from a file: sums do not depend on an array's strides.
        gradient = {name: g.contiguous() for name, g in zip(leaves, gradients, strict=True)}
        if self.weight_decay:
            fitted = torch.zeros_like(fitted)
            gradient = {n: g + 2 * self.weight_decay * state[n] for n, g in gradient.items()}
        return Evaluation(
            F, mean_E.detach(), self.loss.unsatisfied(F, self.y).sum(dim=1), fitted, gradient
        )

    def squared_norm(self, gradient: Weights) -> Tensor:
        """Sum of squares, (E,)."""
        parts = [array.flatten(1).square().sum(dim=1) for array in gradient.values()]
        return torch.stack(parts).sum(dim=0)


def gradient_flow(
    system: FlowingSystem,
    state: Weights,
    *,
    max_evaluations: int,
    step: FlowStep | None = None,
    momentum_time: Tensor | None = None,
    pause: Pause | None = None,
    start: Mapping[str, NDArray[Any]] | None = None,
    observe: Observe | None = None,
) -> Trained:
    """Follows dw/dt = -grad Loss with an adaptive step for each member.

    With momentum it follows dw/dt = -u, tau du/dt = grad Loss - u, u = 0 at first (chapter 3a,
    Fig. 13; the equation is that of the thesis's code). A step of length dt is of first order:
    u' = e^(-dt/tau) u + (1 - e^(-dt/tau)) grad Loss, as at a constant gradient, w' = w - dt u'.

    Args:
        system: what flows, `NetworkSystem.of(...)` or a frozen kernel.
        state: where it starts, arrays (E, ...) by name.
        max_evaluations: gradients computed for each member at most; also the end of those that
            never fit.
        step: rule of the adaptive step; None: that of the thesis.
        momentum_time: tau of each member, (E,); None: no momentum.
        pause: called between two evaluations.
        start: what `pause` was given by an earlier call with the same arguments; None: the start.
        observe: what is kept in the history besides.
    """
    torch.set_flush_denormal(True)  # weights of dead neurons decay for ever
    rule = step or FlowStep()
    book = _Book(system, state, max_evaluations, start=start, observe=observe)
    like = book.now.mean_loss
    tau = torch.ones_like(like) if momentum_time is None else momentum_time.to(like)
    book.keep(
        step={
            "length": torch.full_like(like, rule.first_step),
            "tau": tau,
            "squared": system.squared_norm(book.now.gradient),
        },
        mean={} if momentum_time is None else _zeros(state),
    )
    while book.goes_on(
        pause,
        # The gradient of a net at rest is zero for ever; a step so short has met no finite loss.
        capped=book.own["step"]["squared"] == 0,
        diverged=book.own["step"]["length"] < SHORTEST_STEP * rule.first_step,
    ):
        old, own, mean = book.now, book.own["step"], book.own["mean"]
        length_E, downhill = own["length"], old.gradient
        if momentum_time is not None:
            downhill = _averaged(mean, downhill, torch.exp(-length_E / own["tau"]))
        trial = {
            name: array - _along(length_E, array).to(array.dtype) * downhill[name]
            for name, array in book.state.items()
        }
        new = book.evaluate(trial)
        moved_E = (new.F - old.F).abs().amax(dim=(1, 2))
        turned_E = book.system.squared_norm(
            {name: new.gradient[name] - g for name, g in old.gradient.items()}
        )
        squared_E = book.system.squared_norm(new.gradient)
        both_E = (own["squared"] * squared_E).sqrt()
        # A new gradient of zero is no bend: all points are satisfied.
        bend_E = torch.where(both_E > 0, turned_E / both_E, torch.zeros_like(both_E))
        smooth_E = (bend_E < rule.max_gradient_change) | (moved_E <= rule.kink)
        accepted_E = (moved_E < rule.max_output_change) & smooth_E & new.mean_loss.isfinite()
        easy_E = (moved_E < rule.max_output_change / 2) & (bend_E < rule.max_gradient_change / 2)
        book.advance(trial, new, accepted_E, length_E)
        book.own["mean"] = {
            name: torch.where(_along(accepted_E, u), downhill[name], u) for name, u in mean.items()
        }
        grown_E = torch.where(easy_E, length_E * rule.growth, length_E)
        own["length"] = torch.where(accepted_E, grown_E, length_E / rule.shrink)
        own["squared"] = torch.where(accepted_E, squared_E, own["squared"])
    return book.result()


def adam(
    system: NetworkSystem,
    state: Weights,
    *,
    max_evaluations: int,
    first_rate: float = 1e-2,
    last_rate: float = 1e-4,
    decay: tuple[float, float] = (0.9, 0.999),
    pause: Pause | None = None,
    start: Mapping[str, NDArray[Any]] | None = None,
    observe: Observe | None = None,
) -> Trained:
    """Full-batch Adam whose rate falls from first to last, equal in ratio, over the budget.

    For jamming (chapters 1, 2), where gradient flow is too slow. The step is that of Kingma and Ba
    with epsilon = 1e-8; a member that fits ends at once. pause, start, observe: as in
    `gradient_flow`.
    """
    torch.set_flush_denormal(True)
    book = _Book(system, state, max_evaluations, start=start, observe=observe)
    book.keep(mean=_zeros(state), square=_zeros(state))
    slope = log(last_rate / first_rate) / max(max_evaluations - 1, 1)
    while book.goes_on(pause):
        count, mean, square = book.spent, book.own["mean"], book.own["square"]
        rate = first_rate * float(np.exp(slope * (count - 1)))
        trial = {}
        for name, g in book.now.gradient.items():
            mean[name] = decay[0] * mean[name] + (1 - decay[0]) * g
            square[name] = decay[1] * square[name] + (1 - decay[1]) * g.square()
            root = (square[name] / (1 - decay[1] ** count)).sqrt() + 1e-8
            trial[name] = book.state[name] - rate * mean[name] / (1 - decay[0] ** count) / root
        book.advance_all(trial, rate)
    return book.result()


def stochastic_gradient_descent(
    system: NetworkSystem,
    state: Weights,
    *,
    rate: float | Tensor,
    batch_size: int,
    generators: Sequence[np.random.Generator],
    max_evaluations: int,
    momentum: float = 0.0,
    check_every: int = 100,
    pause: Pause | None = None,
    start: Mapping[str, NDArray[Any]] | None = None,
    observe: Observe | None = None,
) -> Trained:
    """SGD on batches of each member's own order, looked at on the whole training set now and then.

    Args:
        system, state: as in `gradient_flow`.
        rate: what multiplies the gradient of Loss, (1/(alpha^2 b)) sum l over a batch. The SRHM
            paper's rate, eta H/alpha_tilde on (1/b) sum l of the outputs of Eq. 10, is
            rate = eta alpha_tilde here: the same number at alpha_tilde = 1. (E,): one for each
            member.
        batch_size: points of a batch; those left over at the end of an epoch are not seen in it.
        generators: of the order of batches, one for each member.
        max_evaluations: batches at most. Looks at the whole set are not counted.
        momentum: of the heavy ball, v <- momentum v + g, w <- w - rate v.
        check_every: batches between two looks; a member ends at a look.
        pause, start, observe: as in `gradient_flow`; generators are as fresh with a start as
            without.
    """
    torch.set_flush_denormal(True)
    book = _Book(system, state, max_evaluations, spent=0, start=start, observe=observe)
    like = book.now.mean_loss
    rates = torch.as_tensor(rate, dtype=like.dtype, device=like.device).expand(len(generators))
    book.keep(velocity=_zeros(state), step={"rate": rates})
    orders = _Orders(generators, n_points=book.now.F.shape[1])
    per_epoch = orders.n_points // batch_size
    order_EB = torch.empty(0)
    while book.goes_on(pause):
        current, velocity, rate_E = book.state, book.own["velocity"], book.own["step"]["rate"]
        n_batches = min(check_every, max_evaluations - book.spent)
        for count in range(book.spent, book.spent + n_batches):
            epoch, at = divmod(count, per_epoch)
            if at == 0 or count == book.spent:
                order_EB = orders.of(epoch, book.active)
            points = order_EB[:, at * batch_size : (at + 1) * batch_size]
            gradient = book.system.batch(points).evaluate(current).gradient
            velocity = {name: momentum * velocity[name] + g for name, g in gradient.items()}
            current = {
                name: w - _along(rate_E, w).to(w.dtype) * velocity[name]
                for name, w in current.items()
            }
        book.own["velocity"] = velocity
        book.advance_all(current, rate_E * n_batches, n_evaluations=n_batches)
    return book.result()


class _Orders:
    """Orders of the points, a random one for each epoch of each member, drawn as they are used."""

    def __init__(self, generators: Sequence[np.random.Generator], *, n_points: int) -> None:
        self.n_points = n_points
        self._streams, self._drawn = generators, [0] * len(generators)
        self._orders = [np.empty(0, dtype=np.int64)] * len(generators)

    def of(self, epoch: int, members: Tensor) -> Tensor:
        """Of an epoch, counted from 0, for some members, (E', B)."""
        asked = members.cpu().tolist()
        for member in asked:
            while self._drawn[member] <= epoch:
                self._orders[member] = self._streams[member].permutation(self.n_points)
                self._drawn[member] += 1
        return _sent(np.stack([self._orders[member] for member in asked]), like=members)


class _Book(Generic[System]):
    """Members still in training, and how those that are not have ended.

    All members in training have spent the same number of evaluations. own: arrays (E', ...) of
    what moves them, for the members in training, by name.
    """

    def __init__(
        self,
        system: System,
        state: Weights,
        budget: int,
        *,
        spent: int = 1,
        start: Mapping[str, NDArray[Any]] | None = None,
        observe: Observe | None = None,
    ) -> None:
        self.system, self.spent, self.own = system, spent, dict[str, Weights]()
        self._budget, self._observe, self._start, self._next_record = budget, observe, start, 0.0
        self.state = {name: array.detach().clone() for name, array in state.items()}
        self.now = system.evaluate(self.state)
        loss = self.now.mean_loss
        self.active = torch.arange(len(loss), device=loss.device)
        none = torch.zeros_like(loss, dtype=torch.float64)
        self._course = {
            "first_loss": loss.clone(),
            "time": none,
            "half_time": torch.full_like(none, torch.nan),
            "steps": none.long(),
        }
        numbers = dict.fromkeys(("status", "n_unsatisfied", "evaluations", "steps"), none.long())
        numbers |= dict.fromkeys(("mean_loss", "time", "half_time"), none)
        self._ends = {name: array.clone() for name, array in numbers.items()}
        self._last = _zeros(state)
        self._records: dict[str, list[NDArray[np.float64]]] = {name: [] for name in HISTORY}
        if start is None:
            self._record()
            return
        self.active = _sent(start["active"], like=loss)
        self.spent, self._next_record = int(start["spent"][0]), float(start["next_record"][0])
        self.state, self._last = (_weights(start, f"{n}.", state) for n in ("state", "last"))
        self._course = _weights(start, "course.", self._course)
        self._ends = _weights(start, "ends.", self._ends)
        now = _weights(start, "now.", {name: getattr(self.now, name) for name in NUMBERS})
        self.now = Evaluation(**now, gradient=_weights(start, "gradient.", state))
        kept = {name.removeprefix("history."): name for name in start}
        self._records = {short: list(start[n]) for short, n in kept.items() if short != n}
        self.system = system.select(self.active)

    def keep(self, **own: Weights) -> None:
        """Arrays of the members given at first; after a pause they are those of then."""
        for name, arrays in own.items():
            kept = self._start
            self.own[name] = arrays if kept is None else _weights(kept, f"own.{name}.", arrays)

    def arrays(self) -> Arrays:
        """All that is in the book."""
        parts = {
            "state": self.state,
            "last": self._last,
            "course": self._course,
            "ends": self._ends,
            "now": {name: getattr(self.now, name) for name in NUMBERS},
            "gradient": self.now.gradient,
            **{f"own.{name}": arrays for name, arrays in self.own.items()},
        }
        book: Arrays = {
            f"{part}.{name}": array.cpu().numpy()
            for part, arrays in parts.items()
            for name, array in arrays.items()
        }
        return {
            **book,
            **{f"history.{name}": np.array(rows) for name, rows in self._records.items()},
            "active": self.active.cpu().numpy(),
            "spent": np.array([self.spent]),
            "next_record": np.array([self._next_record]),
        }

    def goes_on(
        self,
        pause: Pause | None,
        *,
        capped: Tensor | None = None,
        diverged: Tensor | None = None,
    ) -> bool:
        """Ends members between two evaluations; whether any is still in training."""
        if pause is not None:
            pause(self.arrays)
        no = torch.zeros_like(self.now.fitted)
        lost = ~self.now.mean_loss.isfinite() | (no if diverged is None else diverged)
        at_rest = no if capped is None else capped
        ends = self.now.fitted | lost | at_rest | (self.spent >= self._budget)
        ended = ends.cpu().nonzero()[:, 0].to(ends.device)  # waits for a GPU
        if not len(ended):
            return True
        codes = {status: torch.full_like(self.active, k) for k, status in enumerate(STATUSES)}
        status = torch.where(self.now.fitted, codes["fitted"], codes["capped"])
        numbers = {
            **self._course,
            "status": torch.where(lost, codes["diverged"], status),
            "mean_loss": self.now.mean_loss,
            "n_unsatisfied": self.now.n_unsatisfied,
            "evaluations": torch.full_like(self.active, self.spent),
        }
        members = self.active[ended]
        for ends_E, arrays in ((self._ends, numbers), (self._last, self.state)):
            for name, array in ends_E.items():
                array[members] = arrays[name][ended].to(array.dtype)
        kept = (~ends).cpu().nonzero()[:, 0].to(ends.device)
        if len(kept):
            self.system = self.system.select(kept)
        self.active, self.now = self.active[kept], _each(lambda array: array[kept], self.now)
        self.state, self._course = selected(self.state, kept), selected(self._course, kept)
        self.own = {name: selected(arrays, kept) for name, arrays in self.own.items()}
        return len(kept) > 0

    def evaluate(self, state: Weights) -> Evaluation:
        """Evaluates all members in training once more."""
        self.spent += 1
        return self.system.evaluate(state)

    def advance(self, trial: Weights, new: Evaluation, accepted: Tensor, length: Tensor) -> None:
        """Moves the members whose step is accepted, and writes down where they are."""
        course, before = self._course, self.now.mean_loss
        half = course["first_loss"] / 2
        crossed = accepted & course["half_time"].isnan() & (new.mean_loss <= half)
        # Linear between the two ends of the step that crosses the half.
        part = ((before - half) / (before - new.mean_loss)).clamp(0, 1)
        halves = course["time"] + part * length
        self._course = {
            "first_loss": course["first_loss"],
            "time": course["time"] + torch.where(accepted, length, torch.zeros_like(length)),
            "half_time": torch.where(crossed, halves, course["half_time"]),
            "steps": course["steps"] + accepted,
        }
        # To ask a GPU takes longer than to choose.
        if accepted.device.type == "cpu" and bool(accepted.all()):
            self.state, self.now = trial, new
        else:

            def choose(new: Tensor, old: Tensor) -> Tensor:
                return torch.where(_along(accepted, new), new, old)

            self.state = {name: choose(trial[name], old) for name, old in self.state.items()}
            self.now = _each(choose, new, self.now)
        self._record()

    def advance_all(
        self, trial: Weights, length: float | Tensor, *, n_evaluations: int = 1
    ) -> None:
        """Moves all members in training by a step, or several, of this length (E',) in all."""
        self.spent += n_evaluations
        self.state, self.now = trial, self.system.evaluate(trial)
        self._course["time"] = self._course["time"] + length
        self._course["steps"] = self._course["steps"] + n_evaluations
        self._record()

    def result(self) -> Trained:
        """All members, once none is in training."""
        ends = {name: array.cpu().numpy() for name, array in self._ends.items()}
        return Trained(
            state=self._last,
            budget=self._budget,
            history={name: np.array(rows) for name, rows in self._records.items()},
            **{**ends, "status": np.array(STATUSES)[ends["status"]]},
        )

    def _record(self) -> None:
        if self.spent < self._next_record:
            return
        self._next_record = max(self.spent, 1) * 10 ** (1 / RECORDS_PER_DECADE)
        norm = self.now.F.square().mean(dim=1).sum(dim=1).sqrt()
        values = {
            "time": self._course["time"],
            "mean_loss": self.now.mean_loss,
            "n_unsatisfied": self.now.n_unsatisfied,
            "output_norm": norm,
        }
        if self._observe is not None:
            values |= self._observe(self.state, self.now, self.active)
        self._records["evaluation"].append(np.array(float(self.spent)))
        for name, observed in values.items():
            row = torch.full_like(self._ends["time"], torch.nan)
            row[self.active] = observed.to(row.dtype)
            self._records.setdefault(name, []).append(row.cpu().numpy())


def _zeros(state: Weights) -> Weights:
    return {
        name: torch.zeros_like(array, memory_format=torch.contiguous_format)
        for name, array in state.items()
    }


def _weights(arrays: Mapping[str, NDArray[Any]], prefix: str, state: Weights) -> Weights:
    """Copies of the weights whose names begin so, in the order of a state, on its device.

    Sums depend on the order.
    """
    return {name: _sent(arrays[f"{prefix}{name}"], like=array) for name, array in state.items()}


def _sent(array: NDArray[Any], *, like: Tensor) -> Tensor:
    """A copy of an array on the device of a tensor."""
    return torch.from_numpy(np.array(array)).to(like.device)


def _averaged(mean: Weights, gradient: Weights, kept_E: Tensor) -> Weights:
    """Means of which a part kept_E stays, and the rest is the gradient."""
    return {
        name: _along(kept_E, u).to(u.dtype) * u + _along(1 - kept_E, u).to(u.dtype) * gradient[name]
        for name, u in mean.items()
    }


def _along(numbers_E: Tensor, array: Tensor) -> Tensor:
    """Numbers (E,) in the shape that multiplies an array (E, ...)."""
    return numbers_E.reshape(-1, *[1] * (array.ndim - 1))


def _each(make: Callable[..., Tensor], *given: Evaluation) -> Evaluation:
    """The evaluation each array of which is made of those of the given ones."""
    numbers = {name: make(*(getattr(one, name) for one in given)) for name in NUMBERS}
    gradients = [one.gradient for one in given]
    gradient = {name: make(*(one[name] for one in gradients)) for name in gradients[0]}
    return Evaluation(**numbers, gradient=gradient)
