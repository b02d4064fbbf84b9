"""From the configuration to the plan, and functions of wildcards.

The only Python outside src/ and scripts/. What needs no object of Snakemake lies in src/srhm/planning.
"""

from importlib.util import find_spec
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

if find_spec("srhm") is None:
    raise WorkflowError(
        "this Snakemake's environment has no package srhm: `make env` in the folder of the clone"
        " installs all, and .venv/bin/snakemake is the Snakemake to use"
    )

from srhm.commands.presets import note_preset, read_preset
from srhm.planning.lengths import CurveJobs, expected_costs
from srhm.declare.study import ConfigError
from srhm.jobs import slurm
from srhm.planning import pages, preset, specs
from srhm.planning.registry import GROUPS, STUDIES, TRAINERS
from srhm.report.explorer.names import explorer_name
from srhm.store import places
from srhm.store.places import source_of
from srhm.store.provenance import PACKAGE

ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent

if PACKAGE.parent.resolve() != (ROOT / "src").resolve():
    raise WorkflowError(
        f"this is {ROOT}, but its environment runs the code of {PACKAGE.parents[1]}: `make env`"
        " in this folder installs its own"
    )

try:
    for file in workflow.configfiles:
        read_preset(Path(file))
    PLAN = preset.plan_preset(config)
except ConfigError as refusal:
    raise WorkflowError(str(refusal)) from None

slurm.watch(ExecutorPluginRegistry().plugins)

PRESET = PLAN.name
LOGS = f"results/{PRESET}/logs"
CURVES = PLAN.curves
INSIDE_A_JOB = workflow.remote_exec or workflow.subprocess_exec

# GPUs that a training job asks for, unless set-resources of a profile says otherwise.
GPU = int(PLAN.preset.device == "cuda")

# A parameter of the figures: it is not Python, so that no digest of sources sees it.
STYLE = (PACKAGE / "figures/paper.mplstyle").read_text(encoding="utf-8")

MEASUREMENTS = specs.measurements_of(PLAN)
MEASURING = specs.measuring_names(MEASUREMENTS)
# A figure that is made before all else, with its curves alone.
PARTS = specs.parts_of(PLAN)
FIRST = specs.priorities(PLAN, lambda curve: sum(cost.seconds for cost in expected_costs(curve)))
EXPLORERS = pages.explorers_of(PLAN)


wildcard_constraints:
    sample=r"[^/]+",
    curve=r"[^/]+",
    part=r"\d+-of-\d+",


def sample_spec(wildcards):
    return specs.spec_text(PLAN.samples[wildcards.sample].spec)


def sample_of_curve(wildcards):
    """The derivations that a curve learns from, if these are a file and the curve is trained."""
    curve = CURVES[wildcards.curve]
    learns = curve.sample is not None and curve.entries
    return [f"{places.DERIVATIONS}/{curve.sample}.parquet"] if learns else []


# What a job of a curve asks of a cluster: minutes, megabytes, a device.
JOBS = {
    name: CurveJobs(curve, PLAN.preset.jobs, inside_a_job=INSIDE_A_JOB)
    for name, curve in CURVES.items()
}


def curve_spec(wildcards):
    return specs.curve_spec(CURVES[wildcards.curve])


def published_files_of_curve(wildcards):
    return specs.published_files(CURVES[wildcards.curve].published_in)


def part_spec(wildcards):
    return specs.part_spec(CURVES[wildcards.curve], wildcards.part, cells_of(wildcards))


def parts_of_curve(wildcards):
    return JOBS[wildcards.curve].files()


def cells_of(wildcards):
    """Places in its curve of the cells that a job trains: of a part, or what all parts have left."""
    jobs = JOBS[wildcards.curve]
    return jobs.places(wildcards.part) if hasattr(wildcards, "part") else jobs.lacking()


def training_minutes(wildcards, threads, attempt):
    cells = cells_of(wildcards)
    return JOBS[wildcards.curve].training_minutes(cells, threads=threads, attempt=attempt)


def training_megabytes(wildcards, threads, attempt):
    cells, gpu = cells_of(wildcards), GPU * CURVES[wildcards.curve].trainer.gpu
    return JOBS[wildcards.curve].training_megabytes(
        cells, threads=threads, attempt=attempt, gpu=gpu
    )


def priority_of(name, otherwise):
    """Function of wildcards: the priority of a curve or sample of an early figure, or of others."""

    def priority(wildcards):
        return FIRST.get(getattr(wildcards, name), otherwise)

    return priority


def time_limit(wildcards):
    """1 inside a cluster's job, which ends after its runtime; 0 on one machine."""
    return int(workflow.remote_exec)


def jobs_per_device(wildcards):
    """1 on one machine, where jobs lock their devices; 0 in a job that a scheduler gave one."""
    return int(not workflow.remote_exec)


def measuring(folder):
    """Functions of wildcards for a measurement, its spec, minutes and megabytes."""
    measurement, _ = MEASUREMENTS[folder]

    def spec(wildcards):
        return specs.measuring_spec(MEASUREMENTS[folder], CURVES[wildcards.curve])

    def minutes(wildcards, attempt):
        return JOBS[wildcards.curve].measuring_minutes(measurement, attempt=attempt)

    def megabytes(wildcards, attempt):
        gpu = GPU * measurement.gpu
        return JOBS[wildcards.curve].measuring_megabytes(attempt=attempt, gpu=gpu)

    return spec, minutes, megabytes


def files_of_group(group):
    """All that a group of studies is to make, and its explorer, if the preset has any of them."""
    name, found = explorer_name(group), pages.files_of_studies(PLAN, GROUPS[group])
    if name in EXPLORERS:
        found += [places.page_file(PRESET, name), *pages.files_of_rows(PLAN, EXPLORERS[name])]
    return found
