"""Section of the study, its cells, and its tables. Imports neither torch nor e3nn."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from srhm.declare.keys import Keys, Positive, PositiveInt, Seeds, Several, Sizes, combinations
from srhm.declare.study import Planned, Trainer
from srhm.experiments.cells import schema
from srhm.experiments.groups import CurveCells, planned

HERE = "srhm_studies.beyond.equivariance"
MISSING = (
    "The cells of equivariance need e3nn, which is not installed.\n"
    "`make env-equivariance` installs it (1 MB); published rows are drawn without it."
)
FEWEST = 9  # voxels along a side
CELLS = schema({
    "experiment": str, "net": str, "act": str, "low_pass": bool, "blur": float, "place": str,
    "padding": int, "first": float, "bias": bool, "turns": str, "train": str, "width": float,
    **dict.fromkeys(("depth", "n", "band"), int), "oversampling": float,
    **dict.fromkeys(("rotations", "n_test", "epochs", "batch", "steps"), int),
    **dict.fromkeys(("learning_rate", "accuracy", "accuracy_NR", "accuracy_R", "train_accuracy",
                     "loss"), float),
    "parameters": int, "error": float,
})  # fmt: skip
BASIS = schema(
    {"J": int, "row": int, "column": int, "u": float, "v": float, "value": float}, long=True
)
# Layers 1 to 4 of a trained network, 5: the scores of the classes.
LAYERS = schema({"layer": int, "error": float, "distance": float, "recognised": float}, long=True)
# The same of each block; nearest: which other one is, by its distance. Not of all networks.
BLOCKS = schema({
    "layer": int, "block": int, "change": float, "distance": float, "nearest": int,
    "recognised": float,
}, long=True)  # fmt: skip

# n = 1 + a multiple of 4 stays symmetric under two strides of 2, which exactness needs.
Grids = Several[Annotated[int, Field(ge=FEWEST, le=65, strict=True)]]
Bands = Several[Annotated[int, Field(ge=2, le=16, strict=True)]]
Oversampling = Several[Annotated[float, Field(ge=1, le=4)]]
Depths = Several[Annotated[int, Field(ge=1, le=4, strict=True)]]
Net = Literal["steerable", "plain"]
VoxelAct = Literal["none", "gate", "norm", "components"]
SphereAct = Literal["none", "relu", "softplus", "square"]


class Tetris(Keys):
    """Blocks that are learnt in one orientation."""

    net: Several[Net] = Field(["steerable", "plain"], description="steerable, plain")
    low_pass: Several[bool] = Field(
        [False, True], description="whether a filter precedes each stride"
    )
    n: Grids = Field(description="voxels along a side; 1 + a multiple of 4: exact on the cube")
    width: Several[Positive] = Field([1.0], description="times the number of fields of Table 1")
    steps: PositiveInt = Field(description="steps of Adam, each on all eight blocks")
    learning_rate: Positive = Field(0.002, description="of Adam")
    rotations: PositiveInt = Field(20, description="of each block in the test")
    seeds: Seeds = Field(17, description="seeds 0, 1, ...: initialisation, rotations")


class Layers(Keys):
    """Steerable networks that learn blocks in one orientation, compared layer by layer."""

    low_pass: Several[bool] = Field([True], description="whether there is a filter at each stride")
    blur: Several[Positive] = Field([2.0], description="standard deviation of the filter, voxels")
    place: Several[Literal["before", "behind"]] = Field(
        ["before"], description="filter before the convolution, or behind the gates"
    )
    padding: Several[Literal[2, 4]] = Field([2], description="zeros around a layer's input")
    first: Several[Positive] = Field(description="times the fields of Table 1, layer 1")
    bias: Several[bool] = Field([False], description="whether scalars and gates have a bias")
    train: Several[Literal["NR", "R"]] = Field(
        ["NR"], description="blocks along the axes, or each in a random rotation"
    )
    n: Grids = Field(description="voxels along a side; 1 + a multiple of 4: exact on the cube")
    width: Positive = Field(1.0, description="times the fields of Table 1, layers 2 to 4")
    steps: Annotated[int, Field(ge=0, strict=True)] = Field(
        description="steps of Adam, each on all eight blocks"
    )
    learning_rate: Positive = Field(0.002, description="of Adam")
    rotations: PositiveInt = Field(20, description="of each block in the test")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...: initialisation, rotations")


class OfVoxels(Keys):
    """Errors of networks on voxels, which are not trained."""

    net: Several[Net] = Field(["steerable"], description="steerable, plain (components alone)")
    act: Several[VoxelAct] = Field(
        ["gate"], description="none, gate, norm, components (not equivariant)"
    )
    low_pass: Several[bool] = Field(
        [False, True], description="whether a filter precedes each stride"
    )
    turns: Several[Literal["cube", "random"]] = Field(
        ["cube", "random"], description="cube: its 24 rotations; random: all"
    )
    n: Grids = Field(description="voxels along a side; 1 + a multiple of 4: exact on the cube")
    depth: Depths = Field([4], description="layers")
    width: Positive = Field(1.0, description="times the number of fields of Table 1")
    rotations: PositiveInt = Field(8, description="rotations of all blocks")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...: initialisation, rotations")


class OfSphere(Keys):
    """Errors of correlations on SO(3), which are not trained."""

    act: Several[SphereAct] = Field(description="none, relu, softplus, square")
    band: Bands = Field(description="band limit b")
    oversampling: Oversampling = Field([1.0], description="points along an angle, over 2b")
    depth: Depths = Field(description="correlations")
    rotations: PositiveInt = Field(20, description="rotations, each of another signal")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...: filters, signals, rotations")


class SphereDigits(Keys):
    """Digits on the sphere."""

    net: Several[Literal["planar", "spherical"]] = Field(
        ["planar", "spherical"], description="planar, spherical"
    )
    train: Several[Literal["NR", "R"]] = Field(
        ["NR", "R"], description="NR, R: rotated at random; both are tested"
    )
    band: Annotated[int, Field(ge=8, le=30, strict=True)] = Field(
        10, description="band limit b; 2b points along an angle"
    )
    epochs: PositiveInt = Field(description="passes through the training set")
    batch: PositiveInt = Field(32, description="digits of a step of Adam")
    learning_rate: Positive = Field(description="of Adam")
    n_test: Annotated[int, Field(ge=100, le=1700, strict=True)] = Field(
        600, description="test digits of 1797"
    )
    seeds: Seeds = Field(5, description="seeds 0, 1, ...: initialisation, digits, rotations")


class EquivarianceSection(Keys):
    """Networks that are equivariant under rotations (thesis, chapter 5)."""

    tetris: list[Tetris] = Field([], description="blocks of Tetris")
    layers: list[Layers] = Field([], description="layers of networks that learnt blocks")
    voxels: list[OfVoxels] = Field([], description="equivariance errors on voxels")
    sphere: list[OfSphere] = Field([], description="equivariance errors on SO(3)")
    digits: list[SphereDigits] = Field([], description="digits on the sphere")
    basis: Sizes = Field([101], description="points along a side of the picture of kernels")


FUNCTIONS = {
    "tetris": f"{HERE}.experiment:tetris",
    "layers": f"{HERE}.trained:run",
    "voxels": f"{HERE}.experiment:of_voxels",
    "sphere": f"{HERE}.experiment:of_sphere",
    "digits": f"{HERE}.experiment:digits",
}


def plan(section: EquivarianceSection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each network and kind of error; what is missing where e3nn is not installed.

    A job loads e3nn, which takes as long as many cells.

    Raises:
        ConfigError: if a cell is asked for twice.
    """
    missing = "" if find_spec("e3nn") else MISSING
    families = []
    for kind, function in FUNCTIONS.items():
        for group in getattr(section, kind):
            for net in [{"net": net} for net in getattr(group, "net", [])] or [{}]:
                cells = combinations(group, experiment=kind, **net)
                name, long = "-".join([kind, *net.values()]), kind == "layers"
                families.append(CurveCells(name=name, function=function, cells=cells, long=long,
                                           missing=missing))  # fmt: skip
    pictures = combinations(section, "n=basis", experiment="basis")
    families.append(CurveCells(name="basis", function=f"{HERE}.experiment:basis", cells=pictures,
                               missing=missing))  # fmt: skip
    return planned(trainer, families)


