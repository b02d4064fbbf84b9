"""Figures 10, 13: P* at s = 3 against Eq. 3 or Eq. 4, and how it depends on s^(L/2)."""

from pathlib import Path

from srhm.figures.branching import draw
from srhm.figures.drawing import save
from srhm.progress import job_log
from srhm.records import SAMPLE_COMPLEXITY, read_table

with job_log(snakemake.log[0], name="branching"):
    figure = draw(
        read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        net=snakemake.params.net,
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
