"""Writes the explorer of a group of studies."""

import json
from pathlib import Path

from srhm.explorer.page import write_explorer
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name="explorer") as log:
    write_explorer(json.loads(snakemake.params.spec), Path(snakemake.output.page), log=log)
