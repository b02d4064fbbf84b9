"""Section of the representation cost. Imports no torch."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from srhm.declare.keys import (
    Keys,
    OneOrMore,
    Positive,
    PositiveInt,
    Seeds,
    Several,
    Sizes,
    combinations,
)
from srhm.declare.study import ConfigError, Planned, Trainer
from srhm.experiments.groups import CurveCells, planned
from srhm.model.grammar import GrammarError, parameters_of

PACKAGE = "srhm_studies.beyond.representation_cost"
MapName = Literal["rank 1", "rank 2", "rank 3", "circle", "square"]
# L counts the weight matrices; the middle half of two is not defined.
Depths = Several[Annotated[int, Field(ge=3, le=100, strict=True)]]
PLANE = 2  # dimension of the circle and of the square


class Fits(Keys):
    """What every experiment with networks says of them."""

    L: Depths = Field(description="weight matrices of a network")
    width: PositiveInt = Field(description="channels of the hidden layers")
    n: Sizes = Field(description="training points")
    penalty: Positive = Field(0.1, description="lambda L, weight decay times depth")
    annealing: float = Field(
        1.0, ge=1, le=100, description="times the penalty with which training begins"
    )
    steps: PositiveInt = Field(description="steps of Adam, each on all points")
    learning_rate: Positive = Field(0.005, description="of Adam, at the start")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...: task, points")


# Coordinates of every network that is fitted.
FIT = ("L", "n", "width", "penalty", "annealing", "steps", "learning_rate", "seed")
# Those of each experiment, which is a module but for the maps.
COORDINATES = {
    "linear": ("L", "rank", "d", "seed"),
    "paths": ("rank", "n", "seed"),
    "maps": (*FIT, "d"),
    "few_points": (*FIT, "d"),
    "classes": (*FIT, "grid"),
    "zigzag": (*FIT, "grid"),
    "half": (*FIT, "d", "outputs"),
    "ball": (*FIT, "places", "reach", "frames"),
    "factorisation": (*FIT, "d", "T"),
    "hierarchy": (*FIT, "levels", "s", "v", "m", "n_c", "s0"),
}


class Maps(Fits):
    """Maps of known rank at several depths."""

    maps: Several[MapName] = Field(description="which maps")
    d: int = Field(4, ge=3, le=100, strict=True, description="inputs of the maps of rank 1 to 3")


class Linear(Keys):
    """Deep linear networks."""

    L: Several[Annotated[int, Field(ge=2, le=100, strict=True)]] = Field(
        description="weight matrices"
    )
    rank: Several[Annotated[int, Field(ge=1, le=3, strict=True)]] = Field(
        [1, 2, 3], description="rank of the matrix"
    )
    d: int = Field(5, ge=3, le=50, strict=True, description="inputs and outputs")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...")


class Paths(Keys):
    """Curves through random points."""

    rank: Several[Annotated[int, Field(ge=2, le=10, strict=True)]] = Field(
        [2, 3], description="dimensions of the points"
    )
    n: Sizes = Field(description="points")
    seeds: Seeds = Field(5, description="seeds 0, 1, ...")


class Classes(Fits):
    """Four classes in the plane."""

    grid: int = Field(80, ge=10, le=500, strict=True, description="points along a side")


class Half(Fits):
    """A length alone, or beside its two coordinates."""

    d: int = Field(4, ge=3, le=100, strict=True, description="inputs")
    outputs: Several[Literal[1, 3]] = Field(
        [1, 3], description="1: the length of two coordinates; 3: these besides"
    )


class Ball(Fits):
    """The ball on a ring."""

    places: int = Field(7, ge=4, le=64, strict=True, description="of the ring")
    reach: int = Field(3, ge=0, strict=True, description="places that a filter reads each side")
    frames: PositiveInt = Field(3, description="frames to be continued")

    @model_validator(mode="after")
    def _within_the_ring(self) -> Self:
        most = (self.places - 1) // 2
        if self.reach > most:
            raise ValueError(
                f"reach = {self.reach}: allowed are 0 to {most} on {self.places} places"
            )
        return self


class Factorisation(Fits):
    """Losses along gradient descent."""

    d: int = Field(6, ge=3, le=1000, strict=True, description="components of theta")
    T: PositiveInt = Field(10, description="steps of gradient descent that are learnt")


class Hierarchy(Fits):
    """Classes of a grammar."""

    levels: int = Field(3, ge=1, le=6, strict=True, description="depth of the grammar, L of it")
    s: int = Field(2, ge=2, strict=True, description="branching")
    v: PositiveInt = Field(4, description="features")
    m: PositiveInt = Field(3, description="synonyms")
    n_c: int = Field(4, ge=2, strict=True, description="classes")
    s0: int = Field(0, ge=0, strict=True, description="empty places for each informative one")


class RepresentationCostSection(Keys):
    """The representation cost of deep networks with weight decay."""

    linear: Linear | None = Field(None, description="deep linear networks")
    maps: Annotated[list[Maps], OneOrMore] = Field(
        [], description="maps of known rank at several depths; one group or several"
    )
    few_points: Annotated[list[Maps], OneOrMore] = Field([], description="the same from few points")
    paths: Paths | None = Field(None, description="curves through random points")
    classes: Classes | None = Field(None, description="four classes in the plane")
    zigzag: Classes | None = Field(None, description="four groups on a zigzag")
    half: Half | None = Field(None, description="fewer outputs than the symmetry leaves")
    ball: Ball | None = Field(None, description="a ball on a ring, by convolutions")
    factorisation: Factorisation | None = Field(None, description="losses of gradient descent")
    hierarchy: Hierarchy | None = Field(None, description="classes of a grammar")


def plan(section: RepresentationCostSection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each experiment, and for each map of a group.

    Raises:
        ConfigError: naming the key and what is allowed.
    """
    return planned(trainer, _families(section))


