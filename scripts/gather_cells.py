"""Gathers the rows of all curves into one table of cells, and one of times."""

import json
from pathlib import Path

from srhm.results.gathering import gather
from srhm.results.records import CELLS, SENSITIVITIES, TIMINGS, write_table
from srhm.runtime.progress import job_log

keys = json.loads(snakemake.params.planned)
with job_log(snakemake.log[0], name="cells") as log:
    cells = gather([Path(file) for file in snakemake.input.curves], keys, CELLS)
    timings = gather([Path(file) for file in snakemake.input.timings], keys, TIMINGS)
    sensitivities = gather(
        [Path(file) for file in snakemake.input.sensitivities],
        keys,
        SENSITIVITIES,
        rows_of_a_cell="several",
    )
    write_table(sensitivities, Path(snakemake.output.sensitivities), SENSITIVITIES)
    write_table(cells, Path(snakemake.output.cells), CELLS)
    write_table(timings, Path(snakemake.output.timings), TIMINGS)
    log.info(
        "%d cells in %d curves, %.0f s of training; by status: %s",
        *(len(cells), len(keys), timings["seconds"].sum()),
        cells["status"].value_counts().to_dict(),
    )
