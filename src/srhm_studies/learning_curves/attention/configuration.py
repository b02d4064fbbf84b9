"""Section of the study, the cells that it asks for, and its tables. Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from srhm.declare.keys import Keys, PositiveInt, Scales, Seeds, Several
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import planned
from srhm_studies.learning_curves.learner import (
    SEEDS,
    CurvesKeys,
    Learner,
    complexities,
    sizes_over,
)

HEADS = 4
CONVOLUTIONAL = ("lcn", "cnn")


class Curves(CurvesKeys):
    """Learning curves: a curve for each combination of the lists."""

    net: Several[Literal["transformer", "transformer_positions", "lcn", "cnn"]] = Field(
        description="network; transformer: without positions"
    )
    P_over_law: Scales = sizes_over("n_c m^L (s0+1)^2")
    seeds: Seeds = Field(3, description=SEEDS)
    max_steps: PositiveInt | None = Field(
        None, description="steps after which training stops; absent: the section's"
    )


class AttentionSection(Keys):
    """Transformers without and with positions, and LCN and CNN beside them."""

    width: PositiveInt = Field(
        32, description="numbers of a token of a transformer, a multiple of its 4 heads"
    )
    channels: PositiveInt = Field(64, description="channels of each hidden layer of LCN and CNN")
    n_test: int = Field(2000, ge=50, strict=True, description="test points")
    max_steps: PositiveInt = Field(10_000, description="steps after which training stops")
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")

    @model_validator(mode="after")
    def _whole_heads(self) -> "AttentionSection":
        if self.width % HEADS:
            raise ValueError(f"width = {self.width}: allowed are multiples of {HEADS}")
        return self


def law(curve: Mapping[str, Any]) -> float:
    """n_c m^L (s_0+1)^2, P* of Eq. 4 and, at L = 2 without its factor, of Eq. 3."""
    return float(curve["n_c"] * curve["m"] ** curve["L"] * (curve["s0"] + 1) ** 2)


LEARNER = Learner(
    function="srhm_studies.learning_curves.attention.experiment:run",
    law=law,
    measured={"S": float, "D": float, "bag_error": float},
)
CELLS, SAMPLE_COMPLEXITY = LEARNER.cells, complexities(LEARNER.columns)


def plan(section: AttentionSection, directory: Path, *, trainer: Trainer) -> Planned:
    """The cells of all groups. A job has those of one net, L, v and s_0."""
    names = ("net", "L", "s", "s0", "v", "n_c", "m")
    label = "attention-{net}-L{L}-v{v}-s0_{s0}".format_map
    return planned(trainer, LEARNER.families(section.curves, names, label, lambda group, curve: {
        "width": section.channels if curve["net"] in CONVOLUTIONAL else section.width,
        "n_test": section.n_test, "max_steps": group.max_steps or section.max_steps,
    }))  # fmt: skip


def seconds(cell: Mapping[str, Any]) -> float:
    """Seconds that a cell takes on one core: 5 ms and 0.35 ms a place for a transformer's step."""
    if cell["net"] in CONVOLUTIONAL:
        return 0.3 + 1.5e-5 * min(cell["max_steps"], 5_000 + 8 * cell["P"])
    places = (cell["s"] * (cell["s0"] + 1)) ** cell["L"]
    fits = cell["net"] == "transformer_positions"
    steps = min(cell["max_steps"], 800 + cell["P"]) if fits else cell["max_steps"]
    return 1 + (5e-3 + 3.5e-4 * places) * steps * (cell["width"] / 32)
