"""Makes a table of others: sample complexities, say."""

import json
from pathlib import Path

from srhm.results.deriving import derive
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name=Path(snakemake.output.rows).stem) as log:
    derive(json.loads(snakemake.params.spec), Path(snakemake.output.rows), log=log)
