"""What the explorer of a group of studies is made of, and where it shows a figure's rows."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from srhm.explorer.names import CLAIMS, EXPLORED, explorer_name, explorer_of, view_of
from srhm.preset import Plan
from srhm.results import places
from srhm.rules.curves import spec_text
from srhm.rules.tables import ROOT, named_tables
from srhm.studies.registry import GROUPS, STUDIES
from srhm.study import Figure


def explorers_of(plan: Plan) -> dict[str, list[str]]:
    """Studies of a preset by the name of their explorer."""
    own = {explorer_name(group): [one for one in studies if one in plan.studies]
           for group, studies in GROUPS.items()}  # fmt: skip
    return {name: studies for name, studies in own.items() if studies}


def modules_of(studies: Sequence[str]) -> list[str]:
    """Modules that the script of an explorer loads by name: the statements of its studies."""
    return [module for one in studies if (module := STUDIES[one].headline)]


def claim_tables(plan: Plan, studies: Sequence[str]) -> dict[str, str]:
    """Tables of claims by study, of those that have claims."""
    return {
        study: places.table_file(plan.name, study, "claims")
        for study in studies
        if STUDIES[study].claims is not None
    }


def publications_of(plan: Plan, studies: Sequence[str]) -> list[str]:
    """Finished runs of other presets, which the page of the paper fits on their own."""
    if "sparse_hierarchy" not in studies:
        return []
    files = sorted((ROOT / "published").glob("*/sparse_hierarchy/*.*"))
    return [str(file) for file in files if file.parts[-3] != plan.preset.preset]


def explored_tables(plan: Plan, studies: Sequence[str]) -> list[dict[str, Any]]:
    """What an explorer reads of these studies, and which curves and cells are published ones."""
    found: list[dict[str, Any]] = []
    for study in studies:
        planned = plan.studies[study]
        published = sorted(planned.published.union(*planned.partly.values()))
        runs = {f"archive: {plan.preset.preset}": published} if published else {}
        found += [
            {
                "study": study,
                "file": places.table_file(plan.name, study, name),
                "schema": schema,
                "published": runs,
            }
            for name, schema in STUDIES[study].schemas.items()
            if schema in EXPLORED
        ]
        if file := claim_tables(plan, [study]).get(study):
            found.append({"study": study, "file": file, "schema": CLAIMS, "published": {}})
    return found


def explorer_spec(plan: Plan, name: str, *, directory: Path = Path()) -> str:
    """For the script of an explorer. directory: the one that holds results/.

    Tables of other studies are shown as an earlier run has left them. They are no inputs, so that
    nothing is trained for them; their digests make the explorer anew where they have changed.
    """
    studies = explorers_of(plan)[name]
    others = explored_tables(plan, [study for study in plan.studies if study not in studies])
    files = [directory / one["file"] for one in others]
    return spec_text(
        {
            "preset": plan.name,
            "pages": list(dict.fromkeys(STUDIES[study].page_name for study in studies)),
            "headline": next(iter(modules_of(studies)), None),
            "tables": explored_tables(plan, studies),
            "others": [
                {**one, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
                for one, file in zip(others, files, strict=True)
                if file.is_file()
            ],
            "publications": publications_of(plan, studies),
            "figures": [
                {
                    "file": csv_of(plan, study, figure),
                    "tables": [
                        (owner, schema) for owner, _, schema in named_tables(study, figure.uses)
                    ],
                    "net": figure.options.get("net", ""),
                    "publications": "publications" in figure.files,
                }
                for study, figure in explored_figures(studies)
            ],
        }
    )


def explored_figures(studies: Sequence[str]) -> list[tuple[str, Figure]]:
    """The figures whose rows an explorer shows, each with its study."""
    declared = [(study, figure) for study in studies for figure in STUDIES[study].figures]
    return [one for one in declared if explored_at(*one)]


def files_of_rows(plan: Plan, studies: Sequence[str]) -> list[str]:
    """The rows of the figures of these studies as CSV: a file for each that has rows."""
    return [csv_of(plan, *one) for one in explored_figures(studies)]


def csv_of(plan: Plan, study: str, figure: Figure) -> str:
    """The rows of a figure as CSV, which its explorer writes; empty for one of no rows."""
    file = Path(places.figure_files(plan.name, figure.name)["pdf"]).with_suffix(".csv")
    return str(file) if explored_at(study, figure) else ""


def explored_at(study: str, figure: Figure) -> str:
    """Where the explorer shows the rows of a figure; empty for one of no rows."""
    schemas = [schema for _, _, schema in named_tables(study, figure.uses)]
    explorer, view = explorer_of(study, GROUPS), view_of(schemas, figure.shows)
    return f"{explorer}.html#{view}" if explorer and view else ""
