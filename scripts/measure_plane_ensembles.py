"""Averages the members of one curve of the plane that share their data."""

import json
from pathlib import Path

from srhm.plane.measurements.ensembles import average_ensembles
from srhm.plane.measurements.gathering import of_curve
from srhm.plane.tables import ENSEMBLES
from srhm.progress import job_log
from srhm.records import write_table

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    rows = average_ensembles(spec["cells"], store=Path(snakemake.params.store), log=log)
    rows = of_curve(rows, study=spec["study"], curve=spec["curve"])
    write_table(rows, Path(snakemake.output.rows), ENSEMBLES)
