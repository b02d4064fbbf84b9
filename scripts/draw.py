"""Draws a figure of tables."""

import json

from srhm.figures.drawing import save
from srhm.results.commit import commit_of
from srhm.results.deriving import made_of_tables
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name=snakemake.rule):
    spec = json.loads(snakemake.params.spec)
    save(
        made_of_tables(spec),
        pdf=snakemake.output.pdf,
        png=snakemake.output.png,
        command=spec["command"],
        commit=commit_of(),
    )
