"""Variance of F over initialisations against the width."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import ENSEMBLES, PLANE_CELLS
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.crossover.figures.variance import draw

with job_log(snakemake.log[0], name="variance of F"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.ensembles), ENSEMBLES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
