"""Singular values of weights and representations against layer and P."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import PLANE_CELLS, SINGULAR_SUMMARIES, SINGULAR_VALUES
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.layerwise.figures.singular_values import draw

with job_log(snakemake.log[0], name="singular values"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.singular_values), SINGULAR_VALUES),
        read_table(Path(snakemake.input.singular_summaries), SINGULAR_SUMMARIES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
