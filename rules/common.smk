"""Config -> curves, paths and parameters; the only Python outside src/ and scripts/."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from srhm.studies.sparse_hierarchy import configuration as experiments
from srhm.commands import jobs
from srhm.training.cost import (costs, evaluation_seconds)
from srhm.runtime.devices import resolved
from srhm.images import cifar
from srhm.studies.images.plan import (image_curves, images_to_evaluate)
from srhm.results.outdated import is_outdated
from srhm.flow.cost import expected_bytes as plane_bytes
from srhm.flow.cost import expected_seconds as plane_seconds
from srhm.results.provenance import (PACKAGE, canonical_json, short_hash, source_digest)
from srhm.results.store import path_of

ROOT = Path(workflow.basedir)

try:
    PLAN = experiments.plan(config)
except experiments.ConfigError as refusal:
    raise WorkflowError(str(refusal)) from None

PRESET = PLAN.preset.preset
RESULTS = f"results/{PRESET}"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"
# Samples, cells and curves are named by what they hold and shared by all presets.
STORE = "results/cells"
CHECKPOINTS = "results/checkpoints"

# CIFAR-10, Figure 1 A, B. Its cells lie apart from those of the SRHM: what collects unwanted cells
# could not name them where the images are gone.
IMAGE_STORE = "results/images/cells"
IMAGE_CHECKPOINTS = "results/images/checkpoints"
IMAGE_FOLDER = Path(PLAN.preset.images.folder)
IMAGE_NOTICE = cifar.notice(IMAGE_FOLDER)

try:
    IMAGE_CURVES = image_curves(PLAN.preset.images, folder=IMAGE_FOLDER)
except cifar.CifarError as refusal:
    raise WorkflowError(str(refusal)) from None


wildcard_constraints:
    sample=r"[^/]+",
    curve=r"[^/]+",
    part=r"\d+-of-\d+",


def source_of(script):
    """Digest of a script with every module that it reaches."""
    return source_digest(ROOT / "scripts" / script)


def sample_spec(wildcards):
    return canonical_json(PLAN.samples[wildcards.sample].spec)


def sample_of_curve(wildcards):
    return f"results/derivations/{PLAN.curves[wildcards.curve].sample}.parquet"


def curve_spec(wildcards):
    """All that decides the rows of a curve, as one text: Snakemake compares it as a whole."""
    curve = PLAN.curves[wildcards.curve]
    return canonical_json(
        {
            "cells": curve.entries,
            "keep_weights": PLAN.preset.keep_weights,
            "curve": curve.name,
        }
    )


def entries_of(curve):
    """Cells of a curve of the SRHM or on images, with their keys."""
    return IMAGE_CURVES[curve] if curve in IMAGE_CURVES else PLAN.curves[curve].entries


@cache
def expected_costs(curve):
    """Expected cost of each cell of a curve."""
    return costs(entry["cell"] for entry in entries_of(curve))


def parts_of(curve):
    """Places of a curve's cells by part; empty for a curve that one job trains."""
    limits = PLAN.preset.jobs
    if limits.minutes is None and limits.cells is None:
        return {}
    return jobs.parts(expected_costs(curve), minutes=limits.minutes, cells=limits.cells)


def gathered(curve):
    folder = "results/images" if curve in IMAGE_CURVES else "results/curves"
    return Path(f"{folder}/{curve}.parquet").is_file()


def folder_of_parts(curve):
    return Path("results/images/parts" if curve in IMAGE_CURVES else "results/parts") / curve


def parts_of_curve(wildcards):
    """Files of a curve's part jobs; of a curve that is there, those that it was gathered from.

    Without this a curve would be gathered, and measured, again when `jobs` is changed.
    """
    folder = folder_of_parts(wildcards.curve)
    # Inside a job all parts are there.
    if gathered(wildcards.curve) or workflow.remote_exec or workflow.subprocess_exec:
        return sorted(str(file) for file in folder.glob("*-of-*.json"))
    return [f"{folder}/{part}.json" for part in parts_of(wildcards.curve)]


