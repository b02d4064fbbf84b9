"""From the configuration to the studies, curves, paths and parameters of the rules.

The only Python outside src/ and scripts/.
"""

import hashlib
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError

from srhm import preset
from srhm.commands.preset_file import read_preset
from srhm.commands.resources import CurveJobs
from srhm.explorer.names import CLAIMS, EXPLORED, explorer_of, name_of, view_of
from srhm.results import places
from srhm.results.places import source_of
from srhm.results.provenance import PACKAGE, canonical_json
from srhm.runtime.devices import resolved
from srhm.studies.registry import GROUPS, STUDIES, TRAINERS
from srhm.study import ConfigError, names_in

ROOT = Path(workflow.basedir)

if PACKAGE.parent.resolve() != (ROOT / "src").resolve():
    raise WorkflowError(
        f"this is {ROOT}, but its environment runs the code of {PACKAGE.parents[1]}: `make env`"
        " in this folder installs its own"
    )

try:
    for file in workflow.configfiles:
        read_preset(Path(file))
    PLAN = preset.plan(config)
except ConfigError as refusal:
    raise WorkflowError(str(refusal)) from None

PRESET = PLAN.name
RESULTS = f"results/{PRESET}"
LOGS = f"{RESULTS}/logs"
CURVES = PLAN.curves
INSIDE_A_JOB = workflow.remote_exec or workflow.subprocess_exec

# GPUs that a training job asks for, unless set-resources of a profile says otherwise. The launcher
# replaces `auto` by what it finds where it runs: a node of a cluster may have other devices.
GPU = int(resolved(PLAN.preset.device) == "cuda")

# A parameter of the figures: it is not Python, so that no digest of sources sees it.
STYLE = (ROOT / "src/srhm/figures/paper.mplstyle").read_text(encoding="utf-8")


wildcard_constraints:
    sample=r"[^/]+",
    curve=r"[^/]+",
    part=r"\d+-of-\d+",


def spec_text(value):
    """Canonical JSON of what a script needs, in which Snakemake takes no {word} for a wildcard."""
    return re.sub(r"\{(?=\s*\w)", r"\\u007b", canonical_json(value))


def sample_spec(wildcards):
    return spec_text(PLAN.samples[wildcards.sample].spec)


def sample_of_curve(wildcards):
    """The derivations that a curve learns from, if these are a file."""
    sample = CURVES[wildcards.curve].sample
    return [] if sample is None else [f"{places.DERIVATIONS}/{sample}.parquet"]


def spec_of(curve):
    """All that decides the rows of a curve, as one value, which Snakemake compares as a whole."""
    return {
        "cells": curve.entries,
        "columns": curve.columns,
        "curve": curve.name,
        "inputs": curve.inputs,
        "keep_weights": curve.keep_weights,
        "trainer": curve.trainer.module,
    }


def curve_spec(wildcards):
    curve = CURVES[wildcards.curve]
    schemas = {"cells": curve.trainer.cells, "timings": curve.trainer.timings}
    return spec_text({**spec_of(curve), "schemas": schemas})


def part_spec(wildcards):
    """The same of a part; places: which cells of the curve it trains."""
    curve = CURVES[wildcards.curve]
    found = jobs_of(wildcards).places(wildcards.part)
    return spec_text({**spec_of(curve), "part": wildcards.part, "places": found})


# What a job of a curve asks of a cluster: minutes, megabytes, a device.
JOBS = {
    name: CurveJobs(curve, PLAN.preset.jobs, inside_a_job=INSIDE_A_JOB)
    for name, curve in CURVES.items()
}


def jobs_of(wildcards):
    return JOBS[wildcards.curve]


def parts_of_curve(wildcards):
    return jobs_of(wildcards).files()


def gpu_of(wildcards):
    """GPUs that training a curve asks for."""
    return GPU * CURVES[wildcards.curve].trainer.gpu


def part_minutes(wildcards, threads, attempt):
    jobs = jobs_of(wildcards)
    cells = jobs.places(wildcards.part)
    return jobs.training_minutes(cells, threads=threads, attempt=attempt)


def part_megabytes(wildcards, threads, attempt):
    jobs = jobs_of(wildcards)
    cells = jobs.places(wildcards.part)
    return jobs.training_megabytes(cells, threads=threads, attempt=attempt, gpu=gpu_of(wildcards))


def curve_minutes(wildcards, threads, attempt):
    jobs = jobs_of(wildcards)
    return jobs.training_minutes(jobs.lacking(), threads=threads, attempt=attempt)


