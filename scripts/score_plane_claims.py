"""Compares each statement on lazy and feature learning with what was measured."""

from pathlib import Path

from srhm.flow.tables import TABLES
from srhm.results.records import SCORECARD, read_table, write_table
from srhm.runtime.progress import job_log
from srhm.scorecard import scorecard
from srhm.scorecard.flow_statements import PLANE_CLAIMS, as_markdown

with job_log(snakemake.log[0], name="scorecard of the plane") as log:
    files = {Path(file).stem: Path(file) for file in snakemake.input.tables}
    tables = {name: read_table(file, TABLES[name]) for name, file in files.items()}
    table = scorecard(tables, claims=PLANE_CLAIMS)
    write_table(table, Path(snakemake.output.scorecard), SCORECARD)
    Path(snakemake.output.text).write_text(as_markdown(table))
    log.info("%d statements: %s", len(table), table["verdict"].value_counts().to_dict())
