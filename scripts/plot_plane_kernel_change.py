"""Change of the tangent kernel and half time of the loss against alpha_tilde."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import PLANE_CELLS
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.crossover.figures.kernel_change import draw

with job_log(snakemake.log[0], name="kernel change"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
