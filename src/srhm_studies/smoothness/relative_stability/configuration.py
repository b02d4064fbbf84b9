"""Section of the study, its cells, and how long they take. Imports no torch."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from srhm.declare.keys import Keys, PositiveInt, Scales, Seeds, Several, Sizes, combinations
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import CurveCells, planned
from srhm.images.deformations import largest_temperature, temperature_of
from srhm.images.plan import ImageTraining
from srhm.images.readers import SETS
from srhm.networks.registry import NAMED, PRIMITIVE, stand_in

HERE = "srhm_studies.smoothness.relative_stability"
# Pixels on a side, images for training and for testing.
IMAGES = {
    "digits": (16, 1200, 597),
    "digits8": (8, 1200, 597),
    "mnist5k": (28, 4000, 1000),
    "mnist5k_coarse": (28, 4000, 1000),
    "fashion": (28, 60_000, 10_000),
    "mnist": (28, 60_000, 10_000),
    "cifar10": (32, 50_000, 10_000),
}
EMPTY = {"mnist": "The figure on all of MNIST is empty: `make mnist` gets its images.",
         "cifar10": "The figure on CIFAR-10 is empty: `make cifar` gets its images."}  # fmt: skip
# Of images of which rows are shipped: what is published of them is drawn without their files.
SHIPPED = {"mnist5k": "mnist5k", "mnist5k_coarse": "mnist5k", "fashion": "fashion"}

Data = Literal["digits", "digits8", "mnist5k", "mnist5k_coarse", "fashion", "mnist", "cifar10"]


class Networks(Keys):
    """Networks trained on images, of which the stability is measured before and after."""

    data: Several[Data] = Field(
        ["digits"], description="digits, at 16 x 16; digits8, as they are; mnist5k: 5000 of MNIST"
        " (make env-images); mnist5k_coarse: these at 8 x 8 and back; fashion (make fashion);"
        " mnist, cifar10 (make mnist, make cifar); left out where their files are not",
    )  # fmt: skip
    net: Several[str] = Field(
        description=f"{', '.join(PRIMITIVE)}, or a named net in two dimensions"
    )
    width: PositiveInt = Field(
        64, description="units of a hidden layer of an fc; else channels of the stage that has 64"
        " in the published net",
    )  # fmt: skip
    P: Sizes = Field(description="training images; on digits at most 1200, on mnist5k 4000")
    seeds: Seeds = Field(5, description="seeds 0, 1, ...: images, weights, order, deformations")
    n_test: PositiveInt = Field(597, description="test images of which the error is taken")
    n_points: Annotated[int, Field(ge=2, strict=True)] = Field(
        500, description="test images that are deformed"
    )
    n_draws: PositiveInt = Field(1, description="deformations, and noises, of each image")
    cutoff: Annotated[int, Field(ge=2, strict=True)] = Field(3, description="cut-off c")
    displacement: Annotated[float, Field(ge=0.5, le=10)] = Field(
        1.0, description="root mean squared displacement, in pixels"
    )
    scans: bool = Field(True, description="at the largest P: R_f by depth and against the"
                        " displacement, G_f against the noise")  # fmt: skip
    training: ImageTraining = ImageTraining()  # type: ignore[call-arg]

    @model_validator(mode="after")
    def _possible(self) -> "Networks":
        unknown = [net for net in self.net if net not in (*PRIMITIVE, *NAMED)]
        if unknown:
            raise ValueError(f"net {', '.join(unknown)}: allowed are {', '.join(PRIMITIVE)},"
                             f" {', '.join(NAMED)}")  # fmt: skip
        for data in self.data:
            size, n_training, n_test = IMAGES[data]
            if not self.training.batch_size <= min(self.P) <= max(self.P) <= n_training:
                raise ValueError(f"P = {self.P}: allowed on {data} are {self.training.batch_size}"
                                 f" (one batch) to {n_training}")  # fmt: skip
            if max(self.n_test, self.n_points) > n_test:
                raise ValueError(f"n_test, n_points: {data} has {n_test} test images")
            if temperature_of(
                self.displacement, size=size, cutoff=self.cutoff
            ) >= largest_temperature(self.cutoff):
                raise ValueError(f"displacement = {self.displacement} at cutoff = {self.cutoff}:"
                                 f" images of {size} x {size} fold (Eq. 14)")  # fmt: skip
        return self


class Fields(Keys):
    """Deformations alone, against their formulas."""

    size: Sizes = Field([16], description="pixels on a side")
    cutoff: Several[Annotated[int, Field(ge=2, strict=True)]] = Field(description="cut-off c")
    times_bound: Scales = Field(description="temperature over the bound 4 / (pi^3 c^2 ln c)")
    n_fields: PositiveInt = Field(500, description="fields")
    seeds: Seeds = Field(1, description="seeds 0, 1, ... of the fields")


class _Flows(Keys):
    """Networks trained by gradient flow."""

    width: PositiveInt = Field(description="channels H")
    P: Sizes = Field(description="training points")
    alpha_tilde: Scales = Field([0.1], description="output scale; small: features, large: lazy")
    seeds: Seeds = Field(4, description="seeds 0, 1, ...: data, weights, changes")
    max_evaluations: PositiveInt = Field(description="gradients at most")
    n_test: PositiveInt = Field(1000, description="test points of which the error is taken")
    n_points: Annotated[int, Field(ge=2, strict=True)] = Field(
        500, description="test points that are changed, at most n_test"
    )
    n_draws: PositiveInt = Field(2, description="changes, and noises, of each point")


class Stripes(_Flows):
    """Networks of one hidden layer on the stripe model."""

    d: Annotated[int, Field(ge=2, strict=True)] = Field(5, description="inputs")


class Hierarchies(_Flows):
    """Networks on the SRHM, s = 2 and m = n_c = v."""

    net: Several[Literal["cnn", "lcn", "fcn"]] = Field(description="cnn, lcn, fcn")
    L: PositiveInt = Field(2, description="depth of the hierarchy")
    v: Annotated[int, Field(ge=2, strict=True)] = Field(4, description="features")
    s0: PositiveInt = Field(1, description="empty places for each informative one")


class RelativeStabilitySection(Keys):
    """Relative stability to diffeomorphisms (thesis, chapter 4)."""

    networks: list[Networks] = Field([], description="networks on images")
    fields: list[Fields] = Field([], description="deformations alone")
    stripes: list[Stripes] = Field([], description="the stripe model")
    hierarchies: list[Hierarchies] = Field([], description="the SRHM")


def plan(section: RelativeStabilitySection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each data set, net and output scale, and one for each cut-off of the fields.

    Raises:
        ConfigError: if a cell is asked for twice.
    """
    wanted = {data for group in section.networks for data in group.data}
    absent = {
        str(data): empty
        for data, empty in EMPTY.items()
        if data in wanted and not (directory / SETS[data].folder).is_dir()
    }
    shipped: dict[str, str] = {
        data: SETS[name].notice(directory) or "" for data, name in SHIPPED.items() if data in wanted
    }
    families = [*_networks(section.networks, absent, shipped), *_flows(section)]
    for group in section.fields:
        for curve in combinations(group, "size", "cutoff", experiment="fields"):
            cells = combinations(group, "times_bound", "n_fields", "seed", **curve)
            name, run = f"fields-n{curve['size']}-c{curve['cutoff']}", "flows:deformation_fields"
            families.append(
                CurveCells(name=name, function=f"{HERE}.{run}", cells=cells, long=False)
            )
    return planned(trainer, families, absent="\n".join(absent.values()))


