"""Section of the study, the cells that it asks for, and its tables. Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from srhm.declare.keys import Keys, Positive, PositiveInt, Scales, Seeds, Several
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import planned
from srhm.model import theory
from srhm_studies.learning_curves.learner import (
    SEEDS,
    CurvesKeys,
    Learner,
    complexities,
    sizes_over,
)


class Curves(CurvesKeys):
    """Learning curves: a curve for each combination of the lists."""

    net: Several[Literal["lcn", "cnn"]] = Field(description="network")
    optimiser: Several[Literal["momentum", "plain", "decay", "adam"]] = Field(
        description="momentum: SGD with momentum 0.9; plain: SGD; decay: SGD with momentum and"
        " weight decay; adam: Adam"
    )
    rate: Scales = Field(description="learning rate; of SGD over the width H")
    P_over_law: Scales = sizes_over("n_c m^L times (s0+1)^2 (CNN) or (s0+1)^L (LCN)")
    seeds: Seeds = Field(6, description=SEEDS)


class OptimisersSection(Keys):
    """Networks that are trained by several optimisers, each at several rates."""

    width: PositiveInt = Field(64, description="channels of each hidden layer")
    n_test: int = Field(2000, ge=50, strict=True, description="test points")
    max_steps: PositiveInt = Field(100_000, description="steps after which training stops")
    loss_threshold: Positive = Field(
        0.01, description="mean loss of an epoch, without weight decay, at which training stops"
    )
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")


LEARNER = Learner(
    function="srhm_studies.learning_curves.optimisers.experiment:run", law=theory.predicted,
    factors={"optimiser": str, "rate": float}, given={"loss_threshold": float},
)  # fmt: skip
CELLS = LEARNER.cells
# best: whether no other rate of the optimiser has a smaller P*; at_end: whether the best rate is
# the smallest or the largest that was tried.
SAMPLE_COMPLEXITY = complexities(LEARNER.columns, n_diverged=int, best=bool, at_end=bool)
# P* of each grammar at each rate; of a censored one its bound. capped: cells that did not fit.
GRAMMARS = pa.schema([
    *(SAMPLE_COMPLEXITY.field(name) for name in LEARNER.curve), ("seed", pa.int64()),
    ("P_star", pa.float64()), ("status", pa.string()), ("best", pa.bool_()), ("capped", pa.int64()),
])  # fmt: skip


def plan(section: OptimisersSection, directory: Path, *, trainer: Trainer) -> Planned:
    """The cells of all groups. A job has those of one net, optimiser, L and v."""
    names = ("net", "optimiser", "rate", "L", "s", "s0", "v", "n_c", "m")
    label = "optimisers-{net}-{optimiser}-L{L}-v{v}".format_map
    given = section.model_dump(exclude={"curves"})
    return planned(trainer, LEARNER.families(section.curves, names, label, lambda *_: given))


def seconds(cell: Mapping[str, Any]) -> float:
    """Seconds that a cell takes on one core: 15 us a step of SGD, 50 of Adam, at L = 2, H = 64."""
    steps = min(cell["max_steps"], 5_000 + 2 * cell["P"])
    step = (5e-5 if cell["optimiser"] == "adam" else 1.5e-5) * (cell["width"] / 64) ** 1.5
    return 0.15 + step * steps * 2.0 ** (cell["L"] - 2)
