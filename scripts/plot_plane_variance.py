"""Variance of F over initialisations against the width."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.plane_variance import draw
from srhm.plane.tables import ENSEMBLES, PLANE_CELLS
from srhm.progress import job_log
from srhm.records import read_table

with job_log(snakemake.log[0], name="variance of F"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.ensembles), ENSEMBLES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
