"""What stands beside the published rows of a study: provenance.json.

The file says of what code, configuration and machines the rows are, and holds the SHA-256 of their
tables. It names the settings of what was measured, as rows are told apart by the networks that they
are of.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from srhm.declare.study import Planned, Study
from srhm.store import places
from srhm.store.atomic import naming
from srhm.store.provenance import canonical_json

PROVENANCE_FILE = "provenance.json"
# Of what the provenance says; each table tells its own columns.
FORMAT = 3


class PublicationError(ValueError):
    """A file of published/ that cannot be trusted; the message names it and how to restore it."""


class OtherFormat(PublicationError):
    """A publication whole but with other columns, as another version of this code wrote it."""


def damaged_file(path: Path, what: object) -> PublicationError:
    """The error of a damaged file: what is wrong with it and how it comes back."""
    return PublicationError(
        f"{path}: {what}; it belongs to the repository, `git checkout -- {path}` restores it"
    )


def measured_with(study: Study, planned: Planned) -> dict[str, Any]:
    """Settings of what is measured in a study, by measurement; without those that have none."""
    every = {m.name: places.options_of(m, planned) for m in study.measurements}
    plain: dict[str, Any] = json.loads(canonical_json({k: dict(v) for k, v in every.items() if v}))
    return plain


def measured_otherwise(known: Mapping[str, Any], study: Study, planned: Planned) -> list[str]:
    """Measurements whose published rows have other settings than those that are planned.

    known: content of a provenance; one that was written before it had settings tells of none.
    """
    asked, told = measured_with(study, planned), known.get("measured_with", {})
    return [name for name in asked if name in told and told[name] != asked[name]]


def read_provenance_file(path: Path) -> dict[str, Any]:
    """What stands beside the tables of a publication.

    Raises:
        OtherFormat: if it belongs to tables of other columns.
        PublicationError: if it is missing or damaged.
        StorageError: if it cannot be read now.
    """
    try:
        with naming(path):
            content = path.read_bytes()
        provenance = json.loads(content)
    except FileNotFoundError as error:
        raise damaged_file(path, "is missing") from error
    except ValueError as error:
        raise damaged_file(path, f"is damaged ({error})") from error
    if not isinstance(provenance, dict):
        raise damaged_file(path, "is damaged (no JSON object)")
    if provenance.get("format") != FORMAT:
        raise OtherFormat(f"{path} is of another version ({provenance.get('format')!r})")
    if not isinstance(provenance.get("sha256"), dict):
        raise damaged_file(path, "names no tables")
    return provenance
