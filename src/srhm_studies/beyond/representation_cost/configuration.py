"""Section of the representation cost, its cells and its tables. Imports no torch.

The maps are here with what is known of them before they are learnt. Source: A. Jacot, talk
"Bottleneck structure in large depth networks" (2023), slides "Infinite Depth Limit", "First
correction" and "Identity cost". The slides name no map.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, nan
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
from srhm.experiments.cells import schema
from srhm.experiments.groups import CurveCells, planned
from srhm.model.grammar import GrammarError, parameters_of

# Singular values above it count as near 1, as in the study of the SRHM's layers.
LARGE = 0.5
# Of the matrices of deep linear networks, whose rank is how many of them are taken.
SINGULAR_VALUES = (2.0, 1.0, 0.5)
BEND = 0.5  # slopes 1 - BEND and 1 + BEND on both sides of 0


@dataclass(frozen=True, kw_only=True)
class Map:
    """What is known of a map beforehand.

    jacobian_rank, bottleneck_rank: Rank_J and Rank_BN, between which R^(0) lies. first_correction:
    a lower bound of R^(1), 2 log |Jf|_+ at its largest.
    """

    jacobian_rank: int
    bottleneck_rank: int
    first_correction: float


def _bent(rank: int) -> Map:
    return Map(jacobian_rank=rank, bottleneck_rank=rank, first_correction=2 * rank * log(1 + BEND))


# rank k: x -> B phi(A x), A of k orthonormal rows, B of k orthonormal columns, phi(z) = z + |z|/2
# for each coordinate. It is a bijection after a matrix of rank k after a bijection, for which
# R^(0) = k is proven. circle: the identity on a circle, whose local dimension is 1 and which no
# line holds. square: the identity on a square of positive coordinates, whose R^(1) is 0.
MAPS: Mapping[str, Map] = {
    "rank 1": _bent(1),
    "rank 2": _bent(2),
    "rank 3": _bent(3),
    "circle": Map(jacobian_rank=1, bottleneck_rank=2, first_correction=nan),
    "square": Map(jacobian_rank=2, bottleneck_rank=2, first_correction=0.0),
}


PACKAGE = "srhm_studies.beyond.representation_cost"
# Functions of experiments in a module of their own.
ALONE = {"linear": f"{PACKAGE}.linear:run", "factorisation": f"{PACKAGE}.factorisation:run"}
MapName = Literal["rank 1", "rank 2", "rank 3", "circle", "square"]
# L counts the weight matrices; the middle half of two is not defined.
Depths = Several[Annotated[int, Field(ge=3, le=100, strict=True)]]
PLANE = 2  # dimension of the circle and of the square
N_TEST = 1000  # points of a grammar, and starts of a descent, for testing


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
# Those of each experiment.
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
    families = []
    for experiment, names in COORDINATES.items():
        groups = getattr(section, experiment)
        for group in groups if isinstance(groups, list) else [groups]:
            if group is None:
                continue
            if isinstance(group, Hierarchy):
                try:
                    grammar = parameters_of({**dict(group), "L": group.levels})
                except GrammarError as error:
                    raise ConfigError(f"  hierarchy: {error}") from error
                if max(group.n) > (most := grammar.n_distinct - N_TEST):
                    raise ConfigError(
                        f"  hierarchy.n: {max(group.n)} is not allowed: the grammar has"
                        f" {grammar.n_distinct} distinct data, {N_TEST} of which are for testing;"
                        f" allowed are 1 to {max(most, 0)}"
                    )
            function = ALONE.get(experiment, f"{PACKAGE}.experiment:{experiment}")
            if not isinstance(group, Maps):
                cells = combinations(group, *names, experiment=experiment)
                families.append(CurveCells(name=experiment, function=function, cells=cells))
                continue
            for name in group.maps:
                given: dict[str, Any] = {"d": PLANE} if name in ("circle", "square") else {}
                cells = combinations(group, *names, experiment=experiment, map=name, **given)
                label = f"{experiment}-{name}".replace("_", "-").replace(" ", "-")
                families.append(CurveCells(name=label, function=f"{PACKAGE}.experiment:maps",
                                           cells=cells))  # fmt: skip
    return planned(trainer, families)


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

COLUMNS = {"experiment": str, "map": str} | {
    name: float if name in ("penalty", "annealing", "learning_rate") else int
    for name in ("rank", "L", "width", "n", "d", "penalty", "annealing", "steps", "learning_rate",
                 "grid", "outputs", "places", "reach", "frames", "T", "levels", "s", "v", "m",
                 "n_c", "s0")
}  # fmt: skip
CELLS = schema({**COLUMNS, **dict.fromkeys((
    "loss", "variance", "squared_parameters", "of_biases", "weight_rank", "cost_of_target",
    "cost_of_map", "jacobian_rank", "geodesic_distance", "structure", "structure_of_proof",
    "structure_bound", "log_jacobian", "signal", "signal_bound", "sharpness", "train_error",
    "test_error", "tripoints", "representation_rank", "explained_overlap", "explained_rest",
    "explained_signed_overlap", "explained_one_coordinate", "path_bound",
), float)})  # fmt: skip
# A row for each weight matrix, l = 1 ... L.
LAYERS = schema({
    "k": int, "squared_parameters": float, "n_large": int, "n_visible": int,
    **dict.fromkeys(("representation_norm", "distance", "geodesic_distance", "apart_true",
                     "apart_full"), float),
}, long=True)  # fmt: skip
# A row for each of the largest singular values of a weight matrix at a frequency, number 1, 2, ...
VALUES = schema({"k": int, "frequency": int, "number": int, "value": float}, long=True)
# The class at each point of a grid.
REGIONS = schema({"row": int, "column": int, "class": int}, long=True)
# The middle representation of new starts, and the statistics of these.
COMPONENTS = schema({"first": float, "second": float, "overlap": float, "rest": float}, long=True)
