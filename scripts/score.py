"""Compares each claim of a study with what was measured."""

import json
from pathlib import Path

from srhm.runtime.progress import job_log
from srhm.scorecard.card import score

with job_log(snakemake.log[0], name="claims") as log:
    score(json.loads(snakemake.params.spec), Path(snakemake.output.claims), log=log)
