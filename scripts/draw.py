"""Draws a figure of tables, and writes its caption with the notes of what was drawn."""

import json
from pathlib import Path

from srhm.figures.drawing import caption_with_notes, save
from srhm.jobs.progress import job_log
from srhm.store.deriving import made_of_tables
from srhm.store.places import roots_of
from srhm.store.provenance import commit_of
from srhm.store.sources import as_digested

with job_log(snakemake.log[0], name=snakemake.rule):
    spec = json.loads(snakemake.params.spec)
    with as_digested(snakemake.params.source, *roots_of("draw.py", spec["function"])):
        figure = made_of_tables(spec)
    save(
        figure,
        pdf=snakemake.output.pdf,
        png=snakemake.output.png,
        command=spec["command"],
        commit=commit_of(),
    )
    caption = Path(snakemake.input.caption).read_text(encoding="utf-8")
    Path(snakemake.output.rst).write_text(caption_with_notes(caption, figure), encoding="utf-8")
