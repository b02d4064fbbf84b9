"""Relative stability R_k against P, layer and alpha_tilde."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import PLANE_CELLS, PLANE_SENSITIVITIES
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.complexity.figures.stability import draw

with job_log(snakemake.log[0], name="plane stability"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.sensitivities), PLANE_SENSITIVITIES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