def curve_megabytes(wildcards, threads, attempt):
    jobs = jobs_of(wildcards)
    gpu = gpu_of(wildcards)
    return jobs.training_megabytes(jobs.lacking(), threads=threads, attempt=attempt, gpu=gpu)


def time_limit(wildcards):
    """1 inside a cluster's job, which ends after its runtime; 0 on one machine."""
    return int(workflow.remote_exec)


def jobs_per_device(wildcards):
    """1 on one machine, where jobs lock their devices; 0 in a job that a scheduler gave one."""
    return int(not workflow.remote_exec)


# Measurements of all studies, by folder: studies that measure with equal options share the rows.
MEASUREMENTS = {}
for study, planned in PLAN.studies.items():
    for measurement in STUDIES[study].measurements:
        options = places.options_of(measurement, planned)
        folder = places.folder_of_measurement(measurement, options)
        MEASUREMENTS.setdefault(folder, (measurement, options))


def rule_of_measurement(folder):
    """Name of the rule of a measurement; for a second set of options it ends with their digest."""
    measurement, _ = MEASUREMENTS[folder]
    name = f"measure_{measurement.trainer.name}_{measurement.name}"
    alike = [one for one, (other, _) in MEASUREMENTS.items() if other == measurement]
    return name if alike[0] == folder else f"{name}_{Path(folder).name}"


def measuring(measurement, options):
    """Functions of wildcards for a measurement, its spec, minutes and megabytes."""

    def spec(wildcards):
        curve = CURVES[wildcards.curve]
        named = {
            "function": measurement.function,
            "gpu": measurement.gpu,
            "options": options,
            "tables": list(measurement.tables.items()),
        }
        return spec_text({**spec_of(curve), **named})

    def minutes(wildcards, attempt):
        return jobs_of(wildcards).measuring_minutes(measurement, attempt=attempt)

    def megabytes(wildcards, attempt):
        gpu = GPU * measurement.gpu
        return jobs_of(wildcards).measuring_megabytes(attempt=attempt, gpu=gpu)

    return spec, minutes, megabytes


def files_of_curves(study):
    """Files of a study's curves, by the table that they are gathered into."""
    planned, declared = PLAN.studies[study], STUDIES[study]
    curves = planned.trained.values()
    if declared.trainer is None:
        return {}
    found = {
        "cells": [places.rows_of_curve(one.trainer, one.name) for one in curves],
        "timings": [places.timings_of_curve(one.trainer, one.name) for one in curves],
    }
    for measurement in declared.measurements:
        options = places.options_of(measurement, planned)
        measured = [one for one in curves if places.is_of(measurement, one)]
        for table in measurement.tables:
            found[table] = [
                places.measured_files(measurement, options, one.name)[table] for one in measured
            ]
    return found


def published_files(study):
    """Published rows that a study takes, and their provenance."""
    if not PLAN.studies[study].published:
        return []
    folder = places.published_folder(PLAN.preset.preset, study)
    return sorted(str(file) for file in folder.iterdir())


def gathering_spec(study):
    curves = PLAN.studies[study].curves.values()
    found = {
        # A list, as the rows are put into its order.
        "planned": [[one.name, [entry["key"] for entry in one.entries]] for one in curves],
        "tables": {name: STUDIES[study].schemas[name] for name in files_of_curves(study)},
        "store": places.store_of(STUDIES[study].trainer),
        "study": study,
        "published": None,
    }
    if PLAN.studies[study].published:
        found["published"] = str(places.published_folder(PLAN.preset.preset, study))
    return spec_text(found)


def table_files(study, uses):
    """Files of the tables that are used; those of studies that the preset lacks are left out."""
    found = []
    for name in names_in(uses):
        owner, _, table = name.rpartition("/")
        if (owner or study) in PLAN.studies:
            found.append(places.table_file(PRESET, owner or study, table))
    return found


def using_spec(study, uses, settings=(), **named):
    """What a script needs, as one text: the tables that are used, the settings, and what is named.

    uses: in order, or by name. Each becomes a list of [file, schema]; the file is None for a study
    that the preset lacks.
    """

    def files(use):
        found = []
        for name in names_in([use]):
            owner, _, table = name.rpartition("/")
            if (owner or study) in PLAN.studies:
                schema = STUDIES[owner or study].schemas[table]
                found.append([places.table_file(PRESET, owner or study, table), schema])
            else:
                found.append([None, STUDIES[owner].schemas[table]])
        return found

    tables = (
        {name: files(use) for name, use in uses.items()}
        if hasattr(uses, "items")
        else [files(use) for use in uses]
    )
    known = PLAN.settings(study)
    chosen = {name: known[name] for name in settings}
    return spec_text({**named, "settings": chosen, "tables": tables})


