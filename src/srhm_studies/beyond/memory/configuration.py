"""Section of the study of a finite memory, its cells and its tables. Imports no torch."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from srhm.declare.keys import Keys, PositiveInt, Seeds, Several, combinations
from srhm.declare.study import Planned, Trainer
from srhm.experiments.cells import schema
from srhm.experiments.groups import CurveCells, planned

Parts = Several[Annotated[float, Field(gt=0, lt=1)]]
Resets = Several[Annotated[float, Field(ge=1e-10, lt=1)]]
States = Several[Annotated[int, Field(ge=1, le=64, strict=True)]]
Plays = Several[Annotated[int, Field(ge=2, le=5, strict=True)]]
Start = Literal["random", "linear", "columns", "ccp", "cycles", "necklace"]

STARTS_OF: dict[str, tuple[str, ...]] = {
    "ram": ("random", "linear", "columns", "ccp"),
    "memento": ("random", "cycles", "necklace"),
}
COMPUTED = "srhm_studies.beyond.memory.cells"
CELLS = schema({
    "experiment": str, "memory": str, "size": int, "mu": float, "r": float, "start": str,
    "exit_inside": float, "t_end": float, "max_evaluations": int, "q": float, "q_limit": float,
    "exit_rate": float, "exit_rate_inside": float, "exit_rate_limit": float, "n_necklaces": int,
    "n_chain": int, "t": float, "evaluations": int, "slope": float,
})  # fmt: skip
HISTORY = schema({"t": float, "q": float}, long=True)
NECKLACE: dict[str, Any] = {"memory": "memento", "start": "necklace"}
# By the key of a part that is one curve: its function, the keys whose lists are crossed, and what
# all of its cells have.
TABLES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "columns": ("best_columns", ("size=M", "mu", "r"), {"memory": "ram", "start": "ccp"}),
    "necklaces": ("necklaces_in_the_limit", ("size=m", "mu", "exit_inside"), NECKLACE),
    "best_necklaces": ("best_necklaces", ("size=m", "mu", "r"), NECKLACE),
}


class Columns(Keys):
    """Column of confidence policies with their best exit rate."""

    M: States = Field(description="memory states")
    mu: Parts = Field(description="μ, the arms pay +1 with probability (1 ± μ)/2")
    r: Parts = Field(description="probability of a reset")


class Necklaces(Keys):
    """Necklace policies as r and ε₀ vanish."""

    m: Plays = Field(description="plays that are remembered")
    mu: Parts = Field(description="μ, the arms pay +1 with probability (1 ± μ)/2")
    exit_inside: Parts = Field(description="ε₁; ε₀ is its fourth power")


class BestNecklaces(Keys):
    """Necklace policies with their best ε₀ and ε₁."""

    m: Plays = Field(description="plays that are remembered")
    mu: Parts = Field(description="μ, the arms pay +1 with probability (1 ± μ)/2")
    r: Resets = Field(description="probability of a reset, 1e-10 or more")


class Learning(Keys):
    """Policies that are learnt by gradient flow."""

    memory: Literal["ram", "memento"] = Field(description="ram, memento")
    size: States = Field(description="M states of a ram; m plays of a memento, 5 at most")
    start: Several[Start] = Field(
        description="ram: random, linear, columns, ccp; memento: random, cycles, necklace"
    )
    mu: Parts = Field(description="μ, the arms pay +1 with probability (1 ± μ)/2")
    r: Resets = Field(description="probability of a reset, 1e-10 or more")
    t_end: float = Field(1e9, ge=10, le=1e12, description="time at which the flow ends")
    max_evaluations: PositiveInt = Field(20_000, description="gradients at most")
    seeds: Seeds = Field(5, description="seeds 0, 1, ... of the start; ccp has one")

    @model_validator(mode="after")
    def _starts_of_the_memory(self) -> Self:
        allowed = STARTS_OF[self.memory]
        for start in self.start:
            if start not in allowed:
                raise ValueError(
                    f"start {start!r} is none of a {self.memory}; allowed are {', '.join(allowed)}"
                )
        if self.memory == "memento" and max(self.size) > 5:
            raise ValueError(f"size {max(self.size)} of a memento; allowed are 1 to 5 plays")
        return self


class MemorySection(Keys):
    """Two hypotheses, two arms and a finite memory (thesis, chapter 7)."""

    columns: list[Columns] = Field(min_length=1, description="the best columns of confidence")
    necklaces: list[Necklaces] = Field(min_length=1, description="necklace policies, r → 0")
    best_necklaces: list[BestNecklaces] = Field(min_length=1, description="necklace policies at r")
    learning: list[Learning] = Field(min_length=1, description="policies that are learnt")


def plan(section: MemorySection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each group of the section; for each memory, size, start, μ and r of learning.

    Raises:
        ConfigError: if a cell is asked for twice.
    """
    families = []
    for experiment, (function, names, given) in TABLES.items():
        cells = [
            {"experiment": experiment, **cell}
            for group in getattr(section, experiment)
            for cell in combinations(group, *names, **given)
        ]
        name, run = experiment.replace("_", "-"), f"{COMPUTED}:{function}"
        families.append(CurveCells(name=name, function=run, cells=cells))
    for group in section.learning:
        for policy in combinations(group, "memory", "size", "start"):
            given = {"seed": 0} if policy["start"] == "ccp" else {}
            flows = combinations(
                group, "mu", "r", "seed", "t_end", "max_evaluations", experiment="learning",
                **policy, **given,
            )  # fmt: skip
            name = f"{policy['memory']}-{policy['size']}-{policy['start']}"
            families.append(CurveCells(name=name, function=f"{COMPUTED}:learn", cells=flows))
    return planned(trainer, families)


def seconds(cell: dict[str, Any]) -> float:
    """Expected processor seconds of a cell, as measured on one busy core.

    A flow ends after a quarter of its budget; a gradient is two solves of n unknowns twice.
    """
    if cell["experiment"] == "learning":
        n = 4 * cell["size"] if cell["memory"] == "ram" else 4 ** (cell["size"] + 1) / 3
        return float(cell["max_evaluations"] / 4 * (3e-4 + 8e-8 * n**2))
    if cell["experiment"] == "columns":
        return 0.02
    if cell["experiment"] == "necklaces":
        return 0.1 if cell["size"] < 4 else 20.0
    return 0.1 if cell["size"] < 4 else 10.0
