"""Joins the claims on all networks into one scorecard, as a table and as text."""

from pathlib import Path

from srhm.results.records import SCORECARD, read_table, write_table
from srhm.runtime.progress import job_log
from srhm.scorecard import as_markdown, together

with job_log(snakemake.log[0], name="scorecard") as log:
    table = together([read_table(Path(file), SCORECARD) for file in snakemake.input.claims])
    write_table(table, Path(snakemake.output.scorecard), SCORECARD)
    Path(snakemake.output.text).write_text(as_markdown(table))
    log.info("%d claims: %s", len(table), table["verdict"].value_counts().to_dict())
