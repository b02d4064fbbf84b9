"""Compares each claim of the paper with what was measured."""

from pathlib import Path

from srhm.progress import job_log
from srhm.records import (
    CELLS,
    SAMPLE_COMPLEXITY,
    SCORECARD,
    SENSITIVITIES,
    read_table,
    write_table,
)
from srhm.scorecard import as_markdown, scorecard

with job_log(snakemake.log[0], name="scorecard") as log:
    tables = {
        "cells": read_table(Path(snakemake.input.cells), CELLS),
        "sensitivities": read_table(Path(snakemake.input.sensitivities), SENSITIVITIES),
        "sample_complexity": read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
    }
    table = scorecard(tables)
    write_table(table, Path(snakemake.output.scorecard), SCORECARD)
    Path(snakemake.output.text).write_text(as_markdown(table))
    log.info("%d claims: %s", len(table), table["verdict"].value_counts().to_dict())
