"""Trains the cells of one curve of the plane that the store lacks, and gathers their rows."""

import json
from pathlib import Path

from srhm.flow.cells import rows_of, train_curve
from srhm.flow.tables import PLANE_CELLS, PLANE_TIMINGS
from srhm.results.records import write_table
from srhm.runtime.job import training_job

spec = json.loads(snakemake.params.spec)
name, resources = spec["curve"], snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    cells = train_curve(
        spec["cells"],
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        log=log,
        stop=stop,
        gpu=resources.get("gpu", 0),
    )
    rows, timings = rows_of(spec["study"], name, spec["cells"], cells)
    write_table(timings, Path(snakemake.output.timings), PLANE_TIMINGS)
    write_table(rows, Path(snakemake.output.rows), PLANE_CELLS)
