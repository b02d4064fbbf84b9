"""Measures signal and noise of the first step of gradient descent, without any training."""

import json
from pathlib import Path

from srhm.flow.tables import FIRST_STEP
from srhm.results.records import write_table
from srhm.runtime.progress import job_log
from srhm.studies.first_step.table import first_step_rows

with job_log(snakemake.log[0], name="first step") as log:
    rows = list(first_step_rows(json.loads(snakemake.params.entries)))
    write_table(rows, Path(snakemake.output.table), FIRST_STEP)
    log.info("%d first steps", len(rows))
