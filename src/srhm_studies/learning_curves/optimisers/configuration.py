"""Section of the study, and the cells that it asks for. Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from srhm.declare.keys import (
    Counts,
    Keys,
    Positive,
    PositiveInt,
    Scales,
    Seeds,
    Several,
    Sizes,
    combinations,
)
from srhm.declare.study import ConfigError, Planned, Trainer
from srhm.experiments.groups import CurveCells, planned
from srhm.model import theory
from srhm.model.grammar import GrammarError, parameters_of
from srhm.model.sampling import largest_training_set

FUNCTION = "srhm_studies.learning_curves.optimisers.experiment:run"
Optimiser = Literal["momentum", "plain", "decay", "adam"]


class Curves(Keys):
    """Learning curves: a curve for each combination of the lists."""

    net: Several[Literal["lcn", "cnn"]] = Field(description="network")
    optimiser: Several[Optimiser] = Field(
        description="momentum: SGD with momentum 0.9; plain: SGD; decay: SGD with momentum and"
        " weight decay; adam: Adam"
    )
    rate: Scales = Field(description="learning rate; of SGD over the width H")
    L: Sizes = Field([2], description="depth of the hierarchy")
    s: Sizes = Field([2], description="branching")
    s0: Counts = Field(description="empty places for each informative one")
    v: Sizes = Field(description="features")
    n_c: Sizes | None = Field(None, description="classes; absent: v")
    m: Sizes | None = Field(None, description="synonyms; absent: v^(s-1)")
    P_over_law: Scales = Field(
        description="sizes of the training set, over n_c m^L times (s0+1)^2 (CNN) or (s0+1)^L"
        " (LCN); those that leave no test set are left out"
    )
    seeds: Seeds = Field(6, description="seeds 0, 1, ...: grammars, data, initial weights")


class OptimisersSection(Keys):
    """Networks that are trained by several optimisers, each at several rates."""

    width: PositiveInt = Field(64, description="channels of each hidden layer")
    n_test: int = Field(2000, ge=50, strict=True, description="test points")
    max_steps: PositiveInt = Field(100_000, description="steps after which training stops")
    loss_threshold: Positive = Field(
        0.01, description="mean loss of an epoch, without weight decay, at which training stops"
    )
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")


def law(curve: Mapping[str, Any]) -> float:
    """P* of Eq. 3 (LCN) or Eq. 4 (CNN)."""
    return theory.predicted_sample_complexity(
        curve["net"], depth=curve["L"], branching=curve["s"], n_empty=curve["s0"],
        n_synonyms=curve["m"], n_classes=curve["n_c"],
    )  # fmt: skip


def plan(section: OptimisersSection, directory: Path, *, trainer: Trainer) -> Planned:
    """The cells of all groups. A job has those of one net, optimiser, L and v.

    Raises:
        ConfigError: naming the group, the key and what is allowed.
    """
    jobs: dict[str, list[dict[str, Any]]] = {}
    for number, group in enumerate(section.curves):
        names = ("net", "optimiser", "rate", "L", "s", "s0", "v", "n_c", "m")
        for curve in combinations(group, *names):
            try:
                largest = largest_training_set(parameters_of(curve))
            except GrammarError as error:
                raise ConfigError(f"  curves.{number}: {error}") from error
            sizes = sorted({max(1, round(law(curve) * factor)) for factor in group.P_over_law})
            name = "optimisers-{net}-{optimiser}-L{L}-v{v}".format_map(curve)
            jobs.setdefault(name, []).extend(
                {**curve, "P": P, "width": section.width, "n_test": section.n_test,
                 "max_steps": section.max_steps, "loss_threshold": section.loss_threshold,
                 "seed": seed}
                for P in sizes if largest >= P for seed in range(group.seeds)
            )  # fmt: skip
    families = [
        CurveCells(name=name, function=FUNCTION, cells=cells, long=False)
        for name, cells in jobs.items()
        if cells
    ]
    return planned(trainer, families)


def seconds(cell: Mapping[str, Any]) -> float:
    """Seconds that a cell takes on one core: 15 us a step of SGD, 50 of Adam, at L = 2, H = 64."""
    steps = min(cell["max_steps"], 5_000 + 2 * cell["P"])
    step = (5e-5 if cell["optimiser"] == "adam" else 1.5e-5) * (cell["width"] / 64) ** 1.5
    return 0.15 + step * steps * 2.0 ** (cell["L"] - 2)