def own_tables(study):
    """Names of all tables of a study."""
    return list(STUDIES[study].schemas)


def repository_files(made):
    """Further files of the repository that a figure or a derived table needs, by name."""
    return {
        name: sorted(str(file) for file in ROOT.glob(pattern))
        for name, pattern in made.files.items()
    }


def caption_of(study, figure):
    return str(ROOT / "src" / "srhm" / "studies" / study / "captions" / f"{figure}.rst")


def command_of(study):
    """What a reader types to make a study of this preset."""
    words = {
        "trained": f"make reproduce PRESET={PLAN.preset.preset}",
        "both": f"make reproduce PRESET={PLAN.preset.preset} FROM=published",
        "published": f"make figures PRESET={PLAN.preset.preset}",
    }[PLAN.preset.rows]
    return words if study in GROUPS["paper"] else f"{words} STUDY={study}"


# Studies by the page that shows them.
PAGES = {}
for study in PLAN.studies:
    PAGES.setdefault(STUDIES[study].page_name, []).append(study)


def claims_of(studies):
    """Tables of claims by study, of those that have claims."""
    return {
        study: places.table_file(PRESET, study, "claims")
        for study in studies
        if STUDIES[study].claims is not None
    }


def files_of_page(studies):
    """What a page is made of."""
    figures = [(study, figure.name) for study in studies for figure in STUDIES[study].figures]
    uses = [f"{study}/{name}" for study in studies for name in own_tables(study)]
    return {
        "claims": list(claims_of(studies).values()),
        "tables": table_files(studies[0], uses),
        "images": [places.figure_files(PRESET, name)["png"] for _, name in figures],
        "captions": [caption_of(study, name) for study, name in figures],
        "prose": [prose_of(study) for study in studies if Path(prose_of(study)).is_file()],
        "citation": str(ROOT / "CITATION.cff"),
        "templates": sorted(str(file) for file in (ROOT / "src/srhm/report").glob("*.html")),
        "publications": publications_of(studies),
        "deviations": deviations_of(studies),
    }


def so_far_of(page):
    """The page of several studies as far as it goes, which is made before the whole one."""
    several = len(PAGES[page]) > 1
    return [places.page_file(PRESET, f"{page}_so_far")] if several else []


def prose_of(study):
    return str(ROOT / "src" / "srhm" / "studies" / study / "README.md")


def publications_of(studies):
    """Finished runs of other presets, which the page of the paper fits on their own."""
    if "sparse_hierarchy" not in studies:
        return []
    files = sorted((ROOT / "published").glob("*/sparse_hierarchy/*.*"))
    return [str(file) for file in files if file.parts[-3] != PLAN.preset.preset]


def deviations_of(studies):
    """What differs from the paper, which its page shows."""
    return [str(ROOT / "docs" / "deviations.md")] if "sparse_hierarchy" in studies else []


def modules_of_page(studies):
    """Modules that a page loads by name."""
    declared = [STUDIES[study] for study in studies]
    return [one for study in declared for one in (study.claims, study.page_tables) if one]


def page_spec(page, studies, pending=()):
    """What the script of a page needs, as one text."""
    # A text, in which the keys keep their order; the device does not change results.
    configuration = PLAN.preset.model_dump_json(
        exclude_none=True,
        exclude={"device", "jobs", *(set(STUDIES) - set(studies) - set(pending))},
    )
    parts = [
        {
            "name": study,
            "title": STUDIES[study].title,
            "command": command_of(study),
            "claims": claims_of([study]).get(study),
            "claims_module": STUDIES[study].claims,
            "figures": [
                {
                    "name": figure.name,
                    "title": figure.title,
                    "caption": caption_of(study, figure.name),
                    "explore": explored_at(study, figure),
                    "function": figure.function,
                    "data": Path(data_of(study, figure)).name,
                    **places.figure_files(PRESET, figure.name),
                }
                for figure in STUDIES[study].figures
            ],
            "tables": {
                name: [[places.table_file(PRESET, study, name), schema]]
                for name, schema in STUDIES[study].schemas.items()
            },
            "page_tables": STUDIES[study].page_tables,
            "prose": prose_of(study),
            "absent": " ".join(filter(None, [planned.absent, planned.origin])),
            "settings": PLAN.settings(study),
        }
        for study in studies
        for planned in [PLAN.studies[study]]
    ]
    return spec_text(
        {
            "page": page,
            "preset": PRESET,
            "description": PLAN.preset.description,
            "configuration": configuration,
            "studies": parts,
            "pending": [STUDIES[study].title for study in pending],
            "citation": str(ROOT / "CITATION.cff"),
            "publications": publications_of(studies),
            "deviations": deviations_of(studies),
        }
    )


