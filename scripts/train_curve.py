"""Trains the cells of one learning curve that the store lacks, and gathers their rows."""

import json
from pathlib import Path

from srhm.results.records import CELLS, TIMINGS, read_derivations, write_table
from srhm.runtime.job import training_job
from srhm.training.cell import parameters_of
from srhm.training.curve import rows_of, train_curve

spec = json.loads(snakemake.params.spec)
name, resources = spec["curve"], snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    cells = train_curve(
        spec["cells"],
        read_derivations(
            Path(snakemake.input.derivations), parameters_of(spec["cells"][0]["cell"])
        ),
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        threads=snakemake.threads,
        keep_weights=spec["keep_weights"],
        log=log,
        stop=stop,
        gpu=resources.get("gpu", 0),
    )
    rows, timings = rows_of(spec["curve"], spec["cells"], cells)
    write_table(timings, Path(snakemake.output.timings), TIMINGS)
    write_table(rows, Path(snakemake.output.rows), CELLS)