def places_of_part(wildcards):
    """Places of a part's cells in its curve.

    Of a part that is there but not planned, from its file: the curve was split by another `jobs`.
    """
    planned = parts_of(wildcards.curve).get(wildcards.part)
    file = folder_of_parts(wildcards.curve) / f"{wildcards.part}.json"
    if planned is not None and not (gathered(wildcards.curve) and file.is_file()):
        return planned
    keys = set(json.loads(file.read_text()))
    entries = entries_of(wildcards.curve)
    return [place for place, entry in enumerate(entries) if entry["key"] in keys]


def part_spec(wildcards):
    """As curve_spec; places: those cells of the curve that the part trains."""
    curve = PLAN.curves[wildcards.curve]
    return canonical_json(
        {
            "cells": curve.entries,
            "keep_weights": PLAN.preset.keep_weights,
            "part": f"{curve.label}, {wildcards.part}",
            "places": places_of_part(wildcards),
        }
    )


# What a training job asks of a cluster; on one machine nobody looks at it.
def expected_of_part(wildcards):
    expected = expected_costs(wildcards.curve)
    return [expected[place] for place in places_of_part(wildcards)]


def expected_of_curve(wildcards):
    """Of the cells that the parts, if there are any, have not left in the store.

    Cells of other code for GPUs are trained again, and count as missing.
    """
    folder = folder_of_parts(wildcards.curve)
    parts = parts_of(wildcards.curve)
    if not (
        gathered(wildcards.curve) or all((folder / f"{part}.json").is_file() for part in parts)
    ):
        return []  # parts will train them: then the curve is only gathered
    store = Path(IMAGE_STORE if wildcards.curve in IMAGE_CURVES else STORE)
    expected = expected_costs(wildcards.curve)
    files = [path_of(store, entry["key"]) for entry in entries_of(wildcards.curve)]
    stored = [file.is_file() and not is_outdated(file) for file in files]
    return [cost for cost, done in zip(expected, stored) if not done]


def training_minutes(expected, threads, attempt):
    limit = PLAN.preset.jobs.limit
    return jobs.training_minutes(expected, threads=threads, attempt=attempt, limit=limit)


def training_megabytes(wildcards, expected, threads, attempt):
    """With what a GPU of the configuration costs; that of a profile alone cannot be seen here."""
    together = wildcards.curve not in IMAGE_CURVES
    return jobs.training_megabytes(
        expected, threads=threads, attempt=attempt, gpu=GPU, together=together
    )


def part_minutes(wildcards, threads, attempt):
    return training_minutes(expected_of_part(wildcards), threads, attempt)


def part_megabytes(wildcards, threads, attempt):
    return training_megabytes(wildcards, expected_of_part(wildcards), threads, attempt)


def curve_minutes(wildcards, threads, attempt):
    return training_minutes(expected_of_curve(wildcards), threads, attempt)


def curve_megabytes(wildcards, threads, attempt):
    return training_megabytes(wildcards, expected_of_curve(wildcards), threads, attempt)


def measuring_minutes(wildcards, attempt):
    expected, limit = expected_costs(wildcards.curve), PLAN.preset.jobs.limit
    return jobs.measuring_minutes(expected, attempt=attempt, limit=limit)


def measuring_megabytes(wildcards, attempt):
    return jobs.measuring_megabytes(expected_costs(wildcards.curve), attempt=attempt)


def time_limit(wildcards):
    """1 inside a cluster's job, which ends after its runtime; 0 on one machine."""
    return int(workflow.remote_exec)


# GPUs that a training job asks for; set-resources of a profile says otherwise. The launcher hands
# on what `auto` means where it runs: a node of a cluster would find other devices.
GPU = int(resolved(PLAN.preset.device) == "cuda")


def jobs_per_device(wildcards):
    """1 on one machine, where jobs lock their devices; 0 in a job that a scheduler gave one."""
    return int(not workflow.remote_exec)


# Not Python, so that no digest of a script sees it.
STYLE = (ROOT / "src/srhm/figures/paper.mplstyle").read_text()

# Finished runs of other presets that the repository keeps: drawn beside this one, fitted by none.
PUBLICATIONS = sorted(
    str(file)
    for name in ("sample_complexity.parquet", "provenance.json")
    for file in (ROOT / "published").glob(f"*/{name}")
    if file.parent.name != PRESET
)


def figure_files(name):
    return {kind: f"{RESULTS}/figures/{name}.{kind}" for kind in ("pdf", "png")}


