"""An archive of the project: a run crate of published rows and of the weights of trained networks.

`srhm crate` writes one, `srhm fetch-archive` takes one back, and `srhm reproduce --archive` puts
its networks into the store, so that what measures them needs no training. Its metadata describe
each file with its SHA-256: a file that is not as it was packed, or not described, is refused.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from srhm.results.atomic import replacing
from srhm.results.store import path_of

METADATA = "ro-crate-metadata.json"
WORKFLOW_RUN = "https://w3id.org/ro/wfrun/workflow/0.5"
PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    WORKFLOW_RUN,
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
# Folder of the networks, each in a file as in the store.
WEIGHTS = "weights"
CHUNK = 1 << 20

Graph = Mapping[str, Mapping[str, Any]]


class ArchiveError(ValueError):
    """An archive that cannot be had, or cannot be trusted; the message says why."""


@dataclass(frozen=True)
class FromArchive:
    """How many networks of a run came from an archive, were there before, and are in neither.

    dry: whether none was copied.
    """

    taken: int
    there: int
    lacking: int
    dry: bool = False

    def line(self, archive: Path) -> str:
        """The same for people."""
        said = (
            f"of {self.taken + self.there + self.lacking} networks {self.taken}"
            f" {'would come' if self.dry else 'come'} from {archive},"
            f" {self.there} are stored already, {self.lacking} are to be trained"
        )
        if not self.taken + self.there and stored_networks(archive):
            said += "; those of the archive are of other presets or studies, or of other code"
        return said


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def is_safe(name: str) -> bool:
    """Whether the name of a file stays within the folder that it is unpacked into."""
    path = PurePosixPath(name)
    odd = not name or "\\" in name or ":" in name or "\0" in name
    return not odd and not path.is_absolute() and ".." not in path.parts and str(path) == name


def read_graph(folder: Path) -> Graph:
    """What the metadata describe, by identifier.

    Raises:
        ArchiveError: if they are missing or damaged.
    """
    file = folder / METADATA
    try:
        graph = json.loads(file.read_text(encoding="utf-8"))["@graph"]
        return {str(one["@id"]): one for one in graph}
    except FileNotFoundError as error:
        raise ArchiveError(f"{folder} has no {METADATA}: it is no archive") from error
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise ArchiveError(f"{file} is damaged ({error!r})") from error


def checked_archive(folder: Path) -> Graph:
    """What an archive describes, after a look at all of it: files, sums, and what profiles demand.

    Of the profile Workflow Run Crate: name, description, licence and date of the whole, its
    workflow, and of each run the workflow, what it used, what it made, and when. No network.

    Raises:
        ArchiveError: if a file is missing, another one or not described, or something is lacking.
    """
    graph = read_graph(folder)
    fault = next(chain(_faults_of_files(folder, graph), _faults_of_profile(graph)), None)
    if fault is not None:
        raise ArchiveError(f"{folder}: {fault}")
    return graph


def _faults_of_files(folder: Path, graph: Graph) -> Iterable[str]:
    described = {name: one for name, one in graph.items() if "File" in _kinds(one)}
    for name, one in described.items():
        path = folder / name
        if not is_safe(name):
            yield f"{name!r} is no name of a file of an archive"
        elif path.is_symlink() or not path.is_file():
            yield f"{name} is missing"
        elif "sha256" not in one:
            yield f"{name} has no sum"
        elif sha256_of(path) != one["sha256"]:
            yield f"{name} is not the file that was packed: its SHA-256 is another one"
    there = (file for file in folder.rglob("*") if not file.is_dir() or file.is_symlink())
    for name in (file.relative_to(folder).as_posix() for file in there):
        if name not in described and name != METADATA:
            yield f"{name} is not described in {METADATA}"


def _faults_of_profile(graph: Graph) -> Iterable[str]:
    root, metadata = graph.get("./", {}), graph.get(METADATA, {})
    for name in ("name", "description", "license", "datePublished", "mainEntity", "hasPart"):
        if not root.get(name):
            yield f"the whole has no {name}"
    if "./" not in _ids(metadata.get("about")):
        yield f"{METADATA} is not about the whole"
    if WORKFLOW_RUN not in _ids(root.get("conformsTo")):
        yield f"it does not follow {WORKFLOW_RUN}"
    parts, workflow = _ids(root.get("hasPart")), _ids(root.get("mainEntity"))
    for name in workflow:
        if "ComputationalWorkflow" not in _kinds(graph.get(name, {})):
            yield f"{name} is no workflow"
    actions = {name: one for name, one in graph.items() if "CreateAction" in _kinds(one)}
    for name, one in actions.items():
        used = _ids(one.get("object")) | _ids(one.get("result"))
        if _ids(one.get("instrument")) != workflow or name not in _ids(root.get("mentions")):
            yield f"{name} is no run of its workflow"
        elif not _ids(one.get("result")) or not used <= parts:
            yield f"{name} used or made what is not part of the whole"
        elif not str(one.get("startTime", "~")) <= str(one.get("endTime", "")):
            yield f"{name} has no time"
    if not actions:
        yield "it has no run"
    for name, one in graph.items():
        for other in (other for value in one.values() for other in _ids(value)):
            if other not in graph and not other.startswith(("http://", "https://")):
                yield f"{name} refers to {other}, which is not described"


def _kinds(entity: Mapping[str, Any]) -> set[str]:
    found = entity.get("@type", ())
    return {found} if isinstance(found, str) else set(found)


def _ids(value: Any) -> set[str]:
    """Identifiers that a value of the metadata refers to."""
    several = value if isinstance(value, list) else [value]
    return {str(one["@id"]) for one in several if isinstance(one, dict) and "@id" in one}


def why_not(folder: Path) -> str:
    """Why no networks can be taken from a folder, and what to do; empty where they can."""
    try:
        read_graph(folder)
    except ArchiveError as error:
        return f"{error}; `make fetch-archive URL=...` gets one"
    return ""


def stored_networks(folder: Path) -> set[str]:
    """Keys of the networks of an archive."""
    return {file.stem for file in (folder / WEIGHTS).glob("*/*.safetensors")}


def take_networks(folder: Path, wanted: Mapping[str, Path], *, dry: bool = False) -> FromArchive:
    """Copies networks of an archive to where a run wants them; a file that is there is left alone.

    wanted: files of the store by key. dry: counts only. Each file has a sum of its own, which is
    looked at when it is read.
    """
    packed, taken, there = stored_networks(folder), 0, 0
    for key, target in wanted.items():
        if target.exists():
            there += 1
        elif key in packed:
            taken += 1
            if not dry:
                with replacing(target) as partial:
                    partial.write_bytes(path_of(folder / WEIGHTS, key).read_bytes())
    return FromArchive(taken, there, len(wanted) - taken - there, dry)
