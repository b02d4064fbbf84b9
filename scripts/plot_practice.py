"""Our own figure: what each choice of the practice does to P*."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import SAMPLE_COMPLEXITY, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.practice import draw

with job_log(snakemake.log[0], name="practice"):
    figure = draw(
        read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