def seconds(cell: Mapping[str, Any]) -> float:
    """Expected seconds of a cell on one core, as measured."""
    experiment = cell["experiment"]
    if experiment in ("tetris", "voxels"):
        # A step on eight blocks at 17 voxels and a quarter of the width.
        step = 0.1 * (cell["n"] / 17) ** 3 * (cell["width"] / 0.25) ** 1.5
        steps = cell["steps"] if experiment == "tetris" else cell["rotations"] / 3
        return float(0.5 + step * steps)
    if experiment == "layers":
        wide, behind, padded = (
            cell["first"] > cell["width"], cell["place"] == "behind", cell["padding"] > 2
        )  # fmt: skip
        factor = (2 if wide else 1) * (4 if behind else 1) * (6 if padded else 1)
        step = 0.1 * factor * (cell["n"] / 17) ** 3 * (cell["width"] / 0.25) ** 1.5
        return float(0.5 + step * (cell["steps"] + cell["rotations"] / 3))
    if experiment == "sphere":
        points = (cell["band"] * cell["oversampling"]) ** 3
        return float(0.2 + 3e-7 * cell["depth"] * cell["rotations"] * points * cell["band"] ** 3)
    if experiment == "digits":
        step = 0.02 if cell["net"] == "spherical" else 0.002
        return float(3 + step * cell["epochs"] * 1200 / cell["batch"])
    return 1.0