# Studies of this preset by the name of their explorer.
EXPLORERS = {
    name_of(group): [study for study in studies if study in PLAN.studies]
    for group, studies in GROUPS.items()
    if set(studies) & PLAN.studies.keys()
}


def explorer_files(group):
    """The explorer of a group, if the preset has any of its studies."""
    name = name_of(group)
    return [places.page_file(PRESET, name)] if name in EXPLORERS else []


def explored_tables(studies):
    """What an explorer reads of these studies, and which of the curves are published ones."""
    found = []
    for study in studies:
        published = sorted(PLAN.studies[study].published)
        runs = {f"published: {PLAN.preset.preset}": published} if published else {}
        schemas = {name: one for name, one in STUDIES[study].schemas.items() if one in EXPLORED}
        found += [
            {
                "study": study,
                "file": places.table_file(PRESET, study, name),
                "schema": schema,
                "published": runs,
            }
            for name, schema in schemas.items()
        ]
        if file := claims_of([study]).get(study):
            found.append({"study": study, "file": file, "schema": CLAIMS, "published": {}})
    return found


def explorer_spec(name):
    """What the script of an explorer needs, as one text.

    Tables of other studies are shown as an earlier run has left them. They are no inputs, so that
    nothing is trained for them; their digests make the explorer anew where they have changed.
    """
    studies = EXPLORERS[name]
    others = explored_tables([study for study in PLAN.studies if study not in studies])
    there = [one for one in others if Path(one["file"]).is_file()]
    return spec_text(
        {
            "preset": PRESET,
            "pages": list(dict.fromkeys(STUDIES[study].page_name for study in studies)),
            "tables": explored_tables(studies),
            "others": [
                {**one, "sha256": hashlib.sha256(Path(one["file"]).read_bytes()).hexdigest()}
                for one in there
            ],
            "publications": publications_of(studies),
            "figures": [
                {
                    "file": data_of(study, figure),
                    "tables": tables_of_figure(study, figure),
                    "net": figure.options.get("net", ""),
                    "publications": "publications" in figure.files,
                }
                for study, figure in explored_figures(studies)
            ],
        }
    )


def explored_figures(studies):
    """The figures whose rows an explorer shows, each with its study."""
    of_studies = [(study, figure) for study in studies for figure in STUDIES[study].figures]
    return [one for one in of_studies if explored_at(*one)]


def tables_of_figure(study, figure):
    """What a figure uses: (study, schema) of each of its tables."""
    named = [name.rpartition("/") for name in names_in(figure.uses)]
    return [(owner or study, STUDIES[owner or study].schemas[table]) for owner, _, table in named]


def data_of(study, figure):
    """The rows of a figure as CSV, which its explorer writes; empty for one of no rows."""
    file = Path(places.figure_files(PRESET, figure.name)["pdf"]).with_suffix(".csv")
    return str(file) if explored_at(study, figure) else ""


def explored_at(study, figure):
    """Where the explorer shows the rows of a figure; empty for one of no rows."""
    schemas = [schema for _, schema in tables_of_figure(study, figure)]
    explorer, view = explorer_of(study, GROUPS), view_of(schemas, figure.shows)
    return f"{explorer}.html#{view}" if explorer and view else ""


def targets_of(studies):
    """Pages, figures and tables of studies, as far as the preset has them; and their curves.

    The files of the curves are named, too: when Snakemake's records are lost, one that is missing
    is still seen.
    """
    found = []
    for study in studies:
        if study not in PLAN.studies:
            continue
        page = STUDIES[study].page_name
        found += [places.page_file(PRESET, page), places.scorecard_file(PRESET, page)]
        found += [places.scorecard_data(PRESET, page)]
        found += [places.table_file(PRESET, study, name) for name in own_tables(study)]
        for figure in STUDIES[study].figures:
            found += places.figure_files(PRESET, figure.name).values()
        for files in files_of_curves(study).values():
            found += files
    return list(dict.fromkeys(found))
