"""Trains the networks of one curve of images that the store lacks, and gathers their rows."""

import json
from pathlib import Path

from srhm.images.cifar import load
from srhm.images.experiment import device_for, train_images
from srhm.results.records import IMAGE_CELLS, write_table
from srhm.runtime.job import training_job
from srhm.training.curve import rows_of

spec = json.loads(snakemake.params.spec)
name, resources = spec["curve"], snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    cells = train_images(
        spec["cells"],
        *load(Path(snakemake.params.folder), records_per_file=spec["records_per_file"]),
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        threads=snakemake.threads,
        device=device_for(resources),
        log=log,
        stop=stop,
    )
    rows, _ = rows_of(name, spec["cells"], cells)
    write_table(rows, Path(snakemake.output.rows), IMAGE_CELLS)
