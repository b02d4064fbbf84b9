"""Measures the tangent kernels of the cells of one curve of the plane."""

import json
from pathlib import Path

from srhm.plane.measurements.gathering import of_curve
from srhm.plane.measurements.kernels import measure_kernels
from srhm.plane.tables import KERNELS
from srhm.progress import job_log
from srhm.records import write_table

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    rows = measure_kernels(spec["cells"], store=Path(snakemake.params.store), log=log)
    write_table(of_curve(rows, curve=spec["curve"]), Path(snakemake.output.rows), KERNELS)
