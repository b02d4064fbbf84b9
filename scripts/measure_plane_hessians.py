"""Measures the Hessians of the cells of one curve of the plane."""

import json
from pathlib import Path

from srhm.flow.tables import HESSIAN_SUMMARIES, HESSIANS
from srhm.measure.gathering import of_curve
from srhm.measure.hessians import measure_hessians
from srhm.results.records import write_table
from srhm.runtime.progress import job_log

spec = json.loads(snakemake.params.spec)
curve, output = spec["curve"], snakemake.output
with job_log(snakemake.log[0], name=curve) as log:
    rows, summaries = measure_hessians(spec["cells"], store=Path(snakemake.params.store), log=log)
    write_table(of_curve(summaries, curve=curve), Path(output.summaries), HESSIAN_SUMMARIES)
    write_table(of_curve(rows, curve=curve), Path(output.rows), HESSIANS)
