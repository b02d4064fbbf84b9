"""Figures 12, 15: sensitivities of every layer to transformations of every level, against P."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import CELLS, SENSITIVITIES, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.sensitivity_curves import draw

with job_log(snakemake.log[0], name="sensitivity curves"):
    figure = draw(
        read_table(Path(snakemake.input.cells), CELLS),
        read_table(Path(snakemake.input.sensitivities), SENSITIVITIES),
        net=snakemake.params.net,
        width=snakemake.params.width,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
