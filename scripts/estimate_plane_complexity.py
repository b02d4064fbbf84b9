"""Estimates P* of every learning curve of the plane, of frozen kernels and of ensembles."""

import json
from pathlib import Path

from srhm.flow import tables
from srhm.results.records import read_table, write_table
from srhm.runtime.progress import job_log
from srhm.statistics.flow_complexity import plane_complexity

analysis = json.loads(snakemake.params.analysis)
with job_log(snakemake.log[0], name="sample complexity of the plane") as log:
    table = plane_complexity(
        read_table(Path(snakemake.input.cells), tables.PLANE_CELLS),
        read_table(Path(snakemake.input.sensitivities), tables.PLANE_SENSITIVITIES),
        read_table(Path(snakemake.input.frozen_kernels), tables.FROZEN_KERNELS),
        read_table(Path(snakemake.input.ensembles), tables.ENSEMBLES),
        thresholds=[analysis["threshold"], *analysis["other_thresholds"]],
    )
    write_table(table, Path(snakemake.output.complexity), tables.PLANE_COMPLEXITY)
    log.info("%d sample complexities: %s", len(table), table["status"].value_counts().to_dict())
