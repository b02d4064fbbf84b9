"""Double descent: error, ensemble error and norm of F against the width at fixed P."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import ENSEMBLES, PLANE_CELLS
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.double_descent.figures.error_and_norm import draw

with job_log(snakemake.log[0], name="double descent"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.ensembles), ENSEMBLES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
