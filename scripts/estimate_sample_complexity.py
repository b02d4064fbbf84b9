"""Estimates the sample complexity of every learning curve, at every threshold."""

import json
from pathlib import Path

from srhm.progress import job_log
from srhm.records import CELLS, SAMPLE_COMPLEXITY, read_table, write_table
from srhm.sample_complexity import learning_curve_values, sample_complexity

analysis = json.loads(snakemake.params.analysis)
thresholds = [analysis["threshold"], *analysis["other_thresholds"]]
with job_log(snakemake.log[0], name="sample complexity") as log:
    values = learning_curve_values(read_table(Path(snakemake.input.cells), CELLS))
    table = sample_complexity(values, thresholds={"test_error": thresholds})
    write_table(table, Path(snakemake.output.sample_complexity), SAMPLE_COMPLEXITY)
    log.info("%d curves: %s", len(table), table["status"].value_counts().to_dict())
