"""Makes a table of others: sample complexities, say."""

import json
from pathlib import Path

from srhm.results.deriving import write_derived
from srhm.runtime.progress import job_log

with job_log(snakemake.log[0], name=Path(snakemake.output.rows).stem) as log:
    write_derived(json.loads(snakemake.params.spec), Path(snakemake.output.rows), log=log)
