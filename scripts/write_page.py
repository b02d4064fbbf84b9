"""Writes the page of one or several studies, and its scorecard as text and as JSON."""

import json
from pathlib import Path

from srhm.jobs.progress import job_log
from srhm.report.page import write_page, write_scorecard_data
from srhm.store.provenance import commit_of

with job_log(snakemake.log[0], name="page") as log:
    spec, output = json.loads(snakemake.params.spec), snakemake.output
    page, methods, scorecard = map(Path, (output.page, output.methods, output.scorecard))
    write_page(spec, page, scorecard, methods=methods, log=log)
    write_scorecard_data(spec, Path(output.data), commit=commit_of())
