"""Figures 1, 17: test error of many networks against their sensitivities."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import CELLS, IMAGES, SENSITIVITIES, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.correlation import draw

with job_log(snakemake.log[0], name="correlation"):
    # No file, or one: CIFAR-10 may not be there.
    images = [read_table(Path(file), IMAGES) for file in snakemake.input.images]
    figure = draw(
        read_table(Path(snakemake.input.cells), CELLS),
        read_table(Path(snakemake.input.sensitivities), SENSITIVITIES),
        read_table(Path(snakemake.input.networks_cells), CELLS),
        read_table(Path(snakemake.input.networks_sensitivities), SENSITIVITIES),
        place=snakemake.params.place,
        with_images=snakemake.params.with_images,
        images=next(iter(images), None),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
