"""Relative stability R_k against P, layer and alpha_tilde."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.plane_stability import draw
from srhm.plane.tables import PLANE_CELLS, PLANE_SENSITIVITIES
from srhm.progress import job_log
from srhm.records import read_table

with job_log(snakemake.log[0], name="plane stability"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.sensitivities), PLANE_SENSITIVITIES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
