"""What lies in results/ that no configuration refers to: listed, and removed on confirmation.

`srhm gc` lists cells, checkpoints, curves, parts, measurements and derivations that belong to no
file of config/, to none of which results here were made, and to no --configfile, under the sources
as they are now, and what interrupted writers left. Files of another kind are named and left alone.
So is the folder of a trainer where a study cannot be planned: without CIFAR-10 networks on images
have no names, since their keys hold the sums of the images' files.
"""

import argparse
import fcntl
import re
import shutil
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from srhm.commands.presets import CONFIG, Run, StudyError, add_study, run_of, studies_of
from srhm.commands.printing import printing
from srhm.commands.watching import snakemake_by_hand
from srhm.results import places
from srhm.studies.registry import STUDIES, TRAINERS
from srhm.study import ConfigError

# Seconds after which a partial file belongs to a writer that is gone.
ABANDONED = 3600.0
KEY = re.compile(r"[0-9a-f]{24}")
# Where former versions kept what they measured, by the folder of the trainer.
FORMER = {
    "results": ["sensitivities/*"],
    "results/images": ["*.parquet"],
    "results/plane": [
        f"{name}/*"
        for name in (
            "ensembles",
            "kernels",
            "hessians",
            "singular_values",
            "sensitivities",
            "frozen_kernels",
        )
    ],
}


@dataclass
class Wanted:
    """What configurations refer to, by the folder of a trainer: keys of cells, names of curves.

    samples: names of derivations. measured: names of curves by the folder of a measurement. absent:
    why a study cannot be planned, so that names of its trainer's folder are unknown, by folder.
    """

    keys: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    curves: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    samples: set[str] = field(default_factory=set)
    measured: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    absent: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """A file or folder that nothing refers to, its kind, and its bytes."""

    path: Path
    kind: str
    size: int


def wanted_by(runs: Iterable[Run]) -> Wanted:
    """Names of all that these runs refer to."""
    wanted = Wanted()
    for run in runs:
        wanted.samples |= run.plan.samples.keys()
        for study, planned in run.plan.studies.items():
            for curve in planned.curves.values():
                folder = curve.trainer.folder
                wanted.keys[folder] |= {entry["key"] for entry in curve.entries}
                wanted.curves[folder].add(curve.name)
            for measurement in STUDIES[study].measurements:
                options = places.options_of(measurement, planned)
                wanted.measured[places.folder_of_measurement(measurement, options)] |= {
                    curve.name
                    for curve in planned.curves.values()
                    if places.is_of(measurement, curve)
                }
            trainer = STUDIES[study].trainer
            if planned.absent and trainer is not None:
                wanted.absent[trainer.folder] = planned.absent
    return wanted


