"""The (h, alpha_tilde) diagram with jamming line and level sets of the kernel change."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import ENSEMBLES, PLANE_CELLS
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.crossover.figures.diagram import draw

with job_log(snakemake.log[0], name="diagram"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.ensembles), ENSEMBLES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
