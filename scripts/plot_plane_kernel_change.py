"""Change of the tangent kernel and half time of the loss against alpha_tilde."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.plane_kernel_change import draw
from srhm.plane.tables import PLANE_CELLS
from srhm.progress import job_log
from srhm.records import read_table

with job_log(snakemake.log[0], name="kernel change"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
