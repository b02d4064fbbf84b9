"""Trains the cells of one curve that the store lacks, and gathers their rows."""

import json
from pathlib import Path

from srhm.jobs.job import training_job
from srhm.store.records import write_table
from srhm.store.tables import schema_of
from srhm.training.loop import result_rows
from srhm.training.searching import train_paths

spec = json.loads(snakemake.params.spec)
name, resources = spec["curve"], snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    entries, cells = train_paths(
        spec,
        derivations=snakemake.input.derivations,
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        threads=snakemake.threads,
        log=log,
        stop=stop,
        gpu=resources.get("gpu", 0),
    )
    rows, timings = result_rows(name, entries, cells, **spec["columns"])
    schemas = {table: schema_of(schema) for table, schema in spec["schemas"].items()}
    write_table(timings, Path(snakemake.output.timings), schemas["timings"])
    write_table(rows, Path(snakemake.output.rows), schemas["cells"])
