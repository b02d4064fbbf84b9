"""Figures 7, 8: learning curves with sparsity B, raw and rescaled by Eq. 3 or Eq. 4."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.sparsity_b import draw
from srhm.progress import job_log
from srhm.records import CELLS, read_table

with job_log(snakemake.log[0], name="sparsity B"):
    figure = draw(
        read_table(Path(snakemake.input.cells), CELLS),
        net=snakemake.params.net,
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
