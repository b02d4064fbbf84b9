"""Measures the trained cells of one curve."""

import json
from pathlib import Path

from srhm.jobs.job import measuring_job
from srhm.measure.rows import measured_rows, of_rows, write_measured
from srhm.store.places import roots_of
from srhm.store.sources import as_digested

spec = json.loads(snakemake.params.spec)
with measuring_job(snakemake.log[0], name=spec["curve"], resources=snakemake.resources) as log:
    with as_digested(snakemake.params.source, *roots_of("measure.py", spec["function"])):
        rows = measured_rows(
            of_rows(spec, Path(snakemake.input.rows)),
            derivations=snakemake.input.derivations,
            store=Path(snakemake.params.store),
            log=log,
            gpu=snakemake.resources.get("gpu", 0),
        )
    write_measured(spec, rows, dict(snakemake.output.items()))
