"""Trains the networks of one curve of Figure 1 A, B on CIFAR-10, and gathers their rows."""

import json
from pathlib import Path

from srhm.images.cifar import load
from srhm.images.experiment import train_images
from srhm.progress import job_log
from srhm.records import IMAGE_CELLS, write_table

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    data = load(Path(snakemake.params.folder), records_per_file=spec["records_per_file"])
    rows = train_images(spec["cells"], *data, store=Path(snakemake.params.store), log=log)
    named = [{"curve": spec["curve"], **row} for row in rows]
    write_table(named, Path(snakemake.output.rows), IMAGE_CELLS)
