"""Pack rows and weights for an archive: a Workflow Run RO-Crate.

`srhm crate` writes a folder with the published rows, the weights of the LCN, CNN and FCN that
results/ has, the workflow, the configurations, the environment and the licence, and
`ro-crate-metadata.json`, which says for each run what made it: an action of the workflow, from when
to when, at which commit (whose library it is), of which configuration. Beside the folder stands the
same as one zip file, with its SHA-256, as an archive takes it and `srhm fetch-archive` brings it
back. Profile: Workflow Run Crate 0.5 of the RO-Crate community, looked at before it is packed.

Weights are those of whole curves, as many as fit into --megabytes: first curves whose
sensitivities are measured, and of these the smallest.
"""

import argparse
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from srhm.commands.preset_file import read_preset
from srhm.commands.presets import CONFIG, Run
from srhm.commands.printing import printing
from srhm.preset import plan_preset
from srhm.results import places
from srhm.results.archives import (
    METADATA,
    PROFILES,
    WEIGHTS,
    ArchiveError,
    checked_archive,
    sha256_of,
)
from srhm.results.atomic import replacing, write_text
from srhm.results.commit import REPOSITORY, commit_of
from srhm.results.outdated import is_outdated
from srhm.results.publications import check_digests
from srhm.results.published_provenance import PROVENANCE_FILE, PublicationError
from srhm.results.published_provenance import read_provenance_file as read
from srhm.results.store import DamagedCell, path_of, read_cell
from srhm.studies.registry import STUDIES
from srhm.study import ConfigError

# What the crate holds besides the rows.
FILES = ("README.md", "LICENSE", "CITATION.cff", "codemeta.json", "pyproject.toml",
         "envs/*.lock", "rules/*.smk", "scripts/*.py")  # fmt: skip
# What a file is, by its name; all that is not named here is text.
FORMATS = {".md": "text/markdown", ".json": "application/json", ".py": "text/x-python",
           ".cff": "application/yaml", ".yaml": "application/yaml",
           ".parquet": "application/vnd.apache.parquet",
           ".safetensors": "application/octet-stream"}  # fmt: skip
# Whose weights are packed: the study of the paper's main claims.
HEADLINE = "sparse_hierarchy"
MEGABYTES = 500.0
# What is packed already is not packed tighter.
DENSE = (".parquet", ".safetensors")
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
COMPLETED = "http://schema.org/CompletedActionStatus"
NOTHING, REFUSED = 1, 2  # exit codes: a damaged publication or none; a folder in the way


@dataclass(frozen=True)
class StoredCurve:
    """A curve all of whose networks are stored: its preset, its files by key, their bytes."""

    preset: str
    files: Mapping[str, Path]
    size: int


def stored_curves(directory: Path) -> list[StoredCurve]:
    """Curves of the headline study whose networks are stored whole, those first that are measured.

    Of equal ones the smaller first; a curve of several presets is that of the first.

    Raises:
        ConfigError: if a file of config/ is refused.
    """
    found: dict[frozenset[str], tuple[bool, StoredCurve]] = {}
    trainer = STUDIES[HEADLINE].trainer
    if trainer is None or not (directory / places.store_of(trainer)).is_dir():
        return []  # without a look at all presets, which takes seconds
    for file in sorted(CONFIG.glob("*.yaml")):
        values = read_preset(file)
        if HEADLINE not in values:
            continue
        # Other studies would be planned for nothing.
        own = {name: one for name, one in values.items() if name not in STUDIES}
        run = Run(plan_preset(own | {HEADLINE: values[HEADLINE]}, directory=directory), directory)
        for curve in run.curves.values():
            keys = [entry["key"] for entry in curve.entries]
            files = {key: run.stored(curve, key) for key in keys}
            if all(one.is_file() and not is_outdated(one) for one in files.values()):
                size = sum(one.stat().st_size for one in files.values())
                whole = StoredCurve(run.plan.name, files, size)
                found.setdefault(frozenset(keys), (not curve.measured, whole))
    return [one for _, one in sorted(found.values(), key=lambda pair: (pair[0], pair[1].size))]


def those_that_fit(curves: Sequence[StoredCurve], *, size: float) -> list[StoredCurve]:
    """As many of the curves, in their order, as have together at most so many bytes."""
    kept, left = [], size
    for curve in curves:
        if curve.size <= left:
            kept.append(curve)
            left -= curve.size
    return kept


