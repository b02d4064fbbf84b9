"""Compares each claim of the paper on LCN, CNN and FCN with what was measured."""

from pathlib import Path

from srhm.results.records import (
    CELLS,
    SAMPLE_COMPLEXITY,
    SCORECARD,
    SENSITIVITIES,
    read_table,
    write_table,
)
from srhm.runtime.progress import job_log
from srhm.scorecard import scorecard

with job_log(snakemake.log[0], name="scorecard") as log:
    tables = {
        "cells": read_table(Path(snakemake.input.cells), CELLS),
        "sensitivities": read_table(Path(snakemake.input.sensitivities), SENSITIVITIES),
        "sample_complexity": read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
    }
    table = scorecard(tables)
    write_table(table, Path(snakemake.output.claims), SCORECARD)
    log.info("%d claims: %s", len(table), table["verdict"].value_counts().to_dict())
