"""Rows of finished runs that the repository keeps, `published/PRESET/`, with their provenance.

`make publish` writes them (srhm.commands.publish); figures and the report show them beside the rows
of another run, and no fit of that run sees them. docs/extending.md says how one is added.
"""

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.results.provenance import short_hash
from srhm.results.records import TableError, read_table
from srhm.results.tables import CELLS, SAMPLE_COMPLEXITY, TIMINGS

PUBLISHED = Path(__file__).resolve().parents[3] / "published"
CELLS_FILE, COMPLEXITY_FILE, PROVENANCE_FILE = (
    "cells.parquet",
    "sample_complexity.parquet",
    "provenance.json",
)
# Of the times, what says on what and how long a network was trained; not the host's name.
TRAINED = ("seconds", "started", "processor")
PUBLISHED_CELLS = pa.schema([*CELLS, *(TIMINGS.field(name) for name in TRAINED)])
# Of both tables, and (the number) of what the provenance says.
PROVENANCE_FORMAT = 2
FORMAT = short_hash(
    [f"{one.name} {one.type}" for table in (PUBLISHED_CELLS, SAMPLE_COMPLEXITY) for one in table]
    + [PROVENANCE_FORMAT]
)


class PublicationError(ValueError):
    """A file of published/ that cannot be trusted; the message names it and how to restore it."""


class OtherFormat(PublicationError):
    """A publication whole but with other columns, as another version of this code wrote it."""


@dataclass(frozen=True, kw_only=True)
class Publication:
    """The sample complexities (tables.SAMPLE_COMPLEXITY) of a published run and its provenance."""

    provenance: Mapping[str, Any]
    sample_complexity: pd.DataFrame

    @property
    def preset(self) -> str:
        """Name of the configuration that was run."""
        return str(self.provenance["preset"])

    @property
    def devices(self) -> str:
        """On what its networks were trained: AMD EPYC (CPU), NVIDIA H100 (GPU)."""
        kinds = {(one["processor"], one["device"]): None for one in self.provenance["trained_on"]}
        return ", ".join(f"{processor} ({device})" for processor, device in kinds)

    @property
    def seeds(self) -> str:
        """How many seeds a curve has: 1 seed, 3 seeds, 2–5 seeds."""
        numbers = self.provenance["seeds"]
        return f"{_span(numbers)} {'seed' if max(numbers) == 1 else 'seeds'}"

    @property
    def widths(self) -> str:
        """Channels H of its networks: 512, 128–512."""
        return _span(self.provenance["widths"])


def _span(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(most) if least == most else f"{least}–{most}"


def restored(path: Path, what: object) -> PublicationError:
    """The error of a damaged file: what is wrong with it and how it comes back."""
    return PublicationError(
        f"{path}: {what}; it belongs to the repository, `git checkout -- {path}` restores it"
    )


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 (hexadecimal) of both tables of a publication, by the name of the file."""
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in (CELLS_FILE, COMPLEXITY_FILE)
    }


def check_digests(folder: Path, provenance: Mapping[str, Any]) -> None:
    """Whether both tables are those that the provenance, written after them, was written for.

    Raises:
        PublicationError: if a table is missing or another one, naming it.
    """
    for name in (CELLS_FILE, COMPLEXITY_FILE):
        if not (folder / name).is_file():
            raise restored(folder / name, "is missing")
    found, expected = digests(folder), provenance.get("sha256")
    for name, digest in found.items():
        if not isinstance(expected, dict) or expected.get(name) != digest:
            raise restored(
                folder / name,
                f"is not the table that {PROVENANCE_FILE} beside it was written for (where `make"
                f" publish PRESET={folder.name}` was interrupted, the same command again mends it)",
            )


def read_published_table(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Rows of a table of published/.

    Raises:
        OtherFormat: if it is whole and has other columns.
        PublicationError: if it is missing or damaged.
    """
    if not path.is_file():
        raise restored(path, "is missing")
    try:
        found = pq.read_schema(path)
        fields = list(zip(found.names, found.types, strict=True))
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise restored(path, f"is damaged ({error})") from error
    expected = list(zip(schema.names, schema.types, strict=True))
    if fields != expected:
        unlike = sorted({name for name, _ in set(fields) ^ set(expected)})
        raise OtherFormat(f"{path} was written under another schema (columns {', '.join(unlike)})")
    try:
        return read_table(path, schema)
    except TableError as error:
        cause = error.__cause__ or error
        raise restored(path, f"is damaged ({cause})") from error


def read_provenance_file(path: Path) -> dict[str, Any]:
    """What stands beside the tables of a publication.

    Raises:
        OtherFormat: if it belongs to tables of other columns.
        PublicationError: if it is missing or damaged.
    """
    if not path.is_file():
        raise restored(path, "is missing")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise restored(path, f"is damaged ({error})") from error
    if not isinstance(found, dict):
        raise restored(path, "is damaged (no JSON object)")
    if found.get("format") != FORMAT:
        raise OtherFormat(f"{path} was written under another schema ({found.get('format')!r})")
    return found


def read_publications(
    files: Sequence[Path | str], *, log: logging.Logger | None = None
) -> list[Publication]:
    """The publications to which the files belong, by preset; none without files.

    One of another schema is left out, which the log says.

    Raises:
        PublicationError: if a file of one is missing, damaged or of another publication, naming it.
    """
    found = []
    for folder in sorted({Path(file).parent for file in files}):
        try:
            provenance = read_provenance_file(folder / PROVENANCE_FILE)
            table = read_published_table(folder / COMPLEXITY_FILE, SAMPLE_COMPLEXITY)
            check_digests(folder, provenance)
        except OtherFormat as other:
            (log or logging.getLogger(__name__)).warning(
                "without the published run of %s: %s; `make publish PRESET=%s` writes it anew",
                *(folder.name, other, folder.name),
            )
            continue
        found.append(Publication(provenance=provenance, sample_complexity=table))
        if log:
            log.info("beside it the published run %s: %d sample complexities from %d cells",
                     folder.name, len(table), provenance["cells"])  # fmt: skip
    return found
