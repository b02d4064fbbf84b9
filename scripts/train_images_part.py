"""Trains the networks of one part of a curve of Figure 1 A, B that the store lacks."""

import json
from pathlib import Path

from srhm.images.cifar import load
from srhm.images.experiment import device_for, train_images
from srhm.runtime.job import training_job

spec = json.loads(snakemake.params.spec)
cells = [spec["cells"][place] for place in spec["places"]]
name, resources = spec["part"], snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    train_images(
        cells,
        *load(Path(snakemake.params.folder), records_per_file=spec["records_per_file"]),
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        threads=snakemake.threads,
        device=device_for(resources),
        log=log,
        stop=stop,
    )
    keys = json.dumps([entry["key"] for entry in cells])
    Path(snakemake.output.trained).write_text(keys + "\n")
