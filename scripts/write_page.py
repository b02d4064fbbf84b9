"""Writes the page of one or several studies, and its scorecard as text."""

import json
from pathlib import Path

from srhm.report.page import write_page
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name="page") as log:
    write_page(
        json.loads(snakemake.params.spec),
        Path(snakemake.output.page),
        Path(snakemake.output.scorecard),
        log=log,
    )