def crate_of(published: Path, curves: Sequence[StoredCurve] = ()) -> ROCrate:
    """The crate of all published runs, and of the networks of these curves.

    Raises:
        DamagedCell: if a network is not as it was stored.
        PublicationError: if there is none, or a table is not the one that its provenance names.
    """
    folders = sorted(file.parent for file in published.glob(f"*/*/{PROVENANCE_FILE}"))
    if not folders:
        raise PublicationError(f"{published} holds no published rows; `make publish` writes some")
    crate = ROCrate(version="1.1")  # that of the profiles
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    workflow = crate.add_workflow(
        REPOSITORY / "Snakefile", "Snakefile", main=True, lang="snakemake",
        properties={
            "name": "The Sparse Random Hierarchy Model, reproduced",
            "version": citation["version"],
            "encodingFormat": "text/plain",
            "sha256": sha256_of(REPOSITORY / "Snakefile"),
            "conformsTo": {"@id": BIOSCHEMAS},
        },
    )  # fmt: skip
    for file in (file for pattern in FILES for file in sorted(REPOSITORY.glob(pattern))):
        _add_file(crate, file, str(file.relative_to(REPOSITORY)))
    crate.get("README.md")["about"] = crate.root_dataset
    runs = [(folder, read(folder / PROVENANCE_FILE)) for folder in folders]
    maintainers = _describe(
        crate, citation, last=max(date.fromisoformat(one["trained_to"]) for _, one in runs)
    )
    for folder, provenance in runs:
        check_digests(folder, provenance)
        action = _add_run(crate, workflow, folder, provenance)
        action["agent"] = maintainers
    for preset in dict.fromkeys(curve.preset for curve in curves):
        own = {k: v for curve in curves if curve.preset == preset for k, v in curve.files.items()}
        _add_networks(crate, workflow, preset, own)["agent"] = maintainers
    return crate


def _add_file(crate: ROCrate, file: Path, place: str, **properties: str) -> Any:
    """A file of the crate, with its format and sum."""
    said = {"encodingFormat": FORMATS.get(file.suffix, "text/plain"), "sha256": sha256_of(file)}
    return crate.add_file(file, place, properties={**said, **properties})


def _add_networks(crate: ROCrate, workflow: Any, preset: str, files: Mapping[str, Path]) -> Any:
    """The action of the workflow that trained networks of a preset, by their keys."""
    cells = [read_cell(file.parents[1], key) for key, file in files.items()]
    days = sorted(cell.timing["started"][:10] for cell in cells)
    processors = sorted({cell.timing["processor"] for cell in cells})
    places_in_crate = {key: path_of(Path(WEIGHTS), key).as_posix() for key in files}
    # Presets share networks.
    results = [
        crate.get(place) or _add_file(crate, files[key], place)
        for key, place in places_in_crate.items()
    ]
    action = crate.add_action(
        workflow, f"#networks-{preset}", object=_add_configuration(crate, preset), result=results,
        properties={
            "name": f"networks of preset {preset}",
            "description": f"{len(cells)} networks with their weights, trained on"
            f" {', '.join(processors)}; packed at commit {commit_of()}",
            "startTime": days[0], "endTime": days[-1], "actionStatus": COMPLETED,
        },
    )  # fmt: skip
    crate.root_dataset.append_to("mentions", action)
    return action


def _add_configuration(crate: ROCrate, preset: str) -> Any:
    place = f"config/{preset}.yaml"
    return crate.get(place) or _add_file(crate, REPOSITORY / place, place)


def _add_run(crate: ROCrate, workflow: Any, folder: Path, provenance: dict[str, Any]) -> Any:
    """The action of the workflow that made the rows of a folder, of which some may be lacking."""
    preset, study = provenance["preset"], provenance["study"]
    place = f"published/{preset}/{study}"
    results = [
        _add_file(
            crate, folder / f"{table}.parquet", f"{place}/{table}.parquet",
            name=f"{table.replace('_', ' ')} of {study}, preset {preset}",
        )
        for table in provenance["sha256"]
    ]  # fmt: skip
    results.append(_add_file(crate, folder / PROVENANCE_FILE, f"{place}/{PROVENANCE_FILE}"))
    devices = sorted({f"{one['processor']} ({one['device']})" for one in provenance["trained_on"]})
    action = crate.add_action(
        workflow, f"#run-{preset}-{study}", object=_add_configuration(crate, preset),
        result=results,
        properties={
            "name": f"{study} of preset {preset}",
            "description": f"{provenance['curves']} of {provenance['planned_curves']} curves,"
            f" {provenance['cells']} of {provenance['planned_cells']} networks, trained on"
            f" {', '.join(devices)}; {', '.join(provenance['versions'])}; published by"
            f" `{provenance['command']}` at commit {provenance['commit']}",
            "startTime": provenance["trained_from"], "endTime": provenance["trained_to"],
            "actionStatus": COMPLETED,
        },
    )  # fmt: skip
    crate.root_dataset.append_to("mentions", action)
    return action


