"""Makes the faults and writes the table: `make faults`, or `python -m faults [--only NAME ...]`.

Rows are written as they come, so that an interrupted call keeps its rows. The script fails, and the
row of the fault is taken out, where a finished cell is lost, where a message is missing, where the
next run trains a cell that was stored whole, or where its tables differ from the undisturbed ones.
Full and read-only disks are mounted, which needs root; without it their rows stay as they are. So
do those of Slurm where its plugin cannot be installed, and those that need a compiler.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from faults import (
    commands,
    configurations,
    files,
    installation,
    provenance,
    schedulers,
    signals,
    surroundings,
)
from faults.kinds import KINDS, Kind
from faults.rows import Table
from faults.scene import Absent, Defect, Scene
from faults.table import FINISHED, LESS, NOTHING, Fault, row_of

MODULES = (
    signals,
    files,
    surroundings,
    commands,
    configurations,
    installation,
    provenance,
    schedulers,
)
FAULTS: dict[str, Fault] = {name: one for module in MODULES for name, one in module.FAULTS.items()}


def rows() -> Iterator[tuple[str, Fault, str]]:
    """Name, fault and kind of each row, in order."""
    for name, fault in FAULTS.items():
        for kind in fault.kinds:
            yield (f"{name}_{kind.replace(' ', '_')}" if kind else name), fault, kind


class Stage:
    """Folder of all scenes, and the undisturbed runs that they begin from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._finished: dict[tuple[str, str], Scene] = {}

    def undisturbed(self, kind: Kind, begins: str) -> Scene:
        """A run that was not disturbed."""
        place = (kind.name, begins)
        if place not in self._finished:
            scene = Scene(self.folder / f"{begins}_{kind.name.replace(' ', '_')}", kind)
            if begins == LESS:
                scene.configure(kind.without)
            code, text = scene.run()
            if code:
                raise Defect(f"the undisturbed run fails:\n{text}")
            self._finished[place] = scene
        return self._finished[place]

    def tables(self, fault: Fault, kind: Kind) -> Sequence[pd.DataFrame]:
        """Tables of the undisturbed run; none where no run follows the fault."""
        return [] if fault.rerun else self.undisturbed(kind, FINISHED).tables()

    def scene(self, name: str, fault: Fault, kind: Kind) -> Scene:
        """The folder in which a fault is made."""
        scene = Scene(self.folder / name, kind)
        if fault.begins != NOTHING:
            scene.like(self.undisturbed(kind, fault.begins))
        return scene


def main(arguments: Sequence[str] | None = None) -> int:
    """1 if a fault was a defect, else 0."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    every = {name: (fault, kind) for name, fault, kind in rows()}
    parser.add_argument("--only", nargs="+", choices=every, default=list(every), metavar="NAME")
    parser.add_argument("--dry", action="store_true", help="print rows and write nothing")
    options = parser.parse_args(arguments)
    order = [fault.of(kind) for fault, kind in every.values()]
    table, defects = Table.read(), []
    call = table.begin()
    with tempfile.TemporaryDirectory(prefix="faults-") as temporary:
        stage = Stage(Path(temporary))
        for name in options.only:
            fault, kind = every[name]
            if fault.root and os.geteuid() != 0:
                print(f"{name}: not made, needs root", flush=True)
                continue
            begun = time.monotonic()
            scene = None
            try:
                undisturbed = stage.tables(fault, KINDS[kind])
                scene = stage.scene(name, fault, KINDS[kind])
                row = row_of(fault, scene, undisturbed)
            except Absent as absent:
                print(f"{name}: not made, {absent}", flush=True)
            except Exception as defect:  # noqa: BLE001 (others are still made)
                defects.append(name)
                table.rows.pop(fault.of(kind), None)
                print(f"DEFECT {name} after {time.monotonic() - begun:.0f} s: {defect}", flush=True)
            else:
                table.rows[fault.of(kind)] = (row, call)
                print(f"{name}: {time.monotonic() - begun:.0f} s: {row}", flush=True)
            finally:
                if scene:
                    scene.close()
            if not options.dry:
                table.write(order)
    print(f"{len(options.only)} faults, {len(defects)} defects: {', '.join(defects)}")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
