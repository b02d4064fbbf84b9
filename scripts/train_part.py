"""Trains the cells of one part of a curve that the store lacks."""

import json
from pathlib import Path

from srhm.jobs.job import training_job
from srhm.training.any_trainer import spec_of_part
from srhm.training.searching import train_paths

spec = spec_of_part(json.loads(snakemake.params.spec))
name, resources = f"{spec['curve']}, {spec['part']}", snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    entries, _ = train_paths(
        spec,
        derivations=snakemake.input.derivations,
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        threads=snakemake.threads,
        log=log,
        stop=stop,
        gpu=resources.get("gpu", 0),
    )
    keys = json.dumps([entry["key"] for entry in entries])
    Path(snakemake.output.trained).write_text(keys + "\n", encoding="utf-8")
