"""Estimates the sample complexity of every learning curve, at every threshold."""

import json
from pathlib import Path

from srhm.results.records import CELLS, SAMPLE_COMPLEXITY, SENSITIVITIES, read_table, write_table
from srhm.runtime.progress import job_log
from srhm.statistics.sample_complexity import all_sample_complexities

analysis = json.loads(snakemake.params.analysis)
thresholds = [analysis["threshold"], *analysis["other_thresholds"]]
with job_log(snakemake.log[0], name="sample complexity") as log:
    table = all_sample_complexities(
        read_table(Path(snakemake.input.cells), CELLS),
        read_table(Path(snakemake.input.sensitivities), SENSITIVITIES),
        thresholds=thresholds,
    )
    write_table(table, Path(snakemake.output.sample_complexity), SAMPLE_COMPLEXITY)
    log.info("%d sample complexities: %s", len(table), table["status"].value_counts().to_dict())
