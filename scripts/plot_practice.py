"""Our own figure: what each choice of the practice does to P*."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.practice import draw
from srhm.progress import job_log
from srhm.records import SAMPLE_COMPLEXITY, read_table

with job_log(snakemake.log[0], name="practice"):
    figure = draw(
        read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