def _networks(
    groups: Iterable[Networks], absent: Mapping[str, str], missing: Mapping[str, str]
) -> Iterator[CurveCells]:
    """absent: data that are not planned; missing: why others cannot be computed here."""
    names = ("width", "n_test", "n_points", "n_draws", "cutoff", "displacement", "P", "seed")
    for group in groups:
        given: dict[str, Any] = {"experiment": "networks", "P": sorted(set(group.P))}
        for curve in combinations(group, "data", "net", **given):
            if curve["data"] in absent:
                continue
            cells = [
                {**cell, "scans": group.scans and max(group.P) == cell["P"]}
                for cell in combinations(group, *names, **group.training.model_dump(), **curve)
            ]
            name = f"{curve['data']}-{curve['net']}-h{group.width}"
            size = "large" if curve["data"] in SHIPPED else "small"
            function = f"{HERE}.experiment:stability_on_{size}_images"
            absent_data = missing.get(curve["data"], "")
            yield CurveCells(name=name, function=function, cells=cells, missing=absent_data)


def _flows(section: RelativeStabilitySection) -> Iterator[CurveCells]:
    kinds: list[tuple[str, str, Sequence[_Flows]]] = [
        ("stripe", "stripe", section.stripes), ("hierarchy", "srhm", section.hierarchies)
    ]  # fmt: skip
    for kind, data, groups in kinds:
        for group in groups:
            net = getattr(group, "net", "fcn")
            for curve in combinations(group, "net", "alpha_tilde", net=net):
                curve |= {"alpha_tilde": float(curve["alpha_tilde"]), "P": sorted(set(group.P))}
                cells = combinations(group, experiment=kind, data=data, **curve)
                name = f"{data}-{curve['net']}-a{curve['alpha_tilde']:g}"
                function = f"{HERE}.flows:stability_of_flow"
                yield CurveCells(name=name, function=function, cells=cells)


# Seconds of a step on a batch of 32 digits, on one core; of a named net with 8 channels.
STEP = {"fc2": 0.0008, "fc4": 0.001, "fc6": 0.0012, "lenet": 0.004, "vgg11": 0.008,
        "vgg11_bn": 0.01, "vgg16": 0.015, "vgg16_bn": 0.018, "resnet18": 0.024,
        "resnet34": 0.042, "efficientnetb0": 0.05, "efficientnetb1": 0.06,
        "efficientnetb2": 0.06}  # fmt: skip


def seconds(cell: Mapping[str, Any]) -> float:
    """Expected seconds of a cell on one core."""
    if cell["experiment"] == "fields":
        return 0.05 + 6e-9 * cell["n_fields"] * (cell["size"] * cell["cutoff"]) ** 2
    if cell["experiment"] in ("stripe", "hierarchy"):
        evaluation = 7e-6 if cell["experiment"] == "stripe" else 1.3e-5
        return float(0.3 + evaluation * cell["P"] * cell["max_evaluations"] / 2)
    pixels = (IMAGES[cell["data"]][0] / 16) ** 2
    step = STEP[stand_in(cell["net"])] * pixels * cell["batch_size"] / 32
    step *= 1 if cell["net"] in PRIMITIVE else max(1.0, cell["width"] / 8)
    return float(1 + step * (cell["max_steps"] + (300 if cell["scans"] else 50)))
