"""Sample complexity of layerwise against end-to-end training."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import PLANE_CELLS, PLANE_COMPLEXITY
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.layerwise.figures.sample_complexity import draw

with job_log(snakemake.log[0], name="layerwise training"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.complexity), PLANE_COMPLEXITY),
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
