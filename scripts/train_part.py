"""Trains the cells of one part of a learning curve that the store lacks."""

import json
from pathlib import Path

from srhm.results.records import read_derivations
from srhm.runtime.job import training_job
from srhm.training.cell import parameters_of
from srhm.training.curve import train_curve

spec = json.loads(snakemake.params.spec)
cells = [spec["cells"][place] for place in spec["places"]]
name, resources = spec["part"], snakemake.resources
with training_job(snakemake.log[0], name=name, resources=resources) as (log, stop):
    train_curve(
        cells,
        read_derivations(Path(snakemake.input.derivations), parameters_of(cells[0]["cell"])),
        store=Path(snakemake.params.store),
        checkpoints=Path(snakemake.params.checkpoints),
        threads=snakemake.threads,
        keep_weights=spec["keep_weights"],
        log=log,
        stop=stop,
        gpu=resources.get("gpu", 0),
    )
    keys = json.dumps([entry["key"] for entry in cells])
    Path(snakemake.output.trained).write_text(keys + "\n")
