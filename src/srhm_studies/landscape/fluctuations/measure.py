"""What is measured of the stored weights of the members of a seed.

Outputs of members, their gradients in the input, and the distance delta between the boundaries
f = 0 and fbar = 0 (chapter 2b, Eq. 3, figures 4, 9, 10). Letters of the thesis: f output, fbar mean
output of an ensemble. Shapes: R draw, E member, B point, D number of the input; inputs are
(B, 1, D), as those of `PlaneData`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from srhm.flow.cell import outputs_at, predictor_of
from srhm.flow.networks import Predictor, Weights, outputs, selected
from srhm.measure.trained import Member, members_of
from srhm.model.seeding import generator
from srhm.store.tables import ENSEMBLES, FLOW_CELLS, OF_SOME_CELLS

MEMBERS_AT_ONCE = 8


@dataclass(frozen=True)
class Ensemble:
    """Members of one seed that share their data: predictor and final weights (E, ...)."""

    predictor: Predictor
    weights: Weights

    @classmethod
    def of(cls, members: Sequence[Member]) -> Self:
        """The ensemble of members of equal shape, none of which diverged."""
        ends = [end for member in members if (end := member.weights["end"]) is not None]
        weights = {name: torch.cat([end[name] for end in ends]) for name in ends[0]}
        return cls(predictor_of([member.cell for member in members], weights), weights)

    def select(self, members: slice) -> "Ensemble":
        """Some of the members."""
        return Ensemble(self.predictor.select(members), selected(self.weights, members))

    def outputs(self, x: Tensor) -> Tensor:
        """f of each member, (E, B)."""
        return outputs_at(self.predictor, self.weights, x)[..., 0]

    def gradients(self, x: Tensor) -> Tensor:
        """Gradient of f in the input, (E, B, D); of ReLU that of the linear piece at the point."""
        starts = range(0, len(self.predictor.alpha), MEMBERS_AT_ONCE)
        return torch.cat([self.select(slice(k, k + MEMBERS_AT_ONCE))._gradients(x) for k in starts])

    def _gradients(self, x: Tensor) -> Tensor:
        predictor, at = self.predictor, x[None].repeat(len(self.predictor.alpha), 1, 1, 1)
        at.requires_grad_()
        with torch.enable_grad():
            f = outputs(predictor.network, self.weights, at)
            if predictor.initial is not None:  # which `Predictor` itself takes for a constant
                f = f - outputs(predictor.network, predictor.initial, at)
            total = (predictor.factor[:, None, None] * f).sum()
        return torch.autograd.grad(total, at)[0][:, :, 0]


# Steps along a line, in units of the linear estimate |f|/|grad f| of the distance.
STEP, LONGEST = 0.05, 4.0


def boundary_distance(f: Tensor, mean: Tensor, gradient: Tensor) -> tuple[float, int]:
    """delta of Eq. 3, and of how many points it is the mean; NaN of none.

    f (..., B), mean (B,), gradient of f (..., B, D). |f - fbar|/|grad f|, mean over the points
    that f and fbar classify differently. Where the gradient is zero (no neuron of a ReLU network
    sees the point) f has no boundary along it: such points are left out.
    """
    slope = gradient.norm(dim=-1)
    between = (f * mean < 0) & (slope > 0)
    distance = ((f - mean).abs() / slope)[between]
    return (float(distance.mean()) if len(distance) else float("nan")), len(distance)


def estimated_distance(f: Tensor, mean: Tensor, gradient: Tensor) -> float:
    """|f - fbar|_mu/|grad f|_mu, both root mean squares over all points (and members)."""
    return float(((f - mean).square().mean() / gradient.square().sum(dim=-1).mean()).sqrt())


class Line(NamedTuple):
    """From a point to f = 0: |f|/|grad f|, the distance over it (NaN beyond LONGEST), course.

    values: f at 0, STEP, ... LONGEST in units of the linear estimate, over f at the point itself.
    """

    linear: float
    ratio: float
    values: Tensor


def along_gradient(f: Callable[[Tensor], Tensor], x: Tensor, gradient: Tensor) -> list[Line]:
    """Lines x - t sign(f) grad f/|grad f| from points x (B, D) towards f = 0.

    f: from points (n, D) to outputs (n,); gradient (B, D) that at x. If the linear estimate is
    exact the ratio is 1.
    """
    lines = []
    steps = torch.arange(0, LONGEST + STEP / 2, STEP, dtype=x.dtype)
    for point, slope, value in zip(x, gradient, f(x), strict=True):
        linear = float(value.abs() / slope.norm())
        direction = value.sign() * slope / slope.norm()
        values = f(point - linear * steps[:, None] * direction) / value
        lines.append(Line(linear, first_zero(steps, values), values))
    return lines


def first_zero(steps: Tensor, values: Tensor) -> float:
    """Where values, 1 at first, become zero or less, linear between steps; NaN if never."""
    below = (values <= 0).nonzero()
    if not len(below):
        return float("nan")
    k = int(below[0, 0])
    high, low = float(values[k - 1]), float(values[k])
    return float(steps[k - 1]) + float(steps[k] - steps[k - 1]) * high / (high - low)


def resampled(f: Tensor, gradient: Tensor, y: Tensor, *, n: int, n_draws: int,
              generator: np.random.Generator) -> dict[str, float]:  # fmt: skip
    """Mean test error, delta and its estimate of ensembles of n drawn out of all with replacement.

    f: outputs (E, B); gradient (E, B, D); y: labels (B,), plus or minus one. All members count as
    the population, fbar is their mean: with replacement ensembles depart from it as 1/sqrt(n),
    without it would be sqrt(1/n - 1/E).
    """
    shares = generator.multinomial(n, np.full(len(f), 1 / len(f)), size=n_draws) / n
    shares_RE = torch.from_numpy(shares).to(f.dtype)
    f_RB, mean_B = shares_RE @ f, f.mean(dim=0)
    gradient_RBD = torch.einsum("re,ebd->rbd", shares_RE, gradient)
    return {
        "n": n,
        "error": float((y * f_RB <= 0).to(f.dtype).mean()),
        "delta": boundary_distance(f_RB, mean_B, gradient_RBD)[0],
        "estimate": estimated_distance(f_RB, mean_B, gradient_RBD),
    }


N_NOISE = 500  # points of noise
MANY = 16  # members from which on ensembles are drawn out of them
N_DRAWS = 400
N_LINES = 60  # lines of a seed
N_DRAWN = 30  # of those of seed 0 whose course is kept
STRIDE = 4  # steps of a line that are kept: every fourth


def _schema(names: str, *own: pa.Field) -> pa.Schema:
    """Columns that name an ensemble, further ones, and those of numbers by their names."""
    place = [ENSEMBLES.field(name) for name in ("curve", "width", "P", "seed", "n_members")]
    numbers = ((name, pa.float64()) for name in names.split())
    return pa.schema([FLOW_CELLS.field("key"), *place, *own, *numbers]).with_metadata(OF_SOME_CELLS)


# Of each seed and width; of ensembles of n of its members; of lines towards f = 0; of the course of
# some of these.
FLUCTUATIONS = _schema(
    "mean_error ensemble_error train noise test gradient delta estimate n_between",
    FLOW_CELLS.field("n_weights"),
)
RESAMPLED = _schema("error population delta estimate", pa.field("n", pa.int64()))
CROSSINGS = _schema("linear ratio", pa.field("line", pa.int64()))
COURSES = _schema("step value", pa.field("line", pa.int64()))


def measure_fluctuations(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> dict[str, list[dict[str, Any]]]:
    """Rows of the four tables without the curve.

    Members that diverged are left out; a seed with fewer than two others has no rows.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    seeds: dict[tuple[int, int], list[Member]] = {}
    for member in members_of(entries, store=store):
        if member.weights["end"] is not None:
            seeds.setdefault((member.cell["P"], member.cell["seed"]), []).append(member)
    names = ("fluctuations", "resampled", "crossings", "courses")
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for (P, seed), members in seeds.items():
        if len(members) < 2:
            continue
        place = {"width": members[0].cell["width"], "P": P, "seed": seed, "n_members": len(members)}
        place["key"] = members[0].key  # of the first network
        for name, rows in zip(names, _of_seed(members, seed=seed), strict=True):
            tables[name] += [{**place, **row} for row in rows]
    log.info("%d cells, %d ensembles", len(entries), len(tables["fluctuations"]))
    return tables


