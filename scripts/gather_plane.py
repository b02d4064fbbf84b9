"""Gathers the files of all curves of the plane into one table of a preset."""

import json
from pathlib import Path

from srhm.flow.tables import TABLES
from srhm.measure.gathering import gather_plane
from srhm.results.records import write_table
from srhm.runtime.progress import job_log

table = snakemake.params.table
with job_log(snakemake.log[0], name=table) as log:
    files = [Path(file) for file in snakemake.input.curves]
    rows = gather_plane(table, files, json.loads(snakemake.params.planned))
    write_table(rows, Path(snakemake.output.rows), TABLES[table])
    log.info("%s: %d rows of %d curves", table, len(rows), len(files))
