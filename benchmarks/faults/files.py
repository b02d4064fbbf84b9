"""Faults of stored files: lost, cut, altered, exchanged, dated wrongly, of other code."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from faults.kinds import CURVES, EXPERIMENTS, GRADIENT_FLOW, MAIN, MEASURED, ON_IMAGES
from faults.scene import REPOSITORY, Defect, Scene, copy_code
from faults.signals import struck, to_launcher
from faults.table import LESS, NOTHING, Fault, Make, for_kinds
from srhm.results import places
from srhm.results.store import path_of

DAY = 86_400.0
OTHERS = (GRADIENT_FLOW.name, ON_IMAGES.name, EXPERIMENTS.name)


def truncated(path: Path) -> None:
    """Cuts a file in half."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def bit_flipped(path: Path) -> None:
    """Turns over one bit near the end of a file, as a failing disk does, without a new date."""
    data, dates = bytearray(path.read_bytes()), path.stat()
    data[-len(data) // 4] ^= 4
    path.write_bytes(data)
    os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))


def exchanged(one: Path, other: Path) -> None:
    """Gives each of two files the content of the other."""
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def emptied(path: Path) -> None:
    """Leaves a file of no bytes, as a full disk or a loss of power does."""
    path.write_bytes(b"")


def results(scene: Scene, pattern: str) -> list[Path]:
    """Files below results/ by a pattern.

    Raises:
        Defect: if there is none: nothing would be tested.
    """
    found = sorted((scene.folder / "results").glob(pattern))
    if not found:
        raise Defect(f"no file {pattern}")
    return found


def first_of(pattern: str, damage: Callable[[Path], None]) -> Make:
    """Damages the first file of a pattern below results/."""

    def make(scene: Scene) -> str:
        damage(results(scene, pattern)[0])
        return ""

    return make


def failing(make: Make) -> Make:
    """The fault, and a run that must notice it."""

    def noticed(scene: Scene) -> str:
        before = make(scene)
        code, text = scene.run()
        if code == 0:
            raise Defect(f"the fault was not noticed:\n{text}")
        return before + text

    return noticed


def delete(pattern: str) -> Callable[[Scene], None]:
    """Deletes what a message names, as it says: the first of a pattern below results/."""
    return lambda scene: results(scene, pattern)[0].unlink()


def lose_a_cell(scene: Scene) -> str:
    """Deletes a cell file."""
    scene.cell(0).unlink()
    return ""


def damaged_cells(scene: Scene) -> str:
    """A cut, an altered, a foreign and an empty cell file; then more cells are asked for."""
    whole = [path_of(scene.store, key) for key in scene.stored]
    cut, altered, foreign, empty, other = whole[:5]
    truncated(cut)
    bit_flipped(altered)
    shutil.copy(other, foreign)
    emptied(empty)
    return ""


def measured_anew(damage: Callable[[Scene], None]) -> Make:
    """Damages cells of a finished run whose measurements are then wanted anew."""

    def make(scene: Scene) -> str:
        damage(scene)
        for file in results(scene, "**/*.parquet"):
            if "sensitivities" in str(file.relative_to(scene.folder)):
                file.unlink()
        return ""

    return make


def folder_in_place(scene: Scene) -> str:
    """A folder that has the name of a cell's file."""
    scene.cell(0).unlink()
    scene.cell(0).mkdir()
    return ""


def altered_row(scene: Scene) -> str:
    """A number of a curve's file is changed, in a file that is whole."""
    file = results(scene, "curves/lcn*[0-9a-f].parquet")[0]
    table = pq.read_table(file)
    place = table.schema.get_field_index("test_error")
    errors = pa.array([0.0, *table["test_error"].to_pylist()[1:]], type=table.schema.types[place])
    pq.write_table(table.set_column(place, table.schema.field(place), errors), file)
    return ""