def _of_seed(members: Sequence[Member], *, seed: int) -> tuple[list[dict[str, Any]], ...]:
    """Rows of each table."""
    data, ensemble = members[0].data, Ensemble.of(members)
    f, gradient = ensemble.outputs(data.x_test), ensemble.gradients(data.x_test)
    mean, y = f.mean(dim=0), data.y_test
    delta, n_between = boundary_distance(f, mean, gradient)
    noise = noise_like(data.x_test, generator=generator(seed, role="test"))
    row = {
        "n_weights": members[0].network.n_weights,
        "mean_error": float((y * f <= 0).to(f.dtype).mean()),
        "ensemble_error": float((y * mean <= 0).to(f.dtype).mean()),
        "train": fluctuation(ensemble.outputs(data.x_train)),
        "noise": fluctuation(ensemble.outputs(noise)),
        "test": fluctuation(f),
        "gradient": float(gradient.square().sum(dim=-1).mean(dim=1).sqrt().median()),
        "delta": delta,
        "estimate": estimated_distance(f, mean, gradient),
        "n_between": float(n_between),
    }
    # Ensembles of 1, 2, 4, ... members, no more than there are.
    sizes = [2**k for k in range(len(f).bit_length())] if len(f) >= MANY else []
    stream = generator(seed, role="drawing")
    whole = {"population": row["ensemble_error"]}
    drawn = [whole | resampled(f, gradient, y, n=n, n_draws=N_DRAWS, generator=stream)
             for n in sizes]  # fmt: skip
    return [row], drawn, *_lines(ensemble, data.x_test[:, 0], f, gradient, seed=seed)


