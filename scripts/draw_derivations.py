"""Draws the training and test data of one learning curve, for each of its seeds."""

import json
from pathlib import Path

from srhm.jobs.progress import job_log
from srhm.model.sampling import draw_samples
from srhm.store.places import roots_of
from srhm.store.records import write_derivations
from srhm.store.sources import as_digested
from srhm.training.cell import parameters_of

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=snakemake.wildcards.sample) as log:
    with as_digested(snakemake.params.source, *roots_of("draw_derivations.py")):
        samples = draw_samples(
            parameters_of(spec), spec["seeds"], n_train=spec["n_train"], n_test=spec["n_test"]
        )
    write_derivations(samples, Path(snakemake.output.derivations), provenance=spec)
    log.info("%d training and %d test points for each seed", spec["n_train"], spec["n_test"])
