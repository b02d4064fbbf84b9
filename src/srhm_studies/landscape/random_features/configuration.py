"""Section of the study, its cells, and how long they take. Loads neither torch nor scikit-learn."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from srhm.declare.keys import Keys, PositiveInt, Scales, Seeds, Several, Sizes, combinations
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import CurveCells, planned
from srhm.model.grammar import GrammarParameters

# Two classes, whose labels are 1 and -1; 8,192 distinct data.
HIERARCHY = GrammarParameters(
    depth=2, branching=2, n_features=4, n_synonyms=4, n_classes=2, n_empty=1
)
N_DIGITS = 1797


Data = Literal["sphere", "digits", "srhm"]
FUNCTION = "srhm_studies.landscape.random_features.experiment:errors_of_features"


class Features(Keys):
    """Random features on one or several kinds of data, a curve each."""

    data: Several[Data] = Field(
        description="sphere (linear teacher), digits (parity), srhm (two classes)"
    )
    P: Sizes = Field(description="training points")
    N_over_P: Scales = Field(description="features over training points")
    members: int = Field(20, ge=2, le=1000, strict=True, description="of an ensemble")
    seeds: Seeds = Field(5, description="seeds 0, 1, ... of data and features")
    n_test: PositiveInt = Field(500, description="test points")
    d: int = Field(30, ge=2, le=1000, strict=True, description="dimension of the sphere's space")
    noise: float = Field(
        0.3, ge=0, le=10, description="standard deviation on the sphere's training labels"
    )

    @model_validator(mode="after")
    def _enough_distinct_data(self) -> Self:
        most = {"digits": N_DIGITS, "srhm": HIERARCHY.n_distinct, "sphere": 10**9}
        for name in self.data:
            if max(self.P) + self.n_test > most[name]:
                raise ValueError(
                    f"P = {max(self.P)} and n_test = {self.n_test} of {name}: together they are at"
                    f" most {most[name]}"
                )
        if min(self.P) * min(self.N_over_P) < 1:
            raise ValueError("N_over_P below 1/P: at least one feature is needed")
        return self


class RandomFeaturesSection(Keys):
    """A frozen first layer and a readout without ridge (thesis, chapter 8)."""

    curves: list[Features] = Field(min_length=1, description="kinds of data and their sizes")


def plan(section: RandomFeaturesSection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each kind of data of each group.

    Raises:
        ConfigError: if a cell is asked for twice.
    """
    names = ("P", "N_over_P", "seed", "members", "n_test")
    return planned(trainer, [
        CurveCells(name=data, function=FUNCTION, long=False, cells=[
            {**cell, "N": round(cell["N_over_P"] * cell["P"])}
            for cell in combinations(
                group, *names, *(("d", "noise") if data == "sphere" else ()), data=data)
        ])
        for group in section.curves for data in group.data
    ])  # fmt: skip


def seconds(cell: dict[str, Any]) -> float:
    """Expected processor seconds of a cell: a factorisation of (P, N) for each member."""
    P, N = cell["P"], cell["N"]
    return float(0.02 + cell["members"] * (6e-10 * P * N * min(P, N) + 2e-8 * N * cell["n_test"]))