def _describe(crate: ROCrate, citation: dict[str, Any], *, last: date) -> Any:
    """Name, licence and profiles of the whole, and its authors, which are returned.

    last: the last day of training.
    """
    crate.name, crate.description = citation["title"], citation["abstract"]
    crate.license = crate.add(
        ContextEntity(
            crate, "https://spdx.org/licenses/" + citation["license"],
            properties={"@type": "CreativeWork", "name": citation["license"]},
        )
    )  # fmt: skip
    crate.datePublished = last.isoformat()
    profiles = [
        crate.add(ContextEntity(crate, one, properties={
            "@type": "CreativeWork", "name": one.split("/")[-2], "version": one.split("/")[-1],
        }))
        for one in PROFILES
    ]  # fmt: skip
    crate.root_dataset["conformsTo"] = profiles
    authors = [
        crate.add(ContextEntity(crate, f"#{name.replace(' ', '-')}", properties={
            "@type": "Organization", "name": name}))
        for name in (one["name"] for one in citation["authors"])
    ]  # fmt: skip
    maintainers = authors if len(authors) > 1 else authors[0]
    crate.root_dataset["author"] = crate.root_dataset["publisher"] = maintainers
    crate.root_dataset["keywords"] = citation["keywords"]
    return maintainers


def pack(folder: Path) -> Path:
    """The zip file of a folder, beside it, and a file with its SHA-256; returns the former.

    One folder gives one zip file, byte by byte: no file has a date in it.
    """
    target = folder.with_name(f"{folder.name}.zip")
    with replacing(target) as partial, zipfile.ZipFile(partial, "w") as archive:
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())
            entry.external_attr = 0o100644 << 16
            dense = file.suffix in DENSE
            entry.compress_type = zipfile.ZIP_STORED if dense else zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    write_text(target.with_name(f"{target.name}.sha256"), f"{sha256_of(target)}  {target.name}\n")
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where it is written, 1 without rows to trust, 2 if a folder is in the way."""
    parser = argparse.ArgumentParser(
        prog="srhm crate", description=__doc__, epilog="example: srhm crate --output elsewhere"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("results/crate"), help="folder to write"
    )
    parser.add_argument("--published", type=Path, default=places.PUBLISHED, help="rows to pack")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument(
        "--megabytes", type=float, default=MEGABYTES, help="of weights; default: %(default)s"
    )
    options = parser.parse_args(arguments)
    output: Path = options.output
    if output.exists():
        if not (output / METADATA).is_file():
            print(f"{output} is there and is no crate: name another with --output")
            return REFUSED
        shutil.rmtree(output)
    try:
        stored = stored_curves(options.directory)
        curves = those_that_fit(stored, size=options.megabytes * 1e6)
        crate = crate_of(options.published, curves)
        crate.write(output)
        graph = checked_archive(output)
    except (ConfigError, PublicationError, DamagedCell, ArchiveError) as error:
        print(error)
        return NOTHING
    runs = [one["name"] for one in graph.values() if one["@type"] == "CreateAction"]
    print(f"{output}: {len(runs)} runs ({', '.join(runs)})")
    n_networks = len({key for curve in curves for key in curve.files})
    print(
        f"weights: {len(curves)} of {len(stored)} whole curves of {HEADLINE} in"
        f" {options.directory / 'results'}, {n_networks} networks,"
        f" {sum(curve.size for curve in curves) / 1e6:.0f} MB"
    )
    packed = pack(output)
    print(f"{packed}: {packed.stat().st_size / 1e6:.0f} MB, whole by {packed.name}.sha256")
    return 0


if __name__ == "__main__":
    sys.exit(printing(main))
