"""What is measured of the stored weights of the members of a seed."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from srhm.measure.trained import Member, members_of
from srhm.model.seeding import generator
from srhm.store.tables import ENSEMBLES, FLOW_CELLS, OF_SOME_CELLS
from srhm_studies.landscape.fluctuations.boundary import (
    STEP,
    along_gradient,
    boundary_distance,
    estimated_distance,
    resampled,
)
from srhm_studies.landscape.fluctuations.responses import Ensemble

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
        MissingMember: if the store lacks a cell.
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
        one = ensemble.select(slice(member, member + 1))
        at = slice(point, point + 1)
        (line,) = along_gradient(partial(_output, one), x[at], gradient[member, at])
        name = {"line": len(crossings)}
        crossings.append({**name, "linear": line.linear, "ratio": line.ratio})
        if seed == 0 and len(crossings) <= N_DRAWN:
            kept = enumerate(line.values[::STRIDE].tolist())
            courses += [{**name, "step": k * STRIDE * STEP, "value": value} for k, value in kept]
    return crossings, courses
