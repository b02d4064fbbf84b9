"""What the page of one or several studies is made of, and what makes all of a study."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.declare.study import Figure
from srhm.planning.preset import Plan
from srhm.planning.registry import GROUPS, STUDIES, folder_of
from srhm.planning.specs import ROOT, files_of_curves, named_tables, spec_text
from srhm.report.explorer.names import EXPLORED, explorer_name, explorer_of, view_of
from srhm.store import places
from srhm.store.provenance import PACKAGE


def explorers_of(plan: Plan) -> dict[str, list[str]]:
    """Studies of a preset by the name of their explorer."""
    explorers = {explorer_name(group): [study for study in studies if study in plan.studies]
           for group, studies in GROUPS.items()}  # fmt: skip
    return {name: studies for name, studies in explorers.items() if studies}


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
    files = places.explored_files("published/*/sparse_hierarchy/*.*")
    return [file for file in files if Path(file).parts[-3] != plan.preset.preset]


def explored_tables(plan: Plan, studies: Sequence[str]) -> list[dict[str, str]]:
    """What an explorer reads of these studies."""
    return [
        {"study": study, "file": places.table_file(plan.name, study, name), "schema": schema}
        for study in studies
        for name, schema in STUDIES[study].schemas.items()
        if schema in EXPLORED
    ]


def explorer_spec(plan: Plan, name: str) -> str:
    """For the script of an explorer."""
    studies = explorers_of(plan)[name]
    return spec_text(
        {
            "preset": plan.name,
            "pages": list(dict.fromkeys(STUDIES[study].page_name for study in studies)),
            "tables": explored_tables(plan, studies),
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
    return [pair for pair in declared if explored_at(*pair)]


def files_of_rows(plan: Plan, studies: Sequence[str]) -> list[str]:
    """The rows of the figures of these studies as CSV: a file for each that has rows."""
    return [csv_of(plan, *pair) for pair in explored_figures(studies)]


def csv_of(plan: Plan, study: str, figure: Figure) -> str:
    """The rows of a figure as CSV, which its explorer writes; empty for one of no rows."""
    file = Path(places.figure_files(plan.name, figure.name)["pdf"]).with_suffix(".csv")
    return str(file) if explored_at(study, figure) else ""


def explored_at(study: str, figure: Figure) -> str:
    """Where the explorer shows the rows of a figure; empty for one of no rows."""
    schemas = [schema for _, _, schema in named_tables(study, figure.uses)]
    explorer, view = explorer_of(study, GROUPS), view_of(schemas, figure.shows)
    return f"{explorer}.html#{view}" if explorer and view else ""


def pages_of(plan: Plan) -> dict[str, list[str]]:
    """Studies of a preset by the name of their page."""
    pages: dict[str, list[str]] = {}
    for study in plan.studies:
        pages.setdefault(STUDIES[study].page_name, []).append(study)
    return pages


def modules_of_page(studies: Sequence[str]) -> list[str]:
    """Modules that the script of a page loads by name."""
    declared = [STUDIES[study] for study in studies]
    named = [name for one in declared for name in (one.claims, one.page_tables, one.headline)]
    return [name for name in named if name]


def files_of_page(plan: Plan, studies: Sequence[str]) -> dict[str, str | list[str]]:
    """What a page is made of."""
    figures = [figure.name for study in studies for figure in STUDIES[study].figures]
    prose = [prose_of(study) for study in studies]
    prose += [str(Path(file).with_name("methods.md")) for file in prose]
    return {
        "claims": list(claim_tables(plan, studies).values()),
        "tables": [
            places.table_file(plan.name, study, name)
            for study in studies
            for name in STUDIES[study].schemas
        ],
        "images": [places.figure_files(plan.name, figure)["png"] for figure in figures],
        "captions": [places.figure_files(plan.name, figure)["rst"] for figure in figures],
        "prose": [file for file in prose if Path(file).is_file()],
        "templates": sorted(str(file) for file in (PACKAGE / "report").glob("*.html")),
        **_shown_beside(plan, studies),
    }


def _shown_beside(plan: Plan, studies: Sequence[str]) -> dict[str, str | list[str]]:
    """Files that a page shows beside its studies: with claims, how these are judged.

    That of the paper shows finished runs, and what differs from the paper.
    """
    of_paper, has_claims = "sparse_hierarchy" in studies, bool(claim_tables(plan, studies))
    return {
        "citation": str(ROOT / "CITATION.cff"),
        "publications": publications_of(plan, studies),
        "judging": [str(ROOT / "docs" / "claims.md")] if has_claims else [],
        "deviations": [str(ROOT / "docs" / "deviations.md")] if of_paper else [],
    }


def caption_of(study: str, figure: Figure) -> str:
    """Caption of a figure, without the notes of what was drawn."""
    return str(folder_of(study) / "captions" / f"{figure.name}.rst")


def prose_of(study: str) -> str:
    """Prose of a study."""
    return str(folder_of(study) / "README.md")


def command_of(plan: Plan, study: str) -> str:
    """What a reader types to make a study of this preset."""
    words = {
        "trained": f"make reproduce PRESET={plan.preset.preset}",
        "both": f"make reproduce PRESET={plan.preset.preset} FROM=published",
        "published": f"make figures PRESET={plan.preset.preset}",
    }[plan.preset.rows]
    return words if study in GROUPS["paper"] else f"{words} STUDY={study}"


def explored_by(plan: Plan, study: str) -> str:
    """What a reader types for the explorer of a study, which is made with its whole group."""
    group = next((name for name, studies in GROUPS.items() if study in studies), "paper")
    if group == "paper":
        return ""
    return command_of(plan, study).replace(f"STUDY={study}", f"STUDY={group}")


def description_of(plan: Plan) -> str:
    """What the preset is for; where archived results alone are drawn, of training them."""
    preset = plan.preset
    if preset.rows != "published" or not preset.description:
        return preset.description
    return (
        f"archived results of the preset {preset.preset}: nothing was trained here."
        f" To train them: {preset.description}"
    )


def page_spec(plan: Plan, page: str) -> str:
    """For the script of a page (`srhm.report.page.write_page`)."""
    studies = pages_of(plan)[page]
    others = set(STUDIES) - set(studies)
    return spec_text(
        {
            "page": page,
            "preset": plan.name,
            "description": description_of(plan),
            # A text, in which the keys keep their order; the device does not change results.
            "configuration": plan.preset.model_dump_json(
                exclude_none=True, exclude={"device", "jobs", *others}
            ),
            "studies": [_study(plan, study) for study in studies],
            **_shown_beside(plan, studies),
        }
    )


def _study(plan: Plan, study: str) -> Mapping[str, Any]:
    """What a page shows of a study."""
    planned, declared = plan.studies[study], STUDIES[study]
    return {
        "name": study,
        "title": declared.title,
        "command": command_of(plan, study),
        "claims": claim_tables(plan, [study]).get(study),
        "claims_module": declared.claims,
        "figures": [
            {
                "name": figure.name,
                "title": figure.title,
                "caption": places.figure_files(plan.name, figure.name)["rst"],
                "explore": explored_at(study, figure),
                "function": figure.function,
                "data": Path(csv_of(plan, study, figure)).name,
                "explored_by": explored_by(plan, study),
                **places.figure_files(plan.name, figure.name),
            }
            for figure in declared.figures
        ],
        "tables": {
            name: [[places.table_file(plan.name, study, name), schema]]
            for name, schema in declared.schemas.items()
        },
        "page_tables": declared.page_tables,
        "headline": declared.headline,
        "prose": prose_of(study),
        "absent": " ".join(filter(None, [planned.absent, planned.origin])),
        "lacks": bool(planned.absent),
        "settings": plan.settings(study),
    }


def files_of_studies(plan: Plan, studies: Sequence[str]) -> list[str]:
    """Pages, figures and tables of studies, as far as the preset has them; and their curves.

    The files of the curves are named, too: when Snakemake's records are lost, one that is missing
    is still seen.
    """
    wanted: list[str] = []
    for study in studies:
        if study not in plan.studies:
            continue
        page = STUDIES[study].page_name
        for place in (places.page_file, places.methods_file, places.scorecard_file,
                      places.scorecard_json):  # fmt: skip
            wanted.append(place(plan.name, page))
        wanted += [places.table_file(plan.name, study, name) for name in STUDIES[study].schemas]
        wanted += claim_tables(plan, [study]).values()
        for figure in STUDIES[study].figures:
            wanted += places.figure_files(plan.name, figure.name).values()
        for files in files_of_curves(plan, study).values():
            wanted += files
    return list(dict.fromkeys(wanted))
