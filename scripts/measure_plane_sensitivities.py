"""Measures the sensitivities of the cells of one curve of the plane."""

import json
from pathlib import Path

from srhm.flow.tables import PLANE_SENSITIVITIES
from srhm.measure.flow_sensitivities import measure_sensitivities
from srhm.measure.gathering import of_curve
from srhm.results.records import write_table
from srhm.runtime.progress import job_log

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    rows = measure_sensitivities(spec["cells"], store=Path(snakemake.params.store), log=log)
    write_table(
        of_curve(rows, curve=spec["curve"]), Path(snakemake.output.rows), PLANE_SENSITIVITIES
    )
