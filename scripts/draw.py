"""Draws a figure of tables."""

import json

from srhm.figures.drawing import save
from srhm.results.deriving import made_of_tables
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name=snakemake.rule):
    figure = made_of_tables(json.loads(snakemake.params.spec))
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
