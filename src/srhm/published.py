"""Publish what is finished of a preset: its rows into the repository, `published/PRESET/`.

`python -m srhm.published --preset paper` takes the curves of LCN, CNN and FCN whose tables are
finished under results/, estimates their sample complexities, and writes both with their provenance.
A second call adds what has been finished since, from another machine too, and drops rows that the
configuration or the code no longer asks for.
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

from srhm.gathering import gather
from srhm.presets import Study, chosen, parser_for
from srhm.provenance import canonical_json
from srhm.publications import (
    CELLS_FILE,
    COMPLEXITY_FILE,
    FORMAT,
    PROVENANCE_FILE,
    PUBLISHED,
    PUBLISHED_CELLS,
    TRAINED,
    OtherFormat,
    PublicationError,
    read_published_table,
)
from srhm.records import (
    CELLS,
    SAMPLE_COMPLEXITY,
    SENSITIVITIES,
    TIMINGS,
    TableError,
    write_table,
)
from srhm.sample_complexity import all_sample_complexities
from srhm.training.curve import ON_GPU

NOTHING = 1  # exit code where there is nothing to publish, or a damaged file in the way
NO_GPU = re.compile("cpu|interpreter", re.IGNORECASE)  # devices of such a form without a GPU
SHOWN = 5  # reasons that are written out


@dataclass
class Taken:
    """Rows (PUBLISHED_CELLS) by curve, and remarks on what was not taken."""

    curves: dict[str, pd.DataFrame] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def finished(rows: Path, planned: Mapping[str, Sequence[str]]) -> Taken:
    """The curves whose tables of rows and of times in a folder hold just the planned cells.

    planned: keys of the cells of each curve. A table that is there and cannot be taken is remarked.
    """
    taken = Taken()
    for name in planned:
        tables = rows / f"{name}.parquet", rows / f"{name}.timings.parquet"
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
        taken.curves[name] = cells.assign(**{column: timings[column] for column in TRAINED})
    return taken


def published_before(folder: Path, planned: Mapping[str, Sequence[str]]) -> Taken:
    """The curves of an earlier publication that are still planned; what is dropped is remarked.

    Raises:
        PublicationError: if its table is damaged.
    """
    taken = Taken()
    if not (folder / CELLS_FILE).is_file():
        return taken
    try:
        cells = read_published_table(folder / CELLS_FILE, PUBLISHED_CELLS)
    except OtherFormat as other:
        taken.remarks.append(f"dropped: all of {other}")
        return taken
    for name, rows in cells.groupby("curve", sort=False):
        if rows["key"].tolist() == list(planned.get(str(name), [])):
            taken.curves[str(name)] = rows
        else:
            taken.remarks.append(
                f"dropped: {len(rows)} rows of {name}, whose keys the configuration and the code"
                " no longer have"
            )
    return taken


def publish(study: Study, folder: Path, *, commit: str) -> list[str]:
    """Writes the finished rows of a study into a folder; what people should know, line by line.

    Raises:
        PublicationError: if there is nothing to publish, or what the folder holds is damaged.
    """
    preset = study.plan.preset
    planned = {name: [e["key"] for e in curve.entries] for name, curve in study.plan.core.items()}
    now = finished(study.networks[0].rows, planned)
    before = published_before(folder, planned)
    curves = before.curves | now.curves
    remarks = [*_some(now.remarks), *_some(before.remarks)]
    if not curves:
        raise PublicationError(
            "\n".join([*remarks, f"nothing to publish: no curve of {preset.preset} is finished in"
                                 f" {study.networks[0].rows}"])
        )  # fmt: skip
    cells = pd.concat([curves[name] for name in planned if name in curves], ignore_index=True)
    thresholds = [preset.analysis.threshold, *preset.analysis.other_thresholds]
    table = all_sample_complexities(
        cells, SENSITIVITIES.empty_table().to_pandas(), thresholds=thresholds
    )
    provenance = provenance_of(
        cells, preset=preset.preset, planned=planned, thresholds=thresholds, commit=commit
    )
    write_table(cells, folder / CELLS_FILE, PUBLISHED_CELLS)
    write_table(table, folder / COMPLEXITY_FILE, SAMPLE_COMPLEXITY)
    (folder / PROVENANCE_FILE).write_text(provenance_text(provenance), encoding="utf-8")
    sizes = [
        f"{name} {(folder / name).stat().st_size / 1e3:.0f} kB"
        for name in (CELLS_FILE, COMPLEXITY_FILE, PROVENANCE_FILE)
    ]
    return [
        *remarks,
        _by_kind(study, curves),
        f"taken: {len(curves)} of {len(planned)} curves ({len(now.curves)} of them from"
        f" {study.networks[0].rows}, {len(curves.keys() - now.curves.keys())} published before),"
        f" {len(cells)} of {provenance['planned_cells']} cells,"
        f" {provenance['seconds'] / 3600:.3g} h of training",
        f"left out: {provenance['left_out']}",
        f"written to {folder}: {', '.join(sizes)}",
    ]


def provenance_of(
    cells: pd.DataFrame,
    *,
    preset: str,
    planned: Mapping[str, Sequence[str]],
    thresholds: Sequence[float],
    commit: str,
) -> dict[str, Any]:
    """Where rows (PUBLISHED_CELLS) come from: all but the commit is counted from the rows.

    planned: keys of the cells of the preset's curves of LCN, CNN and FCN; commit: of the code to
    whose plan the rows belong. `seconds` are those of each network's training, summed.
    """
    device = [_device(text) for text in cells["versions"]]
    trained = cells.assign(device=device).groupby(["processor", "device", "engine"])
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
             "seconds": round(float(part["seconds"].sum()), 1)}
            for (processor, kind, engine), part in trained
        ],
        "seconds": round(float(cells["seconds"].sum()), 1),
        "versions": _counts(cells["versions"]),
        "sources": _counts(cells["source"]),
        "statuses": _counts(cells["status"]),
        "cells": len(cells),
        "planned_cells": sum(map(len, planned.values())),
        "curves": int(cells["curve"].nunique()),
        "planned_curves": len(planned),
        "seeds": sorted(set(cells.groupby("curve")["seed"].nunique().tolist())),
        "widths": sorted(set(cells["width"].tolist())),
        "thresholds": list(thresholds),
        "left_out": "sensitivities; named networks, networks on images and of the plane",
    }  # fmt: skip


def _device(versions: str) -> str:
    """GPU or CPU, of a network by its versions: a form for GPUs names the device that it ran on."""
    form = ON_GPU.search(versions)
    return "GPU" if form and not NO_GPU.search(versions[form.end() :]) else "CPU"


def _counts(values: pd.Series) -> dict[str, int]:
    return {str(value): int(n) for value, n in values.value_counts().sort_index().items()}


def provenance_text(provenance: Mapping[str, Any]) -> str:
    """The provenance as the text of its file."""
    canonical_json(provenance)  # refuses NaN
    return json.dumps(provenance, indent=1, ensure_ascii=False) + "\n"


def _some(remarks: Sequence[str]) -> list[str]:
    more = len(remarks) - SHOWN
    return [*remarks[:SHOWN], *([f"... and {more} more like these"] if more > 0 else [])]


def _by_kind(study: Study, curves: Mapping[str, pd.DataFrame]) -> str:
    """A table of what is taken and what is missing, by net, L, s and width."""
    rows = [
        {**{name: curve.entries[0]["cell"][name] for name in ("net", "L", "s", "width")},
         "curves": 1, "taken": int(name in curves), "missing": int(name not in curves)}
        for name, curve in study.plan.core.items()
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
    """Publishes a preset; 1 where there is nothing to publish, 2 if the preset is refused."""
    parser = parser_for("published", __doc__)
    parser.add_argument("--published", type=Path, default=PUBLISHED, help="where published/ lies")
    parser.add_argument("--commit", help="of the code that trained; else that of this repository")
    options = parser.parse_args(arguments)
    study = chosen(options)
    if study is None:
        return 2
    folder = options.published / study.plan.preset.preset
    try:
        lines = publish(study, folder, commit=options.commit or commit_of(PUBLISHED.parent))
    except PublicationError as error:
        print(error, file=sys.stderr)
        return NOTHING
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
