"""Measures signal and noise of the first step of gradient descent, without any training."""

import json
from pathlib import Path

from srhm.plane.first_step_table import first_step_rows
from srhm.plane.tables import FIRST_STEP
from srhm.progress import job_log
from srhm.records import write_table

with job_log(snakemake.log[0], name="first step") as log:
    rows = list(first_step_rows(json.loads(snakemake.params.entries)))
    write_table(rows, Path(snakemake.output.table), FIRST_STEP)
    log.info("%d first steps", len(rows))