def dated_anew(scene: Scene) -> str:
    """All files get new dates in a random order, as by a copy that keeps none."""
    files = [file for file in results(scene, "**/*") if file.is_file()]
    random.Random(0).shuffle(files)
    now = time.time()
    for place, file in enumerate(files):
        os.utime(file, (now - 2 * len(files) + place,) * 2)
    return ""


def future_dates(scene: Scene) -> str:
    """All results are dated a day ahead, as after work on a machine whose clock was wrong."""
    ahead = time.time() + DAY
    for file in results(scene, "**/*"):
        os.utime(file, (ahead, ahead))
    scene.stored = scene.whole()
    return ""


def left_over(scene: Scene) -> str:
    """What processes that were killed leave beside whole files."""
    for file in (scene.cell(0), results(scene, "curves/*.parquet")[0]):
        shutil.copy(file, file.with_name(f".{file.name}.123.part"))
        truncated(file.with_name(f".{file.name}.123.part"))
    scene.cell(0).unlink()
    return ""


def damaged_checkpoints(scene: Scene) -> str:
    """A run is stopped, and its checkpoints are cut."""
    text = struck(to_launcher(signal.SIGTERM))(scene)
    files = sorted((scene.folder / places.checkpoints_of(scene.kind.trainer)).glob("*.safetensors"))
    if not files:
        raise Defect(f"no checkpoint was left:\n{text}")
    for file in files:
        truncated(file)
    return text


def other_code(scene: Scene) -> str:
    """Cells of an older commit, whose sampling differs, lie in the store."""
    older = scene.folder.with_name("older")
    older.mkdir()
    copy_code(older)
    code = older / "src" / "srhm" / "training" / "protocol.py"
    code.write_text(code.read_text(encoding="utf-8") + "\nOLDER = True\n", encoding="utf-8")
    config = deepcopy(MAIN.config)
    config["sparse_hierarchy"]["curves"] = [{**CURVES, "net": "lcn", "P": [60]}]
    scene.configure(config)
    environment = {"PYTHONPATH": str(older / "src")}
    command = scene.run(*("--until", "train_hierarchy"), environment=environment, cwd=older)
    scene.configure(MAIN.config)
    shutil.rmtree(older)
    cells = list(scene.store.glob("*/*.safetensors"))
    if command[0] or len(cells) != 2 or scene.whole():
        raise Defect(f"the older code has not left two cells of other keys:\n{command[1]}")
    return command[1]


def diverging(scene: Scene) -> str:
    """A learning rate at which one network diverges; the run after it trains nothing."""
    config = deepcopy(MAIN.config)
    config["sparse_hierarchy"]["curves"] = [
        {**CURVES, "net": "lcn"},
        {**CURVES, "net": "cnn", "training": {"learning_rate": 10.0}},
    ]
    scene.configure(config)
    code, text = scene.run()
    if code:
        raise Defect(f"a diverging cell ends the run:\n{text}")
    cells = pd.concat(scene.tables())
    diverged = cells["status"] == "diverged"
    if not diverged.any() or cells.loc[diverged, "test_error"].notna().any():
        raise Defect("nothing diverged, or a diverged cell has an error")
    scene.stored = scene.whole()
    code, again = scene.run()
    if code or scene.whole() != scene.stored:
        raise Defect(f"a diverged cell is trained again:\n{again}")
    return text


def published(damage: Callable[[Path], None], name: str) -> Make:
    """Rows that were published are damaged; then `make publish` is given again."""

    def make(scene: Scene) -> str:
        folder = scene.folder / "published"
        command = [sys.executable, "-m", "srhm.commands.publish", "--configfile", str(scene.file)]
        command += ["--directory", str(scene.folder), "--published", str(folder)]
        first = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        if first.returncode:
            raise Defect(f"nothing is published: {first.stdout}{first.stderr}")
        damage(next(folder.glob(f"*/*/{name}")))
        again = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        return again.stdout + again.stderr

    return make


