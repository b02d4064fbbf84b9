"""Publish what is finished of a preset: its rows into the repository, `published/PRESET/STUDY/`.

`srhm publish --preset paper` takes the curves whose tables are finished under
results/, of each study that has a trainer, with what is measured of them, and writes a table of
each kind with their provenance. A second call adds what has been finished since, from another
machine too. Where the configuration or the code no longer asks for rows that are published, it
writes nothing unless `--drop` is given.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srhm.commands.presets import Run, chosen_run, parser_for
from srhm.declare.study import Curve, Planned
from srhm.planning.registry import STUDIES
from srhm.store import places
from srhm.store.atomic import write_text
from srhm.store.cells import ON_GPU, made_by_other_code
from srhm.store.gathering import gather
from srhm.store.paths import keys_of_rows, searched_spec
from srhm.store.provenance import UNKNOWN, commit_of
from srhm.store.published import (
    Rows,
    check_digests,
    digests,
    published_file,
    rounded,
    rows_by_curve,
    taken_rows,
)
from srhm.store.published_provenance import (
    FORMAT,
    PROVENANCE_FILE,
    OtherFormat,
    PublicationError,
    measured_otherwise,
    measured_with,
    read_provenance_file,
)
from srhm.store.records import TableError, holds, read_table, write_table
from srhm.store.tables import schema_of

NOTHING = 1  # exit code where nothing is written: none finished, rows or damaged files in the way
SHOWN = 5  # reasons that are written out


class NothingFinished(PublicationError):
    """A study of which no curve is finished, or not all of whose curves can be planned here."""


@dataclass
class Taken:
    """Rows by table and curve, and remarks on what was not taken.

    lost: what is published and no longer planned, a text for each curve.
    """

    rows: Rows = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def curves(self) -> set[str]:
        """Names of the curves whose cells are there."""
        return set(self.rows.get("cells", {}))


def finished(run: Run, study: str, folder: Path) -> Taken:
    """The curves whose tables hold just the planned cells, and what is measured of them.

    folder: of published rows; what a run took of these counts as finished with it. A curve that
    cannot be taken leads to a remark.
    """
    taken, planned = Taken(), run.plan.studies[study]
    curves = {
        name: files
        for name, curve in planned.curves.items()
        if (files := run.files(study, curve))["cells"].is_file()
    }
    otherwise, published = _tables_measured_otherwise(folder, study, planned), Rows()
    schemas = {
        table: schema
        for table, schema in published_schemas(study).items()
        if table not in otherwise
    }
    keys = {name: [entry["key"] for entry in planned.curves[name].entries] for name in curves}
    columns = {name: planned.curves[name].columns for name in curves}
    with suppress(PublicationError):  # absent, or said of the rows that stay
        published = taken_rows(folder, schemas, keys, columns)
    for name, files in curves.items():
        try:
            tables = _tables_of_curve(study, planned.curves[name], files, published)
        except TableError as refusal:
            taken.remarks.append(f"not taken: {refusal}")
            continue
        for table, rows in tables.items():
            taken.rows.setdefault(table, {})[name] = rows
    return taken


def _tables_of_curve(
    study: str, curve: Curve, files: Mapping[str, Path], published: Rows
) -> dict[str, pd.DataFrame]:
    """Tables of a curve by name, with the published rows that its files lack.

    Raises:
        TableError: if one does not hold the planned cells, or a cell was trained on a GPU by other
            code, which plan and status count as missing.
    """
    schemas, one_row_a_cell = published_schemas(study), {"cells", "timings"}
    needed = one_row_a_cell.union(
        *(
            measurement.tables
            for measurement in STUDIES[study].measurements
            if places.is_of(measurement, curve) and measurement.may_be_empty
        )
    )
    cells = read_table(files["cells"], schemas["cells"])
    known = published.get("cells", {}).get(curve.name)
    # Last: where both have a cell, the file's own row says where a search goes, as in `gather`.
    keys = {curve.name: _keys_of(curve, pd.concat([known, cells]))}
    tables = {
        table: gather(
            [file], keys, schemas[table], one_row_a_cell=table in one_row_a_cell,
            published=published.get(table, {}),
        )
        for table, file in files.items() if table in needed or file.is_file()
    }  # fmt: skip
    if outdated := sum(map(made_by_other_code, tables["cells"]["versions"])):
        raise TableError(
            f"{files['cells']}: {outdated} of its {len(tables['cells'])} networks were trained on a"
            " GPU by other code and count as missing"
        )
    return tables


def _keys_of(curve: Curve, cells: pd.DataFrame) -> list[str]:
    """Keys that the rows of a curve must have; of a searched one those of whole searches."""
    if curve.search:
        return keys_of_rows(searched_spec(curve), cells)
    return [entry["key"] for entry in curve.entries]


def published_schemas(study: str) -> dict[str, Any]:
    """Schemas of the tables of a study that are published: those that are not derived of others."""
    derived, schemas = {table.name for table in STUDIES[study].tables}, STUDIES[study].schemas
    return {table: schema_of(name) for table, name in schemas.items() if table not in derived}


def published_before(folder: Path, study: str, planned: Planned, now: Taken) -> Taken:
    """The curves of an earlier publication that are still planned; the others are named as lost.

    now: what is finished; rows of a cell that it has, of whatever curve, are not lost.

    An interrupted call leaves tables and provenance that disagree. This leads to a remark only: the
    rows are whole, and each names its cell by the key.

    Raises:
        PublicationError: if a table is damaged, or missing beside the other files.
    """
    taken = Taken()
    if not any(folder.glob("*.parquet")) and not (folder / PROVENANCE_FILE).is_file():
        return taken
    try:
        rows = rows_by_curve(folder, published_schemas(study))
    except OtherFormat as other:
        taken.lost.append(f"all of {other}")
        return taken
    try:
        check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
    except PublicationError as interrupted:
        if not rows.keys() >= {"cells", "timings"}:
            raise
        if not isinstance(interrupted, OtherFormat):  # of another version, and written anew
            taken.remarks.append(f"written anew: {interrupted}")
    held = {key for cells in now.rows.get("cells", {}).values() for key in cells["key"]}
    for curve, cells in rows["cells"].items():
        if curve in planned.curves and [*cells["key"]] == _keys_of(planned.curves[curve], cells):
            for table in (table for table in rows if curve in rows[table]):
                taken.rows.setdefault(table, {})[curve] = rows[table][curve]
        elif n := sum(key not in held for key in cells["key"]):
            taken.lost.append(f"{n} rows of {curve}")
    for table in _tables_measured_otherwise(folder, study, planned):
        if left := taken.rows.pop(table, {}).keys() - now.rows.get(table, {}).keys():
            taken.lost.append(f"{table} of {len(left)} curves, measured with other settings")
    return taken


def publish(run: Run, folder: Path, *, study: str, commit: str, drop: bool = False) -> list[str]:
    """Writes the finished rows of a study into a folder; what people should know, line by line.

    drop: whether published rows that are no longer planned may be dropped.

    Raises:
        NothingFinished: if there is nothing to publish, or if a package or data are missing here
            without which published rows cannot be told from rows that are no longer planned.
        PublicationError: if published rows would be lost without `drop`, or if the folder's files
            are damaged. Nothing is written then.
    """
    planned = run.plan.studies[study]
    now = finished(run, study, folder)
    before = published_before(folder, study, planned, now)
    remarks, done = [*_some(now.remarks), *before.remarks], now.curves | before.curves
    if before.lost and planned.absent:
        why = f"{folder} is left as it is, --drop or not: {study} cannot be planned whole:"
        raise NothingFinished("\n".join([*remarks, f"{why} {planned.absent}"]))
    if before.lost and not drop:
        losses = _some([f"published, no longer planned: {lost}" for lost in before.lost])
        refusal = (
            f"nothing is written: {folder} would lose these rows. Publish from the code and"
            f" configuration that trained them ({PROVENANCE_FILE} names the commit), or drop them:"
            f" make publish PRESET={run.plan.name} ARGS=--drop"
        )
        raise PublicationError("\n".join([*remarks, *losses, refusal]))
    if not done:
        nothing = f"nothing to publish: no curve of {run.plan.name}, {study}, is finished"
        raise NothingFinished("\n".join([*remarks, nothing]))
    rows = {
        table: before.rows.get(table, {}) | now.rows.get(table, {})
        for table in published_schemas(study)
    }
    tables, provenance = _written(run, folder, rows, study=study, commit=commit)
    return [
        *remarks,
        *_some([f"dropped: {lost}" for lost in before.lost]),
        f"taken: {len(done)} of {len(planned.curves)} curves ({len(now.curves)} of them from"
        f" {run.directory / 'results'}, {len(before.curves - now.curves)} published before),"
        f" {provenance['cells']} of {provenance['planned_cells']} cells",
        *(
            f"{table} of {len(curves)} curve{'' if len(curves) == 1 else 's'}"
            for table, curves in rows.items()
            if curves and table not in ("cells", "timings")
        ),
        f"written to {folder}: {', '.join(tables)}",
    ]


def _written(
    run: Run, folder: Path, rows: Rows, *, study: str, commit: str
) -> tuple[list[str], dict[str, Any]]:
    """Names of the tables that a publication has now, and its provenance."""
    planned, schemas, tables = run.plan.studies[study], published_schemas(study), {}
    for table, curves in rows.items():
        if curves:
            parts = [curves[name] for name in planned.curves if name in curves]
            tables[table] = rounded(table, pd.concat(parts, ignore_index=True))
    # The rest says on what and how long a network was trained.
    tables["timings"] = tables["timings"].assign(host="")
    provenance = provenance_of(tables, run, study, commit=commit)
    if settings := measured_with(STUDIES[study], planned):
        provenance["measured_with"] = settings
    for table, whole in tables.items():
        # A repository keeps each version of a file, and other releases write equal rows otherwise.
        if not holds(published_file(folder, table), whole, schemas[table]):
            write_table(whole, published_file(folder, table), schemas[table])
    for table in rows.keys() - tables.keys():  # dropped
        published_file(folder, table).unlink(missing_ok=True)
    # Last: an interrupted call leaves tables that do not agree with it.
    sums = {"sha256": digests(folder, list(tables))}
    text = json.dumps(provenance | sums, indent=1, ensure_ascii=False)
    write_text(folder / PROVENANCE_FILE, f"{text}\n")
    return list(tables), provenance


def _tables_measured_otherwise(folder: Path, study: str, planned: Planned) -> list[str]:
    """Tables that were published with other settings of a measurement."""
    try:
        known = read_provenance_file(folder / PROVENANCE_FILE)
    except PublicationError:  # absent, or named already
        return []
    names = measured_otherwise(known, STUDIES[study], planned)
    measurements = (measure for measure in STUDIES[study].measurements if measure.name in names)
    return [table for measure in measurements for table in measure.tables]


def provenance_of(
    tables: Mapping[str, pd.DataFrame], run: Run, study: str, *, commit: str
) -> dict[str, Any]:
    """Where rows come from: all but the commit is counted from the tables of cells and times.

    commit: of the code to whose plan the rows belong. `seconds` are summed over the networks that
    were trained one by one. A row of networks that were trained together has the time of all of
    them: their `seconds` are None and enter no sum.
    """
    cells, timings, preset = tables["cells"], tables["timings"], run.plan.name
    versions, trainer = cells["versions"], STUDIES[study].trainer
    assert trainer is not None
    curves, n_cells = run.plan.studies[study].curves, cells["curve"].value_counts()
    # A stack names the device that it was on.
    stack = versions.str.extract(f"{ON_GPU.pattern}(?P<device>.*)")["device"]
    frame = timings.assign(
        engine=cells.get("engine", trainer.name),
        device=np.where(stack.isna() | (stack == "cpu"), "CPU", "GPU"),
        together=stack.notna(),
    )
    groups = frame.groupby(["processor", "device", "engine", "together"])
    alone = frame["seconds"][~frame["together"]]
    days = timings["started"].str.slice(stop=10)
    return {
        "format": FORMAT,
        "preset": preset,
        "study": study,
        "command": f"make publish PRESET={preset} STUDY={study}",
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
        # Of a search that has ended, those of its rows.
        "planned_cells": sum(int(n_cells.get(name, len(curve.entries)))
                             for name, curve in curves.items()),
        "curves": int(cells["curve"].nunique()),
        "planned_curves": len(curves),
        "seeds": sorted(set(cells.groupby("curve")["seed"].nunique().tolist())),
        "widths": sorted(set(cells["width"].dropna().tolist())) if "width" in cells else [],
        "thresholds": list(run.plan.settings(study)["thresholds"]),
        # Of each table its curves: of some nothing may have been measured yet.
        "tables": {table: list(map(str, rows["curve"].unique())) for table, rows in tables.items()},
    }  # fmt: skip


def _counts(values: pd.Series) -> dict[str, int]:
    return {str(value): int(n) for value, n in values.value_counts().sort_index().items()}


def _some(remarks: Sequence[str]) -> list[str]:
    more = len(remarks) - SHOWN
    return [*remarks[:SHOWN], *([f"... and {more} more like these"] if more > 0 else [])]


def main(arguments: Sequence[str] | None = None) -> int:
    """Publishes a preset; 1 if it is refused for a study or for all."""
    parser = parser_for("publish", __doc__)
    parser.add_argument(
        "--published", type=Path, default=places.PUBLISHED, help="where published/ lies"
    )
    parser.add_argument("--commit", help="of the code that trained; else that of this repository")
    parser.add_argument(
        "--drop", action="store_true", help="drop published rows that are no longer planned"
    )
    options = parser.parse_args(arguments)
    run = chosen_run(options)
    studies = [study for study in run.plan.studies if STUDIES[study].trainer is not None]
    if not studies:
        print(f"none of these studies trains networks: {', '.join(run.plan.studies)}")
        return NOTHING
    commit = options.commit or commit_of()
    if commit == UNKNOWN:
        print("the commit of the code is unknown. --commit names it", file=sys.stderr)
    written = refused = 0
    for study in studies:
        folder = places.published_folder(run.plan.name, study, published=options.published)
        try:
            lines = publish(run, folder, study=study, commit=commit, drop=options.drop)
        except PublicationError as error:
            print(error, file=sys.stderr)
            refused += not isinstance(error, NothingFinished)
        else:
            print("\n".join(lines))
            written += 1
    return 0 if written and not refused else NOTHING
