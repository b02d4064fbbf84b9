"""Figure 9: test error and sensitivities of named networks at three relative depths, against P."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.results.records import CELLS, SENSITIVITIES, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.architectures import draw

with job_log(snakemake.log[0], name="figure 9"):
    figure = draw(
        read_table(Path(snakemake.input.networks_cells), CELLS),
        read_table(Path(snakemake.input.networks_sensitivities), SENSITIVITIES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
