"""Section of the study, and the cells that it asks for. Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from srhm.declare.keys import Keys, PositiveInt, Seeds, Several, Sizes, combinations
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import CurveCells, planned
from srhm.images.readers import SETS

FUNCTION = "srhm_studies.smoothness.taught_digits.experiment:run"
BATCH, LARGEST = 32, 4000  # images of a batch, and all those for training
Net = Literal["lenet", "fc2", "fc4", "fc6"]
Taught = Literal["nothing", "places", "deformations", "both"]


class Curves(Keys):
    """Learning curves: a curve for each combination of the lists."""

    net: Several[Net] = Field(description="network; the number counts hidden layers")
    taught: Several[Taught] = Field(
        ["nothing", "places", "deformations", "both"],
        description="what is drawn anew each time that a digit is met",
    )
    P: Sizes = Field(description="training digits, 32 (one batch) to 4000")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...: digits, weights, order, changes")

    @field_validator("P")
    @classmethod
    def _there(cls, P: list[int]) -> list[int]:
        if not BATCH <= min(P) <= max(P) <= LARGEST:
            raise ValueError(f"P = {P}: allowed are {BATCH} (one batch) to {LARGEST}")
        return P


class TaughtDigitsSection(Keys):
    """Networks on 5,000 digits of MNIST (make env-images) that are taught invariances."""

    width: PositiveInt = Field(
        256, description="units of a hidden layer of an fc; LeNet has one size"
    )
    max_steps: PositiveInt = Field(500, description="steps, the same number for every P")
    n_test: int = Field(1000, ge=50, le=1000, strict=True, description="test digits")
    n_points: int = Field(
        500, ge=2, le=1000, strict=True, description="test digits that are changed"
    )
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")


def plan(section: TaughtDigitsSection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each net and what it is taught; without the file of digits none is computed.

    Raises:
        ConfigError: if a cell is asked for twice.
    """
    given = {name: getattr(section, name) for name in ("width", "max_steps", "n_test", "n_points")}
    families = [
        CurveCells(
            name=f"taught-digits-{curve['net']}-{curve['taught']}", function=FUNCTION,
            cells=list(combinations(group, "P", "seed", **curve, **given)), long=False,
            missing=SETS["mnist5k"].notice(Path()) or "",
        )
        for group in section.curves
        for curve in combinations(group, "net", "taught")
    ]  # fmt: skip
    return planned(trainer, families)


def seconds(cell: Mapping[str, Any]) -> float:
    """Seconds that a cell takes on one core: of a step, and of its changes."""
    step = 0.012 if cell["net"] == "lenet" else 0.003 * max(0.5, cell["width"] / 256)
    changes = {"nothing": 0.0, "places": 0.0005, "deformations": 0.004, "both": 0.0045}
    return float(0.6 + (step + changes[cell["taught"]]) * cell["max_steps"])