def configurations(directory: Path, named: Sequence[Path] = ()) -> list[Path]:
    """Files of config/, those that a launcher noted beside the results that it made, those named.

    A noted file that is gone is taken for one of equal name in config/ or among the named, as
    where the project has moved.

    Raises:
        ConfigError: if a noted file is gone otherwise, naming it and the folder.
        OSError: if a folder or a note cannot be read: what it refers to is not known.
    """
    files = list(dict.fromkeys([*sorted(CONFIG.glob("*.yaml")), *named]))
    known = {file.resolve() for file in files}
    for folder in sorted((directory / "results").glob("*")):
        note = folder / places.CONFIGURATION
        try:
            file = Path(note.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        if file.is_file():
            if file.resolve() not in known:
                files.append(file)
        elif file.name not in {one.name for one in known}:
            raise ConfigError(
                f"{note.parent} was made of {file}, which is gone: give --configfile with the place"
                f" where it lies now, or remove {note.parent}"
            )
    return files


def folders_of(studies: Sequence[str]) -> list[str]:
    """Folders of the trainers of these studies; without studies those of all trainers."""
    trainers = [STUDIES[study].trainer for study in studies] if studies else TRAINERS
    return list(dict.fromkeys(trainer.folder for trainer in trainers if trainer is not None))


def unreferenced(
    directory: Path, wanted: Wanted, *, now: float, folders: Sequence[str]
) -> tuple[list[Found], list[Path]]:
    """What nothing refers to in the folders of trainers, and files that are foreign here.

    directory: the one that holds results/.
    """
    found: list[Found] = []
    foreign: list[Path] = []

    def judge(path: Path, kind: str, *, ours: bool, used: bool) -> None:
        if path.name.endswith(".part"):
            if now - path.stat().st_mtime > ABANDONED:
                found.append(Found(path, "abandoned partial file", _size(path)))
        elif not ours:
            foreign.append(path)
        elif not used:
            found.append(Found(path, kind, _size(path)))

    for name in folders:
        if name in wanted.absent:
            continue
        _judge_networks(directory / name, wanted.keys[name], judge)
        _judge_curves(directory / name, wanted.curves[name], judge)
        _judge_measured(directory, name, wanted.measured, judge)
        for path in (
            one for pattern in FORMER.get(name, ()) for one in _in(directory / name, pattern)
        ):
            judge(path, "of a former version", ours=True, used=False)
    if "results" in folders:
        for path in _in(directory / places.DERIVATIONS, "*"):
            sample = path.name.removesuffix(".parquet")
            ours = path.suffix == ".parquet"
            judge(path, "derivations", ours=ours, used=sample in wanted.samples)
    return found, foreign


Judge = Callable[..., None]


def _judge_networks(folder: Path, keys: set[str], judge: Judge) -> None:
    """Cells, and checkpoints of cells that are not stored yet."""
    for path in _in(folder, "cells/*/*"):
        placed = _is_of_a_cell(path) and path.parent.name == path.stem[:2]
        judge(path, "cell", ours=placed, used=path.stem in keys)
    for path in _in(folder, "checkpoints/*"):
        done = (folder / "cells" / path.stem[:2] / path.name).is_file()
        used = path.stem in keys and not done
        judge(path, "checkpoint", ours=_is_of_a_cell(path), used=used)


def _judge_curves(folder: Path, curves: set[str], judge: Judge) -> None:
    for path in _in(folder, "curves/*"):
        name = path.name.removesuffix(".parquet").removesuffix(".timings")
        judge(path, "curve", ours=path.suffix == ".parquet", used=name in curves)
    for path in _in(folder, "parts/*"):
        judge(path, "parts of a curve", ours=path.is_dir(), used=path.name in curves)


def _judge_measured(
    directory: Path, folder: str, measured: dict[str, set[str]], judge: Judge
) -> None:
    """What is measured: whole folders of other options or code, and curves."""
    for path in _in(directory / folder, "measured/*/*"):
        kind = path.parent.name.replace("_", " ")
        curves = measured.get(str(path.relative_to(directory)))
        if curves is None:
            judge(path, kind, ours=path.is_dir(), used=False)
            continue
        for file in _in(path, "*/*"):
            ours = file.suffix == ".parquet"
            judge(file, kind, ours=ours, used=file.name.removesuffix(".parquet") in curves)


def _in(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))


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
    parser = argparse.ArgumentParser(
        prog="srhm gc", description=__doc__, epilog="example: srhm gc --study jamming --confirm yes"
    )
    parser.add_argument("--configfile", type=Path, action="append", default=[], help="one more")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument("--confirm", default="", help="yes: remove what is listed")
    add_study(parser, default="all; else only what lies where these keep their networks")
    options = parser.parse_args(arguments)
    try:
        folders = folders_of(studies_of(options.study))
    except StudyError as refusal:
        print(refusal)
        return 2
    try:
        files = configurations(options.directory, options.configfile)
        wanted = wanted_by(run_of(file, options.directory) for file in files)
    except ConfigError as refusal:
        print(f"nothing is removed, because a configuration cannot be read: {refusal}")
        return 2
    found, foreign = unreferenced(options.directory, wanted, now=time.time(), folders=folders)
    for one in found:
        print(f"{one.size / 1e6:10.3f} MB  {one.kind}  {one.path}")
    for path in foreign:
        print(f"not ours, left alone: {path}")
    for folder, why in wanted.absent.items():
        if folder in folders and (options.directory / folder).is_dir():
            first = why.partition("\n")[0]
            print(f"{options.directory / folder} is left alone, its cells have no names: {first}")
    print(f"referred to by: {', '.join(file.name for file in files)}")
    if not found:
        print("nothing else: there is nothing to remove")
        return 0
    print("(as the code is now: results of another version or branch are not referred to)")
    print(f"referred to by none of them: {summary(found)}")
    if options.confirm != "yes":
        print("nothing has been removed; `make gc CONFIRM=yes` removes what is listed above")
        return 0
    with (options.directory / "results" / ".lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("nothing has been removed, because a run is going on in this folder")
            return 2
        if process := snakemake_by_hand(options.directory.resolve()):
            print(f"nothing has been removed: a Snakemake, process {process}, works in this folder")
            return 2
        remove(found)
    print("removed")
    return 0


def _is_of_a_cell(path: Path) -> bool:
    return path.suffix == ".safetensors" and KEY.fullmatch(path.stem) is not None


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


if __name__ == "__main__":
    sys.exit(printing(main))
