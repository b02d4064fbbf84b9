"""Config -> curves, paths and parameters; the only Python outside src/ and scripts/."""

from pathlib import Path

from snakemake.exceptions import WorkflowError

from srhm import experiments
from srhm.provenance import PACKAGE, canonical_json, short_hash, source_digest

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


wildcard_constraints:
    sample=r"[^/]+",
    curve=r"[^/]+",


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


# Not Python, so that no digest of a script sees it.
STYLE = (ROOT / "src/srhm/figures/paper.mplstyle").read_text()


def figure_files(name):
    return {kind: f"{RESULTS}/figures/{name}.{kind}" for kind in ("pdf", "png")}


# What is measured and by which code, in the path: a changed definition finds no old file.
MEASUREMENT = PLAN.preset.measurement.model_dump()
MEASURED_BY = short_hash([MEASUREMENT, source_digest(PACKAGE / "sensitivity_of_cells.py")])
SENSITIVITIES = f"results/sensitivities/{MEASURED_BY}"


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


CURVE_FILES = [f"results/curves/{name}.parquet" for name in PLAN.curves]
TIMING_FILES = [f"results/curves/{name}.timings.parquet" for name in PLAN.curves]
SENSITIVITY_FILES = [f"{SENSITIVITIES}/{name}.parquet" for name in PLAN.curves]
KEYS = canonical_json({name: [e["key"] for e in c.entries] for name, c in PLAN.curves.items()})
CONFIGURATION = PLAN.preset.model_dump_json(exclude_none=True)
ANALYSIS = canonical_json(PLAN.preset.analysis.model_dump())
TABLES = ["cells", "timings", "sensitivities", "sample_complexity", "scorecard"]
TABLE_FILES = [f"{RESULTS}/tables/{name}.parquet" for name in TABLES]