def fluctuation(f: Tensor) -> float:
    """|f - fbar|_mu of members (E, B): root of the mean over points of the unbiased variance."""
    return float(f.var(dim=0).mean().sqrt())


def noise_like(x: Tensor, *, generator: np.random.Generator) -> Tensor:
    """Gaussian directions (N_NOISE, 1, D) of the norm of the data, which all of them have."""
    numbers = torch.from_numpy(generator.standard_normal((N_NOISE, 1, x.shape[-1])))
    return numbers * (x[0].norm() / numbers.norm(dim=-1, keepdim=True))


def _output(ensemble: Ensemble, points: Tensor) -> Tensor:
    """f of the first member at points (n, D), (n,)."""
    return ensemble.outputs(points[:, None])[0]


def _lines(
    ensemble: Ensemble, x: Tensor, f: Tensor, gradient: Tensor, *, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Lines from pairs of a member and a point between the boundaries, drawn at random."""
    pairs = ((f * f.mean(dim=0) < 0) & (gradient.norm(dim=-1) > 0)).nonzero()
    chosen = generator(seed, role="pairs").permutation(len(pairs))[:N_LINES]
    crossings: list[dict[str, Any]] = []
    courses: list[dict[str, Any]] = []
    for member, point in pairs[torch.from_numpy(np.sort(chosen))].tolist():
        single = ensemble.select(slice(member, member + 1))
        at = slice(point, point + 1)
        (line,) = along_gradient(partial(_output, single), x[at], gradient[member, at])
        name = {"line": len(crossings)}
        crossings.append({**name, "linear": line.linear, "ratio": line.ratio})
        if seed == 0 and len(crossings) <= N_DRAWN:
            kept = enumerate(line.values[::STRIDE].tolist())
            courses += [{**name, "step": k * STRIDE * STEP, "value": value} for k, value in kept]
    return crossings, courses
