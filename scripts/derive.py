"""Makes a table of others: sample complexities, say."""

import json
from pathlib import Path

from srhm.jobs.progress import job_log
from srhm.store.deriving import write_derived
from srhm.store.places import roots_of
from srhm.store.sources import as_digested

with job_log(snakemake.log[0], name=Path(snakemake.output.rows).stem) as log:
    spec = json.loads(snakemake.params.spec)
    with as_digested(snakemake.params.source, *roots_of("derive.py", spec["function"])):
        write_derived(spec, Path(snakemake.output.rows), log=log)
