"""What lies in results/ that no configuration refers to: listed, and removed on confirmation.

`python -m srhm.commands.gc` lists cells, checkpoints, curves, parts, derivations and sensitivities
that belong to no file of config/ (nor to a --configfile) under the sources as they are now, and
what interrupted writers left. Files of another kind are named and left alone. So are networks on
images where the images are absent: their keys hold the sums of the images' files.
"""

import argparse
import fcntl
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from srhm.commands.presets import CONFIG, IMAGES, study_of
from srhm.flow.configuration import MEASUREMENTS
from srhm.images.cifar import CifarError
from srhm.results.provenance import source_digest
from srhm.studies.sparse_hierarchy import configuration as experiments

SCRIPTS = CONFIG.parent / "scripts"
# Seconds after which a partial file belongs to a writer that is gone.
ABANDONED = 3600.0
KEY = re.compile(r"[0-9a-f]{24}")


@dataclass
class Wanted:
    """Names that configurations refer to.

    image_keys, image_curves: of networks on images. absent: folders of images that are missing, so
    that some of these names are unknown.
    """

    keys: set[str] = field(default_factory=set)
    curves: set[str] = field(default_factory=set)
    samples: set[str] = field(default_factory=set)
    measurements: set[str] = field(default_factory=set)
    plane_keys: set[str] = field(default_factory=set)
    plane_curves: set[str] = field(default_factory=set)
    image_keys: set[str] = field(default_factory=set)
    image_curves: set[str] = field(default_factory=set)
    absent: set[Path] = field(default_factory=set)


@dataclass(frozen=True)
class Found:
    """A file or folder that nothing refers to, its kind, and its bytes."""

    path: Path
    kind: str
    size: int


def wanted_by(configurations: Iterable[Any], *, directory: Path = Path()) -> Wanted:
    """Names of all that these configurations refer to, in the folder that holds results/.

    Raises:
        ConfigError, CifarError: if one of them or its images are refused. What it refers to is then
            unknown.
    """
    wanted = Wanted()
    for configuration in configurations:
        study = study_of(configuration, directory)
        plan = study.plan
        wanted.samples |= plan.samples.keys()
        for networks in study.networks:
            on_images = networks.data == IMAGES
            keys = wanted.image_keys if on_images else wanted.keys
            curves = wanted.image_curves if on_images else wanted.curves
            keys.update(entry["key"] for entry in networks.entries)
            curves.update(networks.curves)
        wanted.plane_keys.update(entry["key"] for entry in study.plane.entries)
        wanted.plane_curves.update(study.plane.curves)
        wanted.absent |= {study.absent} if study.absent else set()
        wanted.measurements |= {
            experiments.measured_by(plan.preset.measurement, module)
            for module in experiments.MEASURING
        }
    return wanted