def _families(section: RepresentationCostSection) -> Iterator[CurveCells]:
    for experiment, names in COORDINATES.items():
        groups = getattr(section, experiment)
        for group in groups if isinstance(groups, list) else [groups]:
            if group is None:
                continue
            if isinstance(group, Hierarchy):
                _check_grammar(group)
            if isinstance(group, Maps):
                yield from _maps(group, experiment, names)
                continue
            cells = combinations(group, *names, experiment=experiment)
            yield CurveCells(name=experiment, function=f"{PACKAGE}.{experiment}:run", cells=cells)


def _maps(group: Maps, experiment: str, names: Iterable[str]) -> Iterator[CurveCells]:
    for name in group.maps:
        given: dict[str, Any] = {"d": PLANE} if name in ("circle", "square") else {}
        cells = combinations(group, *names, experiment=experiment, map=name, **given)
        label = f"{experiment}-{name}".replace("_", "-").replace(" ", "-")
        yield CurveCells(name=label, function=f"{PACKAGE}.depth:run", cells=cells)


def _check_grammar(part: Hierarchy) -> None:
    """Refuses a grammar that cannot be, or that has too few data for its points."""
    try:
        grammar = parameters_of({**dict(part), "L": part.levels})
    except GrammarError as error:
        raise ConfigError(f"  hierarchy: {error}") from error
    most = grammar.n_distinct - N_TEST
    if max(part.n) > most:
        raise ConfigError(
            f"  hierarchy.n: {max(part.n)} is not allowed: the grammar has {grammar.n_distinct}"
            f" distinct data, {N_TEST} of which are for testing; allowed are 1 to {max(most, 0)}"
        )


# As `hierarchy.N_TEST`, whose module imports torch.
N_TEST = 1000


def seconds(cell: Any) -> float:
    """Expected processor seconds of a cell on one core of an AMD EPYC (2 threads a core, loaded).

    A step costs some time a layer, and some for each product of a row with a weight.
    """
    if cell["experiment"] == "linear":
        return 0.05 + 0.02 * float(cell["L"])
    if cell["experiment"] == "paths":
        return 0.01 + 1e-7 * float(cell["n"]) ** 2
    rows = float(cell["n"]) * float(cell.get("places", 1))
    filters = float(2 * cell.get("reach", 0) + 1)
    entries = rows * filters * float(cell["width"])
    by_layer = PER_LAYER + entries * (PER_ENTRY + PER_PRODUCT * float(cell["width"]))
    return 0.2 + float(cell["steps"]) * float(cell["L"]) * by_layer


# Fitted by hand to measured cells.
PER_LAYER, PER_PRODUCT, PER_ENTRY = 6e-5, 3e-10, 8e-9