def raised(path: Path) -> None:
    """Changes a number of a text, which stays whole JSON."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"cells": 12', '"cells": 1200', 1), encoding="utf-8")


def without_records(scene: Scene) -> str:
    """Deletes what Snakemake and the launcher keep of earlier runs."""
    shutil.rmtree(scene.folder / ".snakemake")
    for name in (".lock", "run.log"):
        (scene.folder / "results" / name).unlink()
    return ""


def empty_figure(scene: Scene) -> str:
    """A figure of no bytes."""
    figure = "results/faults/figures/fig04.pdf"
    scene.under = {}
    code, text = scene.run(figure)
    if code:
        raise Defect(f"no figure:\n{text}")
    emptied(scene.folder / figure)
    code, text = scene.run(figure)
    if code or not (scene.folder / figure).stat().st_size:
        raise Defect(f"the figure is not made again:\n{text}")
    return text


def _damaged(title: str, pattern: str, **changes: object) -> Fault:
    """A file of a run is cut in half, and deleted as the message says."""
    return Fault(
        title=f"a truncated {title}",
        make=failing(first_of(pattern, truncated)),
        says=("is damaged",),
        lost="this file",
        mend=delete(pattern),
        mended=", once it is deleted",
        tracebacks=True,
        trains=0,
        **changes,  # type: ignore[arg-type]
    )


_TABLES = "faults/tables/sparse_hierarchy"
FAULTS = {
    "lost_cell": for_kinds(
        Fault(
            title="a cell file deleted",
            make=lose_a_cell,
            says=("not in the store",),
            lost="this cell",
            loses=1,
        ),
        *OTHERS,
    ),
    "damaged_cells": for_kinds(
        Fault(
            title="a truncated, a bit-flipped, a foreign and an empty cell file, then more cells"
            " asked for",
            begins=LESS,
            make=damaged_cells,
            says=(
                *(r"trained again: .*cannot be read", r"trained again: .*checksum"),
                r"trained again: .*holds",
            ),
            lost="these 4 cells",
            loses=4,
        ),
        *OTHERS[:2],  # a curve of an experiment that is not asked for again is refused
    ),
    "swapped_cells": Fault(
        title="two cell files exchanged, then measured anew",
        make=failing(measured_anew(lambda scene: exchanged(scene.cell(0), scene.cell(1)))),
        says=("holds the cell.*run again",),
        lost="these 2 cells",
        loses=2,
        tracebacks=True,
        kinds=(MEASURED.name,),
    ),
    "damaged_weights": Fault(
        title="a bit-flipped cell file, then measured anew",
        make=failing(measured_anew(lambda scene: bit_flipped(scene.cell(0)))),
        says=("checksum.*run again",),
        lost="this cell",
        loses=1,
        tracebacks=True,
        kinds=(MEASURED.name,),
    ),
    "folder_in_place": for_kinds(
        Fault(
            title="a folder in the place of a cell file",
            make=failing(folder_in_place),
            says=("a folder is in place of this file: remove it",),
            lost="this cell",
            loses=1,
            mend=lambda scene: scene.cell(0).rmdir(),
            mended=", once it is removed",
            tracebacks=True,
        ),
        *OTHERS,
    ),
    "left_over": Fault(
        title="partial files of killed processes beside whole ones, and a cell file deleted",
        make=left_over,
        says=("not in the store",),
        lost="this cell",
        loses=1,
    ),
    "damaged_checkpoints": Fault(
        title="SIGTERM, then all checkpoints truncated",
        begins=NOTHING,
        make=damaged_checkpoints,
        says=("damaged checkpoint, the cell begins anew",),
        lost="at most {at_work} in flight, no finished one",
        tracebacks=True,
    ),
    "damaged_derivations": _damaged(
        "sample of data", "derivations/*.parquet", kinds=(MEASURED.name,)
    ),
    "damaged_curve": _damaged("curve file", "curves/lcn*[0-9a-f].parquet", kinds=(MEASURED.name,)),
    "damaged_flow_curve": Fault(
        title="a truncated curve file",
        make=failing(first_of("plane/curves/*[0-9a-f].parquet", truncated)),
        says=("is damaged",),
        lost="this file",
        mend=delete("plane/curves/*[0-9a-f].parquet"),
        mended=", once it is deleted",
        tracebacks=True,
        trains=0,
        kinds=(GRADIENT_FLOW.name,),
    ),
    "damaged_experiment_curve": Fault(
        title="a truncated curve file",
        make=failing(first_of("experiments/memory/curves/*[0-9a-f].parquet", truncated)),
        says=("is damaged",),
        lost="this file",
        mend=delete("experiments/memory/curves/*[0-9a-f].parquet"),
        mended=", once it is deleted",
        tracebacks=True,
        trains=0,
        kinds=(EXPERIMENTS.name,),
    ),
    "damaged_measurement": _damaged(
        "file of measurements",
        "measured/sensitivities/*/sensitivities/*.parquet",
        kinds=(MEASURED.name,),
    ),
    "damaged_table": _damaged("table of cells", f"{_TABLES}/cells.parquet", kinds=(MEASURED.name,)),
    "altered_curve": Fault(
        title="a test error altered in a curve file that is whole",
        make=failing(altered_row),
        says=("says test_error = 0.0 of the cell",),
        lost="this file",
        mend=delete("curves/lcn*[0-9a-f].parquet"),
        mended=", once it is deleted",
        tracebacks=True,
        trains=0,
        kinds=(MEASURED.name,),
    ),
    "empty_table": Fault(
        title="a table of no bytes",
        make=first_of(f"{_TABLES}/sample_complexity.parquet", emptied),
        says=("is empty: it is made again",),
        lost="this file",
        trains=0,
        kinds=(MEASURED.name,),
    ),
    "empty_figure": Fault(
        title="a figure of no bytes",
        make=empty_figure,
        says=("is empty: it is made again",),
        lost="this file",
        trains=0,
        kinds=(MEASURED.name,),
    ),
    "records_deleted": Fault(
        title=".snakemake, results/.lock and results/run.log deleted",
        make=without_records,
        lost="nothing",
        trains=0,
    ),
    "future_dates": Fault(
        title="all files dated a day ahead, then more cells asked for",
        begins=LESS,
        make=future_dates,
        says=("dated in the future",),
    ),
    "dated_anew": Fault(
        title="all files dated anew in random order, as by a copy without dates",
        make=dated_anew,
        trains=0,
    ),
    "other_code": Fault(
        title="two cells of an older commit, whose training differs, in the store",
        begins=NOTHING,
        make=other_code,
        lost="nothing: the older cells stay beside those of now",
    ),
    "diverging": Fault(
        title="diverging cells (learning rate 10)",
        begins=NOTHING,
        make=diverging,
        says=("diverged after",),
        lost="nothing: these cells have a row with status diverged, and no error",
        rerun="nothing to be done: a diverged cell is a result",
    ),
    "published_table": Fault(
        title="a published table truncated",
        make=published(truncated, "cells.parquet"),
        says=("is damaged.*git checkout",),
        lost="this file, which the repository has",
        trains=0,
    ),
    "published_number": Fault(
        title="a number of a published provenance.json altered",
        make=published(raised, "provenance.json"),
        says=("is not what .make publish. wrote",),
        lost="this file, which is written anew",
        trains=0,
    ),
    "published_rows": Fault(
        title="a published table exchanged for another whole one",
        make=published(
            lambda path: shutil.copy(path.with_name("timings.parquet"), path), "cells.parquet"
        ),
        says=("provenance|schema",),
        lost="this file, which the repository has",
        trains=0,
    ),
    "published_provenance": Fault(
        title="a published provenance.json missing",
        make=published(Path.unlink, "provenance.json"),
        says=("provenance.json: is missing.*git checkout",),
        lost="this file, which is written anew",
        trains=0,
    ),
}
