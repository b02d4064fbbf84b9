"""P* against alpha_tilde for each net, beside frozen kernels, and against Eq. 3 and 4."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import PLANE_CELLS, PLANE_COMPLEXITY
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.complexity.figures.complexity import draw

with job_log(snakemake.log[0], name="plane complexity"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.complexity), PLANE_COMPLEXITY),
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
