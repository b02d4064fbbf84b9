"""Writes the explorer of a group of studies."""

import json
from pathlib import Path

from srhm.jobs.progress import job_log
from srhm.report.explorer.page import write_explorer

with job_log(snakemake.log[0], name="explorer") as log:
    write_explorer(json.loads(snakemake.params.spec), Path(snakemake.output.page), log=log)
