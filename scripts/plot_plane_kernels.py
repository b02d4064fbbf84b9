"""Spectra of the tangent kernel and projections on its eigenvectors, initial and trained."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import KERNELS, PLANE_CELLS
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.crossover.figures.kernels import draw

with job_log(snakemake.log[0], name="kernels"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.kernels), KERNELS),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