def unreferenced(results: Path, wanted: Wanted, *, now: float) -> tuple[list[Found], list[Path]]:
    """What nothing refers to, in the order of its paths, and files that are foreign here."""
    found: list[Found] = []
    foreign: list[Path] = []

    def judge(path: Path, kind: str, name: str, names: set[str], *, ours: bool) -> None:
        if path.name.endswith(".part"):
            if now - path.stat().st_mtime > ABANDONED:
                found.append(Found(path, "abandoned partial file", _size(path)))
        elif not ours:
            foreign.append(path)
        elif name not in names:
            found.append(Found(path, kind, _size(path)))

    def judge_networks(folder: Path, keys: set[str], *, on: str) -> None:
        for path in sorted((folder / "cells").glob("*/*")):
            ours = (
                path.suffix == ".safetensors"
                and _is_key(path.stem)
                and path.parent.name == path.stem[:2]
            )
            judge(path, f"cell{on}", path.stem, keys, ours=ours)
        for path in sorted((folder / "checkpoints").glob("*")):
            done = (folder / "cells" / path.stem[:2] / path.name).is_file()
            names = keys - {path.stem} if done else keys
            ours = path.suffix == ".safetensors" and _is_key(path.stem)
            judge(path, f"checkpoint{on}", path.stem, names, ours=ours)

    judge_networks(results, wanted.keys, on="")
    for path in sorted((results / "curves").glob("*")):
        name = path.name.removesuffix(".parquet").removesuffix(".timings")
        judge(path, "curve", name, wanted.curves, ours=path.suffix == ".parquet")
    for path in sorted((results / "parts").glob("*")):
        judge(path, "parts of a curve", path.name, wanted.curves, ours=path.is_dir())
    for path in sorted((results / "derivations").glob("*")):
        name = path.name.removesuffix(".parquet")
        judge(path, "derivations", name, wanted.samples, ours=path.suffix == ".parquet")
    for folder in sorted((results / "sensitivities").glob("*")):
        if folder.name not in wanted.measurements:
            judge(folder, "sensitivities", folder.name, set(), ours=folder.is_dir())
            continue
        for path in sorted(folder.glob("*")):
            name = path.name.removesuffix(".parquet")
            judge(path, "sensitivities", name, wanted.curves, ours=path.suffix == ".parquet")
    plane, on = results / "plane", " of the plane"
    judge_networks(plane, wanted.plane_keys, on=on)
    for path in sorted((plane / "curves").glob("*")):
        name = path.name.removesuffix(".parquet").removesuffix(".timings")
        judge(path, f"curve{on}", name, wanted.plane_curves, ours=path.suffix == ".parquet")
    for measurement in ("ensembles", *MEASUREMENTS):
        now_made_by = source_digest(SCRIPTS / f"measure_plane_{measurement}.py")
        for folder in sorted((plane / measurement).glob("*")):
            if folder.name != now_made_by:
                judge(folder, f"{measurement}{on}", folder.name, set(), ours=folder.is_dir())
                continue
            for path in sorted(file for file in folder.rglob("*") if file.is_file()):
                ours = path.suffix == ".parquet"
                judge(path, f"{measurement}{on}", path.stem, wanted.plane_curves, ours=ours)
    if wanted.absent:
        return found, foreign
    images, on = results / "images", " on images"
    judge_networks(images, wanted.image_keys, on=on)
    for path in sorted((images / "parts").glob("*")):
        judge(path, f"parts of a curve{on}", path.name, wanted.image_curves, ours=path.is_dir())
    for path in sorted(images.glob("*")):
        if path.name not in ("cells", "checkpoints", "parts"):
            ours = path.suffix == ".parquet"
            judge(path, f"curve{on}", path.stem, wanted.image_curves, ours=ours)
    return found, foreign


def summary(found: Sequence[Found]) -> str:
    """How many of each kind, and their bytes."""
    numbers, sizes = Counter(one.kind for one in found), Counter[str]()
    for one in found:
        sizes[one.kind] += one.size
    lines = [f"{numbers[kind]} x {kind}: {sizes[kind] / 1e6:.1f} MB" for kind in numbers]
    return "; ".join([*lines, f"together {sum(sizes.values()) / 1e6:.1f} MB"])


def remove(found: Iterable[Found]) -> None:
    """Removes files and folders; what another process has removed meanwhile is no error."""
    for one in found:
        if one.path.is_dir():
            shutil.rmtree(one.path, ignore_errors=True)
        else:
            one.path.unlink(missing_ok=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Lists, and removes if confirmed; 2 if a configuration is refused or a run is going on."""
    parser = argparse.ArgumentParser(prog="python -m srhm.commands.gc", description=__doc__)
    parser.add_argument("--configfile", type=Path, action="append", default=[], help="one more")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument("--confirm", default="", help="yes: remove what is listed")
    options = parser.parse_args(arguments)
    results = options.directory / "results"
    files = [*sorted(CONFIG.glob("*.yaml")), *options.configfile]
    try:
        configurations = [yaml.safe_load(file.read_text()) for file in files]
        wanted = wanted_by(configurations, directory=options.directory)
    except (experiments.ConfigError, CifarError, OSError, yaml.YAMLError) as refusal:
        print(f"nothing is removed, because a configuration cannot be read: {refusal}")
        return 2
    found, foreign = unreferenced(results, wanted, now=time.time())
    for one in found:
        print(f"{one.size / 1e6:10.3f} MB  {one.kind}  {one.path}")
    for path in foreign:
        print(f"not ours, left alone: {path}")
    if wanted.absent and (results / "images").is_dir():
        folders = ", ".join(str(folder) for folder in sorted(wanted.absent))
        print(f"{results / 'images'} is left alone: its cells have no names without {folders}")
    print(f"referred to by: {', '.join(file.name for file in files)}")
    if not found:
        print("nothing else: there is nothing to remove")
        return 0
    print("(as the code is now: results of another version or branch are not referred to)")
    print(f"referred to by none of them: {summary(found)}")
    if options.confirm != "yes":
        print("nothing has been removed; `make gc CONFIRM=yes` removes what is listed above")
        return 0
    with (results / ".lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("nothing has been removed, because a run is going on in this folder")
            return 2
        remove(found)
    print("removed")
    return 0


def _is_key(text: str) -> bool:
    return KEY.fullmatch(text) is not None


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


if __name__ == "__main__":
    sys.exit(main())
