"""Compares each claim of a study with what was measured."""

import json
from pathlib import Path

from srhm.jobs.progress import job_log
from srhm.scorecard.card import score
from srhm.store.places import roots_of
from srhm.store.sources import as_digested

with job_log(snakemake.log[0], name="claims") as log:
    spec = json.loads(snakemake.params.spec)
    with as_digested(snakemake.params.source, *roots_of("score.py", spec["module"])):
        score(spec, Path(snakemake.output.claims), log=log)
