"""Measures the stability of all networks of Figure 1 A, B to smooth deformations of images."""

import json
from pathlib import Path

from srhm.images.cifar import load
from srhm.images.experiment import measure_images
from srhm.progress import job_log
from srhm.records import IMAGES, write_table

spec = json.loads(snakemake.params.spec)
store = Path(snakemake.params.store)
with job_log(snakemake.log[0], name="images") as log:
    data = load(Path(snakemake.params.folder), records_per_file=spec["records_per_file"])
    rows = measure_images(spec["curves"], *data, **spec["measure"], store=store, log=log)
    write_table(rows, Path(snakemake.output.images), IMAGES)
