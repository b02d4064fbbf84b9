"""Gathers the rows of all curves of a study into its tables, and checks them."""

import json

from srhm.jobs.progress import job_log
from srhm.store.gathering import gather_tables

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["study"]) as log:
    gather_tables(spec, dict(snakemake.input.items()), dict(snakemake.output.items()), log=log)
