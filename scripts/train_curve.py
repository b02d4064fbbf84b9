"""Trains the cells of one curve that the store lacks, and gathers their rows."""

import json
from pathlib import Path

from srhm.jobs.job import training_job
from srhm.store.published import write_curve
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
    output = {"timings": snakemake.output.timings, "cells": snakemake.output.rows}
    write_curve(spec, {"cells": rows, "timings": timings}, output)
