"""Pack the rows that the repository keeps for an archive: a Workflow Run RO-Crate.

`srhm crate` writes a folder with the published rows, the workflow, the configurations, the
environment and the licence, and `ro-crate-metadata.json`, which says for each published run what
made it: an action of the workflow, from when to when, at which commit (whose library it is), of
which configuration. An archive takes the folder as it is. Profile: Workflow Run Crate 0.5 of the
RO-Crate community.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from srhm.commands.printing import printing
from srhm.results import places
from srhm.results.commit import REPOSITORY
from srhm.results.publications import check_digests
from srhm.results.published_provenance import PROVENANCE_FILE, PublicationError
from srhm.results.published_provenance import read_provenance_file as read

PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
# What the crate holds besides the rows.
FILES = ("README.md", "LICENSE", "CITATION.cff", "codemeta.json", "envs/requirements.lock",
         "rules/*.smk", "scripts/*.py")  # fmt: skip
# What a file is, by its name; all that is not named here is text.
FORMATS = {".md": "text/markdown", ".json": "application/json", ".py": "text/x-python",
           ".cff": "application/yaml", ".yaml": "application/yaml",
           ".parquet": "application/vnd.apache.parquet"}  # fmt: skip
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
COMPLETED = "http://schema.org/CompletedActionStatus"
NOTHING, REFUSED = 1, 2  # exit codes: a damaged publication or none; a folder in the way


def crate_of(published: Path) -> ROCrate:
    """The crate of all published runs.

    Raises:
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
    return crate


def _add_file(crate: ROCrate, file: Path, place: str, **properties: str) -> Any:
    """A file of the crate, with its format."""
    encoding = FORMATS.get(file.suffix, "text/plain")
    return crate.add_file(file, place, properties={"encodingFormat": encoding, **properties})


def _add_run(crate: ROCrate, workflow: Any, folder: Path, provenance: dict[str, Any]) -> Any:
    """The action of the workflow that made the rows of a folder, of which some may be lacking."""
    preset, study = provenance["preset"], provenance["study"]
    place = f"published/{preset}/{study}"
    configuration = f"config/{preset}.yaml"
    inputs = crate.get(configuration) or _add_file(crate, REPOSITORY / configuration, configuration)
    results = [
        _add_file(
            crate, folder / f"{table}.parquet", f"{place}/{table}.parquet",
            name=f"{table.replace('_', ' ')} of {study}, preset {preset}", sha256=digest,
        )
        for table, digest in provenance["sha256"].items()
    ]  # fmt: skip
    results.append(_add_file(crate, folder / PROVENANCE_FILE, f"{place}/{PROVENANCE_FILE}"))
    devices = sorted({f"{one['processor']} ({one['device']})" for one in provenance["trained_on"]})
    action = crate.add_action(
        workflow, f"#run-{preset}-{study}", object=inputs, result=results,
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where it is written, 1 without rows to trust, 2 if a folder is in the way."""
    parser = argparse.ArgumentParser(
        prog="srhm crate", description=__doc__, epilog="example: srhm crate --output elsewhere"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("results/crate"), help="folder to write"
    )
    parser.add_argument("--published", type=Path, default=places.PUBLISHED, help="rows to pack")
    options = parser.parse_args(arguments)
    output: Path = options.output
    if output.exists():
        metadata = output / "ro-crate-metadata.json"
        if not metadata.is_file():
            print(f"{output} is there and is no crate: name another with --output")
            return REFUSED
        shutil.rmtree(output)
    try:
        crate = crate_of(options.published)
    except PublicationError as error:
        print(error)
        return NOTHING
    crate.write(output)
    found = json.loads((output / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    runs = [one["name"] for one in found if one["@type"] == "CreateAction"]
    print(f"{output}: {len(runs)} runs ({', '.join(runs)})")
    return 0


if __name__ == "__main__":
    sys.exit(printing(main))
