"""Measures the sensitivities of the trained cells of one learning curve of a named net."""

import json
from pathlib import Path

from srhm.measure.network_representations import probe_of_cell
from srhm.measure.sensitivity_of_cells import measure_curve
from srhm.results.records import SENSITIVITIES, read_derivations, write_table
from srhm.runtime.progress import job_log
from srhm.training.cell import parameters_of

spec = json.loads(snakemake.params.spec)
with job_log(snakemake.log[0], name=spec["curve"]) as log:
    rows = measure_curve(
        spec["curve"],
        spec["cells"],
        read_derivations(
            Path(snakemake.input.derivations), parameters_of(spec["cells"][0]["cell"])
        ),
        store=Path(snakemake.params.store),
        probe_of=probe_of_cell,
        log=log,
        **spec["measure"],
    )
    write_table(rows, Path(snakemake.output.sensitivities), SENSITIVITIES)
