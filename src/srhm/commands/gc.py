"""Files of results/ that no configuration refers to: listed, and removed with `--confirm yes`.

What a file of config/, or one of those that made the results here, asks for is kept, as the code
is now; what interrupted writers left is not. The folder of a trainer some of whose cells have no
names here (without CIFAR-10, say, whose sums are in their keys) is left alone, and so is every file
of another kind.
"""

import argparse
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from srhm.commands.presets import CONFIG, Run, add_study, run_of, studies_of
from srhm.commands.printing import Refused
from srhm.commands.running import locked, snakemake_by_hand
from srhm.planning.registry import STUDIES, TRAINERS
from srhm.store import places

ABANDONED = 3600.0  # seconds after which a partial file belongs to a writer that is gone
KINDS = (*places.KEPT, "derivations")
OURS = re.compile(
    r"(cells|checkpoints)/(../)?[0-9a-f]{24}\.safetensors"
    r"|(curves|measured|derivations)/.*\.parquet|parts/.*\.json|.*\.part"
)


def referred_to(run: Run) -> Iterator[Path]:
    """All files in the folders of trainers that a run may leave, but for those of parts."""
    derivations = run.directory / places.DERIVATIONS
    yield from (derivations / f"{name}.parquet" for name in run.plan.samples)
    for study, planned in run.plan.studies.items():
        for curve in planned.curves.values():
            yield from run.files(study, curve).values()
            for key in (entry["key"] for entry in curve.entries):
                yield run.stored(curve, key)
                if not run.stored(curve, key).is_file():
                    yield run.checkpoint(curve, key)


def garbage(directory: Path, runs: Sequence[Run], folders: Iterable[str]) -> Iterator[Path]:
    """Files of our kinds in the folders of trainers that none of the runs refers to."""
    kept = {file for run in runs for file in referred_to(run)}
    curves = {curve for run in runs for curve in run.curves}
    for folder in (directory / folder for folder in folders):
        for file in sorted(file for kind in KINDS for file in (folder / kind).rglob("*")):
            inside = str(file.relative_to(folder))
            if not file.is_file() or not OURS.fullmatch(inside):
                continue
            if file.suffix == ".part":
                wanted = time.time() - file.stat().st_mtime < ABANDONED
            elif inside.startswith("parts/"):
                wanted = file.parent.name in curves
            else:
                wanted = file in kept
            if not wanted:
                yield file


def configurations(directory: Path, named: Sequence[Path]) -> list[Path]:
    """Files of config/, those named, and those that a launcher noted beside what it made of them.

    One that is gone is taken for that of equal name, as where the project has moved.
    """
    known = {file.name: file for file in [*CONFIG.glob("*.yaml"), *named]}
    notes = (directory / "results").glob(f"*/{places.CONFIGURATION}")
    noted = [Path(note.read_text(encoding="utf-8")) for note in notes]
    noted = [file if file.is_file() else known.get(file.name, file) for file in noted]
    return sorted({file.resolve() for file in [*known.values(), *named, *noted]})


def main(arguments: Sequence[str] | None = None) -> int:
    """Lists, and removes if confirmed; refused while a run is going on."""
    parser = argparse.ArgumentParser(
        prog="srhm gc", description=__doc__, epilog="example: srhm gc --study jamming --confirm yes"
    )
    parser.add_argument("--configfile", type=Path, action="append", default=[], help="one more")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument("--confirm", default="", help="yes: remove what is listed")
    add_study(parser, default="all; else only what lies where these keep their networks")
    options = parser.parse_args(arguments)
    studies = studies_of(options.study)
    files = configurations(options.directory, options.configfile)
    runs = [run_of(file, options.directory) for file in files]
    # Of the trainers of these studies, or of all, whose cells all have names here.
    trainers = [STUDIES[study].trainer for study in studies] if studies else TRAINERS
    folders = dict.fromkeys(trainer.folder for trainer in trainers if trainer is not None)
    for study, why in (pair for run in runs for pair in run.absent.items()):
        trainer = STUDIES[study].trainer
        if trainer is not None and trainer.folder in folders:
            del folders[trainer.folder]
            if (where := options.directory / trainer.folder).is_dir():
                print(f"{where} is left alone, its networks have no names: {why.splitlines()[0]}")
    unused = list(garbage(options.directory, runs, folders))
    sizes = [file.stat().st_size / 1e6 for file in unused]
    for file, size in zip(unused, sizes, strict=True):
        print(f"{size:10.3f} MB  {file}")
    names = ", ".join(file.name for file in files)
    print(
        f"{len(unused)} files, {sum(sizes):.1f} MB; kept, with the code as it is now: what"
        f" {names} ask for"
    )
    if options.confirm != "yes":
        print("nothing has been removed; `make gc CONFIRM=yes` removes what is listed above")
        return 0
    with locked(options.directory):
        if process := snakemake_by_hand(options.directory.resolve()):
            raise Refused(f"a Snakemake, process {process}, works in this folder")
        for file in unused:
            file.unlink(missing_ok=True)
            with suppress(OSError):  # folders that are empty without it
                for folder in file.parents:
                    folder.rmdir()
    print("removed")
    return 0
