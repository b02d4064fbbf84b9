"""Draws the first look at a figure: of the curves that it shows, before the others are trained."""

import json

from srhm.figures.drawing import save
from srhm.results.commit import commit_of
from srhm.results.first_look import first_look
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name=snakemake.rule):
    spec = json.loads(snakemake.params.spec)
    rows = snakemake.input.rows
    figure = first_look(spec, [rows] if isinstance(rows, str) else rows)
    files = {"pdf": snakemake.output.pdf, "png": snakemake.output.png}
    save(figure, **files, command=spec["command"], commit=commit_of())
