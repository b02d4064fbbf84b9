"""Figure 1 A, B alone: test error on CIFAR-10 against the sensitivity to smooth deformations."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import IMAGES, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.correlation import draw_images

with job_log(snakemake.log[0], name="figure 1 A, B"):
    figure = draw_images(
        read_table(Path(snakemake.input.images), IMAGES), preset=snakemake.params.preset
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
