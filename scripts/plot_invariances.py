"""Figures 6, 11, 14, 16: P* of the test error against P*_S and P*_D, and what p and tau do."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import CELLS, SAMPLE_COMPLEXITY, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.invariances import draw

with job_log(snakemake.log[0], name="invariances"):
    figure = draw(
        read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        net=snakemake.params.net,
        branchings=snakemake.params.branchings,
        illustrated=snakemake.params.illustrated,
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
        cells=read_table(Path(snakemake.input.cells), CELLS),
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
