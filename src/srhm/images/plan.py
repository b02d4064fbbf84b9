"""From the section `images` to the cells that are trained, with their keys. Imports no torch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from srhm.declare.keys import Keys, Several, Sizes, combinations
from srhm.declare.study import ConfigError, Curve, Planned
from srhm.images.deformations import largest_temperature, temperature_of
from srhm.images.readers import RECORDS_PER_FILE, SETS, SIZE, ImagesError, cifar_files
from srhm.networks.registry import NAMED
from srhm.store.provenance import short_hash
from srhm.store.sources import digest_of
from srhm.training.any_trainer import decided_by
from srhm.training.trainers import IMAGES


class ImageTraining(Keys):
    """How the networks are trained; the defaults are those of Petrini et al. 2021."""

    batch_size: int = Field(128, ge=2, le=4096, description="images in a batch; an epoch drops the"
                            " incomplete last batch")  # fmt: skip
    learning_rate: float = Field(0.1, gt=0, le=10, description="rate of SGD at the first step")
    schedule: Literal["cosine", "constant"] = Field(
        "cosine", description="cosine: the rate falls to 0 at max_steps, (1 + cos(pi t)) / 2"
    )
    momentum: float = Field(0.9, ge=0, lt=1, description="momentum of SGD")
    weight_decay: float = Field(5e-4, ge=0, le=1, description="decay of all weights in SGD")
    augmentation: bool = Field(
        False,
        description="crops of the image padded by 4 pixels, and mirror images, drawn anew each"
        " time; off unless asked for",
    )
    loss_threshold: float | None = Field(
        None, gt=0, allow_inf_nan=False,
        description="training ends when the mean loss of an epoch is below; absent: at max_steps,"
        " the same number for every P",
    )  # fmt: skip
    max_steps: int = Field(97_500, ge=1, description="steps; 250 epochs of 50000 images")


class ImageStability(Keys):
    """The deformations that the relative sensitivity R_f is measured with."""

    n_points: int = Field(500, ge=2, description="test images")
    n_draws: int = Field(4, ge=1, le=100, description="deformations, and noises, of each image")
    cutoff: int = Field(3, ge=2, le=SIZE - 1, description="cut-off c of the deformations")
    displacement: float = Field(
        1.0, ge=0.5, le=10, description="root mean squared displacement, in pixels; sets T"
    )
    average: Literal["median", "mean"] = Field(
        "median", description="over images and draws, in D_f and G_f"
    )

    @property
    def temperature(self) -> float:
        """T of this displacement."""
        return temperature_of(self.displacement, size=SIZE, cutoff=self.cutoff)

    @model_validator(mode="after")
    def _invertible(self) -> "ImageStability":
        bound = largest_temperature(self.cutoff)
        if self.temperature >= bound:
            furthest = self.displacement * (bound / self.temperature) ** 0.5
            raise ValueError(
                f"displacement = {self.displacement} at cutoff = {self.cutoff} means"
                f" T = {self.temperature:.3g}: allowed is T below 4 / (pi^3 c^2 ln c) ="
                f" {bound:.3g}, a displacement below {furthest:.3g}, where deformations are"
                " typically invertible"
            )
        return self


class ImagesSection(Keys):
    """Figure 1 A, B: test error on CIFAR-10 against the sensitivity to smooth deformations."""

    folder: str = Field(
        SETS["cifar10"].folder, max_length=200,
        description="where the binary files of CIFAR-10 lie, from the folder that holds results/;"
        " without it Figure 1 A, B stay empty",
    )  # fmt: skip
    records_per_file: int = Field(
        RECORDS_PER_FILE, ge=1,
        description="10000: CIFAR-10; other files of the same format need MD5SUMS beside them",
    )  # fmt: skip
    nets: Several[Literal[tuple(NAMED)]] = Field(  # type: ignore[valid-type]
        ["vgg11_bn", "vgg16_bn", "resnet18", "resnet34", "efficientnetb0"],
        description="named nets, in two dimensions",
    )
    P: Sizes = Field(
        [512, 2048, 8192, 50_000],
        description="training images; panel A shows the largest, panel B all",
    )
    seeds: int = Field(3, ge=1, le=1000, description="seeds 0, 1, ... of each net and P")
    width: int = Field(
        64, ge=1, le=1024, description="channels of the stage that has 64 in the published net"
    )
    n_test: int = Field(10_000, ge=2, description="test images of which the error is taken")
    training: ImageTraining = ImageTraining()  # type: ignore[call-arg]
    stability: ImageStability = ImageStability()  # type: ignore[call-arg]

    @model_validator(mode="after")
    def _sizes(self) -> "ImagesSection":
        available = (len(SETS["cifar10"].files) - 1) * self.records_per_file
        low, high = self.training.batch_size, available
        wrong = [size for size in self.P if not low <= size <= high]
        if wrong:
            raise ValueError(f"P = {wrong}: allowed are {low} (one batch) to {high} (all images)")
        for key, wanted in (("n_test", self.n_test), ("n_points", self.stability.n_points)):
            if wanted > self.records_per_file:
                raise ValueError(f"{key} = {wanted}: there are {self.records_per_file} test images")
        return self


def plan(section: ImagesSection, directory: Path) -> Planned:
    """A curve for each net; none, and the reason, where the images are not there.

    The key of a cell covers its coordinates, the sums of the data's files and the sources, so that
    other data or changed code never meet an old result.

    Raises:
        ConfigError: if files of another size than CIFAR-10's come without their sums.
    """
    stability = section.stability.model_dump() | {"temperature": section.stability.temperature}
    settings = {"stability": stability}
    notice = SETS["cifar10"].notice(directory, section.folder)
    if notice is not None:
        return Planned(settings=settings, absent=notice)
    try:
        files = cifar_files(directory / section.folder, records_per_file=section.records_per_file)
    except ImagesError as refusal:
        raise ConfigError(f"  folder: {refusal}") from refusal
    data = short_hash({name: file.sum for name, file in files.items()})
    curves = {}
    for net in dict.fromkeys(section.nets):
        entries = []
        source = digest_of(*decided_by(IMAGES.module, {"net": net}))
        for cell in cells_of(section, net=net, data=data):
            key = short_hash(["images", cell, source], length=24)
            entries.append({"key": key, "source": source, "cell": cell})
        name = f"{net}_h{section.width}-{short_hash([entry['key'] for entry in entries])}"
        curves[name] = Curve(
            name=name,
            trainer=IMAGES,
            entries=tuple(entries),
            measured=("stability",),
            # The data are no input files: their names and times say less than the sums in the keys.
            inputs={"folder": section.folder, "records_per_file": section.records_per_file},
        )
    return Planned(curves=curves, settings=settings)


def cells_of(section: ImagesSection, *, net: str, data: str) -> Iterator[dict[str, Any]]:
    """Coordinates of the cells of a net, the smallest P first. data: digest of the files' sums."""
    given: dict[str, Any] = {"net": net, "P": sorted(set(section.P)), "data": data}
    shared = section.training.model_dump()
    return combinations(section, "P", "seed", "width", "n_test", **given, **shared)
