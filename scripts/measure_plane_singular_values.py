"""Measures the singular values of the cells of one curve of the plane."""

import json
from pathlib import Path

from srhm.flow.tables import SINGULAR_SUMMARIES, SINGULAR_VALUES
from srhm.measure.gathering import of_curve
from srhm.measure.singular_values import measure_singular_values
from srhm.results.records import write_table
from srhm.runtime.progress import job_log

spec = json.loads(snakemake.params.spec)
curve, output = spec["curve"], snakemake.output
with job_log(snakemake.log[0], name=curve) as log:
    rows, summaries = measure_singular_values(
        spec["cells"], store=Path(snakemake.params.store), log=log
    )
    write_table(of_curve(summaries, curve=curve), Path(output.summaries), SINGULAR_SUMMARIES)
    write_table(of_curve(rows, curve=curve), Path(output.rows), SINGULAR_VALUES)