MEASUREMENT = PLAN.preset.measurement.model_dump()
# What is measured and by which code, in the path: a changed definition finds no old file. Named
# nets have code of their own, so that a change of theirs leaves the core's files.
CORE, NETWORKS = experiments.MEASURING
MEASURED_BY = experiments.measured_by(PLAN.preset.measurement, CORE)
NETWORKS_MEASURED_BY = experiments.measured_by(PLAN.preset.measurement, NETWORKS)
SENSITIVITIES = f"results/sensitivities/{MEASURED_BY}"
NETWORK_SENSITIVITIES = f"results/sensitivities/{NETWORKS_MEASURED_BY}"


def measurement_spec(wildcards):
    curve = PLAN.curves[wildcards.curve]
    return canonical_json(
        {
            "cells": curve.entries,
            "curve": curve.name,
            "measure": MEASUREMENT,
            "source": MEASURED_BY,
        }
    )


def network_measurement_spec(wildcards):
    curve = PLAN.networks[wildcards.curve]
    return canonical_json(
        {
            "cells": curve.entries,
            "curve": curve.name,
            "measure": MEASUREMENT,
            "source": NETWORKS_MEASURED_BY,
        }
    )


def keys_of(curves):
    return canonical_json({name: [e["key"] for e in c.entries] for name, c in curves.items()})


# LCN, CNN and FCN: the core, whose figures do not wait for the named nets.
CURVE_FILES = [f"results/curves/{name}.parquet" for name in PLAN.core]
TIMING_FILES = [f"results/curves/{name}.timings.parquet" for name in PLAN.core]
SENSITIVITY_FILES = [f"{SENSITIVITIES}/{name}.parquet" for name in PLAN.core]
KEYS = keys_of(PLAN.core)
NETWORK_CURVE_FILES = [f"results/curves/{name}.parquet" for name in PLAN.networks]
NETWORK_TIMING_FILES = [f"results/curves/{name}.timings.parquet" for name in PLAN.networks]
NETWORK_SENSITIVITY_FILES = [f"{NETWORK_SENSITIVITIES}/{name}.parquet" for name in PLAN.networks]
NETWORK_KEYS = keys_of(PLAN.networks)
# A pattern that no core curve matches: its name begins with that of its net.
NAMED_CURVE = f"({'|'.join(map(re.escape, experiments.NAMED))})_[^/]+"
# On which device is no matter of the results: another one makes no page anew.
CONFIGURATION = PLAN.preset.model_dump_json(exclude_none=True, exclude={"device"})
ANALYSIS = canonical_json(PLAN.preset.analysis.model_dump())
TABLES = ["cells", "timings", "sensitivities", "sample_complexity", "scorecard"]
TABLE_FILES = [f"{RESULTS}/tables/{name}.parquet" for name in TABLES]
NETWORK_TABLES = ["networks_cells", "networks_timings", "networks_sensitivities"]
NETWORK_TABLE_FILES = [f"{RESULTS}/tables/{name}.parquet" for name in NETWORK_TABLES]

# What `all` and Figure 1 ask for: nothing without the images.
IMAGE_TABLES = [f"{RESULTS}/tables/images.parquet"] if IMAGE_NOTICE is None else []


def image_table(wildcards):
    if IMAGE_NOTICE is not None:
        raise WorkflowError(IMAGE_NOTICE)
    return f"{RESULTS}/tables/images.parquet"


def image_curve_spec(wildcards):
    """All that decides the rows of a curve; its keys hold the sums of the data's files."""
    return canonical_json(
        {
            "cells": IMAGE_CURVES[wildcards.curve],
            "curve": wildcards.curve,
            "records_per_file": PLAN.preset.images.records_per_file,
        }
    )


def image_part_spec(wildcards):
    """As image_curve_spec; places: those cells of the curve that the part trains."""
    return canonical_json(
        {
            "cells": IMAGE_CURVES[wildcards.curve],
            "part": f"{wildcards.curve}, {wildcards.part}",
            "places": places_of_part(wildcards),
            "records_per_file": PLAN.preset.images.records_per_file,
        }
    )


