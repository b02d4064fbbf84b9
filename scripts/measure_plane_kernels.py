"""Measures the tangent kernels of the cells of one curve of the plane."""

import json
from pathlib import Path

from srhm.flow.tables import KERNELS
from srhm.measure.gathering import of_curve
from srhm.measure.kernels import measure_kernels
from srhm.results.records import write_table
from srhm.runtime.progress import job_log

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    rows = measure_kernels(spec["cells"], store=Path(snakemake.params.store), log=log)
    write_table(of_curve(rows, curve=spec["curve"]), Path(snakemake.output.rows), KERNELS)
