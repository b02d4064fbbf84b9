"""Figures 10, 13: P* at s = 3 against Eq. 3 or Eq. 4, and how it depends on s^(L/2)."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import SAMPLE_COMPLEXITY, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.branching import draw

with job_log(snakemake.log[0], name="branching"):
    figure = draw(
        read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        net=snakemake.params.net,
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
