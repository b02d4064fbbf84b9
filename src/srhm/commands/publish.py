"""Publish what is finished of a preset: its rows into the repository, `published/PRESET/`.

`python -m srhm.commands.publish --preset paper` takes the curves whose tables are finished under
results/, of each study whose rows are cells on the SRHM, estimates their sample complexities, and
writes both with their provenance: those of LCN, CNN and FCN into published/PRESET/, which the
figures read, those of another study into a folder of its name there. A second call adds what has
been finished since, from another machine too. Where the configuration or the code no longer asks
for rows that are published, it writes nothing unless `--drop` is given.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.commands.presets import Run, chosen, parser_for
from srhm.results import places
from srhm.results.atomic import write_text
from srhm.results.gathering import gather
from srhm.results.outdated import ON_GPU, made_by_other_code
from srhm.results.provenance import canonical_json
from srhm.results.publications import (
    CELLS_FILE,
    COMPLEXITY_FILE,
    FORMAT,
    PROVENANCE_FILE,
    PUBLISHED,
    PUBLISHED_CELLS,
    TRAINED,
    OtherFormat,
    PublicationError,
    check_digests,
    digests,
    read_provenance_file,
    read_published_table,
)
from srhm.results.records import TableError, write_table
from srhm.results.tables import CELLS, SAMPLE_COMPLEXITY, SENSITIVITIES, TIMINGS
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.studies.registry import STUDIES
from srhm.study import Curve

NOTHING = 1  # exit code where nothing is written: none finished, rows or damaged files in the way
NO_GPU = re.compile("cpu|interpreter", re.IGNORECASE)  # devices of such a form without a GPU
SHOWN = 5  # reasons that are written out
# The study whose rows lie in published/PRESET/ itself.
MAIN = "sparse_hierarchy"
# Schemas of the rows that can be published.
SCHEMAS = ("CELLS", "TIMINGS")


class NothingFinished(PublicationError):
    """A study of which no curve is finished."""


@dataclass
class Taken:
    """Rows (PUBLISHED_CELLS) by curve, and remarks on what was not taken.

    lost: what is published and no longer planned, a text for each curve.
    """

    curves: dict[str, pd.DataFrame] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def finished(directory: Path, curves: Mapping[str, Curve]) -> Taken:
    """The curves whose tables of rows and of times hold just the planned cells.

    directory: the one that holds results/. A table that cannot be taken leads to a remark: for one,
    if a cell was trained on a GPU by other code, which plan and status count as missing.
    """
    taken, planned = Taken(), keys_of(curves)
    for name, curve in curves.items():
        tables = (
            directory / places.rows_of_curve(curve.trainer, name),
            directory / places.timings_of_curve(curve.trainer, name),
        )
        if not tables[0].is_file():
            continue
        try:
            cells, timings = (
                gather([file], planned, schema)
                for file, schema in zip(tables, (CELLS, TIMINGS), strict=True)
            )
        except TableError as refusal:
            taken.remarks.append(f"not taken: {refusal}")
            continue
        if outdated := sum(map(made_by_other_code, cells["versions"])):
            taken.remarks.append(
                f"not taken: {tables[0]}: {outdated} of its {len(cells)} cells were trained on a"
                " GPU by other code and count as missing"
            )
            continue
        taken.curves[name] = cells.assign(**{column: timings[column] for column in TRAINED})
    return taken


def keys_of(curves: Mapping[str, Curve]) -> dict[str, list[str]]:
    """Keys of the cells of each curve."""
    return {name: [e["key"] for e in curve.entries] for name, curve in curves.items()}


def published_before(folder: Path, planned: Mapping[str, Sequence[str]]) -> Taken:
    """The curves of an earlier publication that are still planned; the others are named as lost.

    An interrupted call leaves tables and provenance that disagree. This leads to a remark only: the
    rows are whole, and each names its cell by the key.

    Raises:
        PublicationError: if its table is damaged, or missing beside the other files.
    """
    taken = Taken()
    if not any(
        (folder / name).is_file() for name in (CELLS_FILE, COMPLEXITY_FILE, PROVENANCE_FILE)
    ):
        return taken
    try:
        cells = read_published_table(folder / CELLS_FILE, PUBLISHED_CELLS)
    except OtherFormat as other:
        taken.lost.append(f"all of {other}")
        return taken
    try:
        check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
    except OtherFormat:
        pass  # its provenance is of another version, and written anew
    except PublicationError as interrupted:
        taken.remarks.append(f"written anew: {interrupted}")
    for name, rows in cells.groupby("curve", sort=False):
        if rows["key"].tolist() == list(planned.get(str(name), [])):
            taken.curves[str(name)] = rows
        else:
            taken.lost.append(
                f"{len(rows)} rows of {name}, whose keys the configuration and the code do not have"
            )
    return taken


def publish(
    run: Run, folder: Path, *, study: str = MAIN, commit: str, drop: bool = False
) -> list[str]:
    """Writes the finished rows of a study into a folder; what people should know, line by line.

    drop: whether published rows that are no longer planned may be dropped.

    Raises:
        NothingFinished: if there is nothing to publish.
        PublicationError: if published rows would be lost without `drop`, or if the folder's files
            are damaged. Nothing is written then.
    """
    planned, plan = run.plan.studies[study].curves, run.plan
    now, before = finished(run.directory, planned), published_before(folder, keys_of(planned))
    remarks = [*_some(now.remarks), *_some(before.remarks)]
    _refuse_losses(before.lost, remarks, folder, preset=plan.name, drop=drop)
    curves, rows = before.curves | now.curves, run.directory / "results"
    if not curves:
        nothing = f"nothing to publish: no curve of {plan.name}, {study}, is finished in {rows}"
        raise NothingFinished("\n".join([*remarks, nothing]))
    remarks += _some([f"dropped: {one}" for one in before.lost])
    cells = pd.concat([curves[name] for name in planned if name in curves], ignore_index=True)
    thresholds = plan.settings(study)["thresholds"]
    table = all_sample_complexities(
        cells, SENSITIVITIES.empty_table().to_pandas(), thresholds=thresholds
    )
    provenance = provenance_of(
        cells, preset=plan.name, planned=keys_of(planned), thresholds=thresholds, commit=commit
    )
    write_table(cells, folder / CELLS_FILE, PUBLISHED_CELLS)
    write_table(table, folder / COMPLEXITY_FILE, SAMPLE_COMPLEXITY)
    # Last: an interrupted call leaves tables that do not agree with it.
    write_text(folder / PROVENANCE_FILE, provenance_text(provenance | {"sha256": digests(folder)}))
    sizes = [
        f"{name} {(folder / name).stat().st_size / 1e3:.0f} kB"
        for name in (CELLS_FILE, COMPLEXITY_FILE, PROVENANCE_FILE)
    ]
    return [
        *remarks,
        _by_kind(planned, curves),
        f"taken: {len(curves)} of {len(planned)} curves ({len(now.curves)} of them from"
        f" {rows}, {len(curves.keys() - now.curves.keys())} published before),"
        f" {len(cells)} of {provenance['planned_cells']} cells",
        f"trained: {_times(provenance)}",
        f"left out: {provenance['left_out']}",
        f"written to {folder}: {', '.join(sizes)}",
    ]


def _refuse_losses(
    lost: Sequence[str], remarks: Sequence[str], folder: Path, *, preset: str, drop: bool
) -> None:
    if not lost or drop:
        return
    losses = _some([f"published, no longer planned: {one}" for one in lost])
    refusal = (
        f"nothing is written: {folder} would lose these rows. Publish from the code and"
        f" configuration that trained them ({PROVENANCE_FILE} names the commit), or drop them:"
        f" make publish PRESET={preset} ARGS=--drop"
    )
    raise PublicationError("\n".join([*remarks, *losses, refusal]))


def provenance_of(
    cells: pd.DataFrame,
    *,
    preset: str,
    planned: Mapping[str, Sequence[str]],
    thresholds: Sequence[float],
    commit: str,
) -> dict[str, Any]:
    """Where rows (PUBLISHED_CELLS) come from: all but the commit is counted from the rows.

    planned: keys of the cells of the study's curves in the preset; commit: of the code to
    whose plan the rows belong. `seconds` are summed over the networks that were trained one by one.
    A row of networks that were trained together has the time of all of them: their `seconds` are
    None and enter no sum.
    """
    versions = cells["versions"]
    frame = cells.assign(
        device=[_device(text) for text in versions],
        together=[ON_GPU.search(text) is not None for text in versions],
    )
    groups = frame.groupby(["processor", "device", "engine", "together"])
    alone = frame["seconds"][~frame["together"]]
    days = cells["started"].str.slice(stop=10)
    return {
        "format": FORMAT,
        "preset": preset,
        "command": f"make publish PRESET={preset}",
        "commit": commit,
        "trained_from": str(days.min()),
        "trained_to": str(days.max()),
        "trained_on": [
            {"processor": processor, "device": kind, "engine": engine, "cells": len(part),
             "seconds": None if together else round(float(part["seconds"].sum()), 1)}
            for (processor, kind, engine, together), part in groups
        ],
        "seconds": round(float(alone.sum()), 1),
        "versions": _counts(versions),
        "sources": _counts(cells["source"]),
        "statuses": _counts(cells["status"]),
        "cells": len(cells),
        "planned_cells": sum(map(len, planned.values())),
        "curves": int(cells["curve"].nunique()),
        "planned_curves": len(planned),
        "seeds": sorted(set(cells.groupby("curve")["seed"].nunique().tolist())),
        "widths": sorted(set(cells["width"].tolist())),
        "thresholds": list(thresholds),
        "left_out": "sensitivities; other studies",
    }  # fmt: skip


def _device(versions: str) -> str:
    """GPU or CPU, of a network by its versions: a form for GPUs names the device that it ran on."""
    form = ON_GPU.search(versions)
    return "GPU" if form and not NO_GPU.search(versions[form.end() :]) else "CPU"


def _times(provenance: Mapping[str, Any]) -> str:
    """How long networks were trained, and how many without a time of their own."""
    parts = provenance["trained_on"]
    alone, together = (
        sum(one["cells"] for one in parts if (one["seconds"] is None) == shared)
        for shared in (False, True)
    )
    said = []
    if alone:
        said.append(f"{alone} cells one by one, {provenance['seconds'] / 3600:.3g} h")
    if together:
        said.append(f"{together} cells in packs, which have no times of their own")
    return "; ".join(said)


def _counts(values: pd.Series) -> dict[str, int]:
    return {str(value): int(n) for value, n in values.value_counts().sort_index().items()}


def provenance_text(provenance: Mapping[str, Any]) -> str:
    """The provenance as the text of its file."""
    canonical_json(provenance)  # refuses NaN
    return json.dumps(provenance, indent=1, ensure_ascii=False) + "\n"


def _some(remarks: Sequence[str]) -> list[str]:
    more = len(remarks) - SHOWN
    return [*remarks[:SHOWN], *([f"... and {more} more like these"] if more > 0 else [])]


def _by_kind(planned: Mapping[str, Curve], curves: Mapping[str, pd.DataFrame]) -> str:
    """A table of what is taken and what is missing, by net, L, s and width."""
    rows = [
        {**{name: curve.cells[0][name] for name in ("net", "L", "s", "width")},
         "curves": 1, "taken": int(name in curves), "missing": int(name not in curves)}
        for name, curve in planned.items()
    ]  # fmt: skip
    groups = pd.DataFrame(rows).groupby(["net", "L", "s", "width"], sort=False)
    return groups.sum().reset_index().to_string(index=False)


def commit_of(folder: Path) -> str:
    """Commit of a working tree, with "+ changes" where files other than published ones differ."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changes = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!published")
        return git("rev-parse", "HEAD") + (" + changes" if changes else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main(arguments: Sequence[str] | None = None) -> int:
    """Publishes a preset; 1 if it is refused for a study or for all, 2 if the preset is refused."""
    parser = parser_for("publish", __doc__)
    parser.add_argument("--published", type=Path, default=PUBLISHED, help="where published/ lies")
    parser.add_argument("--commit", help="of the code that trained; else that of this repository")
    parser.add_argument(
        "--drop", action="store_true", help="drop published rows that are no longer planned"
    )
    options = parser.parse_args(arguments)
    run = chosen(options)
    if run is None:
        return 2
    studies = [study for study in run.plan.studies if _can_be_published(study)]
    if not studies:
        print(f"of these studies none has rows on the SRHM: {', '.join(run.plan.studies)}")
        return NOTHING
    commit = options.commit or commit_of(PUBLISHED.parent)
    written = refused = 0
    for study in studies:
        folder = options.published / run.plan.name
        folder = folder if study == MAIN else folder / study
        try:
            lines = publish(run, folder, study=study, commit=commit, drop=options.drop)
        except PublicationError as error:
            print(error, file=sys.stderr)
            refused += not isinstance(error, NothingFinished)
        else:
            print("\n".join(lines))
            written += 1
    return 0 if written and not refused else NOTHING


def _can_be_published(study: str) -> bool:
    trainer = STUDIES[study].trainer
    return trainer is not None and (trainer.cells, trainer.timings) == SCHEMAS


if __name__ == "__main__":
    sys.exit(main())
