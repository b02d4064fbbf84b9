"""Measures the Hessians of the cells of one curve of the plane."""

import json
from pathlib import Path

from srhm.plane.measurements.gathering import of_curve
from srhm.plane.measurements.hessians import measure_hessians
from srhm.plane.tables import HESSIAN_SUMMARIES, HESSIANS
from srhm.progress import job_log
from srhm.records import write_table

spec = json.loads(snakemake.params.spec)
curve, output = spec["curve"], snakemake.output
with job_log(snakemake.log[0], name=curve) as log:
    rows, summaries = measure_hessians(spec["cells"], store=Path(snakemake.params.store), log=log)
    write_table(of_curve(summaries, curve=curve), Path(output.summaries), HESSIAN_SUMMARIES)
    write_table(of_curve(rows, curve=curve), Path(output.rows), HESSIANS)
