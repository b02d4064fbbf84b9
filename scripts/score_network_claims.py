"""Compares each claim of the paper on VGG, ResNet and EfficientNet with what was measured."""

from pathlib import Path

from srhm.results.records import CELLS, SCORECARD, SENSITIVITIES, read_table, write_table
from srhm.runtime.progress import job_log
from srhm.scorecard import NETWORK_CLAIMS, scorecard

SCHEMAS = {
    "cells": CELLS,
    "sensitivities": SENSITIVITIES,
    "networks_cells": CELLS,
    "networks_sensitivities": SENSITIVITIES,
}
with job_log(snakemake.log[0], name="scorecard of networks") as log:
    tables = {
        name: read_table(Path(snakemake.input[name]), schema) for name, schema in SCHEMAS.items()
    }
    table = scorecard(tables, claims=NETWORK_CLAIMS)
    write_table(table, Path(snakemake.output.claims), SCORECARD)
    log.info("%d claims: %s", len(table), table["verdict"].value_counts().to_dict())
