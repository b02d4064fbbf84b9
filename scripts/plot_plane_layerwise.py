"""Sample complexity of layerwise against end-to-end training."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.plane_layerwise import draw
from srhm.plane.tables import PLANE_CELLS, PLANE_COMPLEXITY
from srhm.progress import job_log
from srhm.records import read_table

with job_log(snakemake.log[0], name="layerwise training"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.complexity), PLANE_COMPLEXITY),
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
