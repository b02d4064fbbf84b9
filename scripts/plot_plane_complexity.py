"""P* against alpha_tilde for each net, beside frozen kernels, and against Eq. 3 and 4."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.plane_complexity import draw
from srhm.plane.tables import PLANE_CELLS, PLANE_COMPLEXITY
from srhm.progress import job_log
from srhm.records import read_table

with job_log(snakemake.log[0], name="plane complexity"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.complexity), PLANE_COMPLEXITY),
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
