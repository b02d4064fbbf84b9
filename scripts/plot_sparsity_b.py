"""Figures 7, 8: learning curves with sparsity B, raw and rescaled by Eq. 3 or Eq. 4."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import CELLS, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.sparsity_b import draw

with job_log(snakemake.log[0], name="sparsity B"):
    figure = draw(
        read_table(Path(snakemake.input.cells), CELLS),
        net=snakemake.params.net,
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
