"""Large singular values of every layer under weight decay, beside the sensitivities."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import PLANE_CELLS, PLANE_SENSITIVITIES, SINGULAR_SUMMARIES, SINGULAR_VALUES
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.bottleneck.figures.ranks import draw

with job_log(snakemake.log[0], name="bottleneck"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.singular_values), SINGULAR_VALUES),
        read_table(Path(snakemake.input.singular_summaries), SINGULAR_SUMMARIES),
        read_table(Path(snakemake.input.sensitivities), PLANE_SENSITIVITIES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
