"""From the section `images` to the cells that are trained, with their keys. Imports no torch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srhm.images.configuration import ImagesSection
from srhm.images.readers import SETS, ImagesError, cifar_files
from srhm.lists import combinations
from srhm.results.provenance import short_hash
from srhm.results.sources import digest_of
from srhm.study import ConfigError, Curve, Planned
from srhm.trainers import IMAGES
from srhm.training.any_trainer import decided_by

STABILITY = "stability"


def plan(section: ImagesSection, directory: Path) -> Planned:
    """A curve for each net; none, and the reason, where the images are not there.

    The key of a cell covers its coordinates, the sums of the data's files and the sources, so that
    other data or changed code never meet an old result.

    Raises:
        ConfigError: if files of another size than CIFAR-10's come without their sums.
    """
    stability = section.stability.model_dump() | {"temperature": section.stability.temperature}
    settings = {STABILITY: stability}
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
            measured=(STABILITY,),
            # The data are no input files: their names and times say less than the sums in the keys.
            inputs={"folder": section.folder, "records_per_file": section.records_per_file},
        )
    return Planned(curves=curves, settings=settings)


def cells_of(section: ImagesSection, *, net: str, data: str) -> Iterator[dict[str, Any]]:
    """Coordinates of the cells of a net, the smallest P first. data: digest of the files' sums."""
    given: dict[str, Any] = {"net": net, "P": sorted(set(section.P)), "data": data}
    shared = section.training.model_dump()
    return combinations(section, "P", "seed", "width", "n_test", **given, **shared)
