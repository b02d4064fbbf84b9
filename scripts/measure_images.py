"""Measures the stability of all networks of Figure 1 A, B to smooth deformations of images."""

import json
from pathlib import Path

from srhm.images.cifar import load
from srhm.images.experiment import device_for, measure_images
from srhm.results.records import IMAGES, write_table
from srhm.runtime.devices import device_of_job
from srhm.runtime.progress import job_log

spec = json.loads(snakemake.params.spec)
resources = snakemake.resources
with job_log(snakemake.log[0], name="images") as log, device_of_job(resources, log=log):
    rows = measure_images(
        spec["curves"],
        *load(Path(snakemake.params.folder), records_per_file=spec["records_per_file"]),
        **spec["measure"],
        store=Path(snakemake.params.store),
        device=device_for(resources),
        log=log,
    )
    write_table(rows, Path(snakemake.output.images), IMAGES)