def image_measuring_minutes(wildcards, attempt):
    """Of all networks, each before and after training."""
    n_images = images_to_evaluate(PLAN.preset.images.stability)
    cells = [entry["cell"] for entries in IMAGE_CURVES.values() for entry in entries]
    seconds = [evaluation_seconds(cell, n_images=n_images) for cell in cells]
    return jobs.evaluation_minutes(seconds, attempt=attempt, limit=PLAN.preset.jobs.limit)


def image_measuring_megabytes(wildcards, attempt):
    expected = [cost for curve in IMAGE_CURVES for cost in expected_costs(curve)]
    return jobs.measuring_megabytes(expected, attempt=attempt, gpu=GPU)


MEASURED_IMAGES = canonical_json(
    {
        "curves": IMAGE_CURVES,
        "records_per_file": PLAN.preset.images.records_per_file,
        "measure": {
            **PLAN.preset.images.stability.model_dump(),
            "temperature": PLAN.preset.images.stability.temperature,
        },
    }
)

# Lazy and feature learning (section `plane`), with a store of its own; nothing of it is part of
# `all`, the target is `plane`.
PLANE_STORE = "results/plane/cells"
PLANE_CHECKPOINTS = "results/plane/checkpoints"
PLANE_KEYS = keys_of(PLAN.plane)
FIRST_STEP = canonical_json([group.model_dump() for group in PLAN.preset.plane.first_step])
PLANE_CONFIGURATION = PLAN.preset.plane.model_dump_json(exclude_none=True)


def plane_folder(measurement):
    """Where the files of a measurement lie, by the code that makes them.

    A changed definition finds no old file.
    """
    return f"results/plane/{measurement}/{source_of(f'measure_plane_{measurement}.py')}"


def plane_files(folder, measurement=None, ending="parquet"):
    """Files of all curves of the plane, or of those of which this is measured."""
    wanted = [n for n, c in PLAN.plane.items() if measurement is None or measurement in c.measure]
    return [f"{folder}/{name}.{ending}" for name in wanted]


# Files of the curves that a table of the preset is gathered from.
PLANE_PARTS = {
    "plane_cells": plane_files("results/plane/curves"),
    "plane_timings": plane_files("results/plane/curves", ending="timings.parquet"),
    "plane_ensembles": [
        f"{plane_folder('ensembles')}/{name}.parquet"
        for name, curve in PLAN.plane.items()
        if any(entry["cell"]["member"] for entry in curve.entries)
    ],
    "plane_kernels": plane_files(plane_folder("kernels"), "kernels"),
    "plane_hessians": plane_files(f"{plane_folder('hessians')}/eigenvalues", "hessians"),
    "plane_hessian_summaries": plane_files(f"{plane_folder('hessians')}/summaries", "hessians"),
    "plane_singular_values": plane_files(
        f"{plane_folder('singular_values')}/values", "singular_values"
    ),
    "plane_singular_summaries": plane_files(
        f"{plane_folder('singular_values')}/summaries", "singular_values"
    ),
    "plane_sensitivities": plane_files(plane_folder("sensitivities"), "sensitivities"),
    "plane_frozen_kernels": plane_files(plane_folder("frozen_kernels"), "frozen_kernels"),
}


def plane_spec(wildcards):
    """All that decides the rows of a curve of the plane, trained or measured."""
    curve = PLAN.plane[wildcards.curve]
    return canonical_json({"cells": curve.entries, "curve": curve.name, "study": curve.study})


def plane_minutes(wildcards, attempt):
    """Of a training, and of a measurement, which takes less or not much more."""
    seconds = [plane_seconds(entry["cell"]) for entry in PLAN.plane[wildcards.curve].entries]
    return jobs.evaluation_minutes(seconds, attempt=attempt, limit=PLAN.preset.jobs.limit)


def plane_training_megabytes(wildcards, attempt):
    return plane_megabytes(wildcards, attempt, gpu=GPU)


def plane_megabytes(wildcards, attempt, gpu=0):
    """Of a training on processors, and of a measurement."""
    cells = [entry["cell"] for entry in PLAN.plane[wildcards.curve].entries]
    members = Counter(cell["P"] for cell in cells)
    batches = [
        jobs.batch_bytes(plane_bytes(cell, members=1), members=members[cell["P"]]) for cell in cells
    ]
    return jobs.megabytes(max(batches), attempt=attempt, gpu=gpu)
