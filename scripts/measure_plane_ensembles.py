"""Averages the members of one curve of the plane that share their data."""

import json
from pathlib import Path

from srhm.flow.tables import ENSEMBLES
from srhm.measure.ensembles import average_ensembles
from srhm.measure.gathering import of_curve
from srhm.results.records import write_table
from srhm.runtime.progress import job_log

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    rows = average_ensembles(spec["cells"], store=Path(snakemake.params.store), log=log)
    rows = of_curve(rows, study=spec["study"], curve=spec["curve"])
    write_table(rows, Path(snakemake.output.rows), ENSEMBLES)
