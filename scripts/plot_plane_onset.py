"""Test error, S_2 and D_2 against P, where features are learnt and in lazy learning."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import FROZEN_KERNELS, PLANE_CELLS, PLANE_COMPLEXITY, PLANE_SENSITIVITIES
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.complexity.figures.onset import draw

with job_log(snakemake.log[0], name="plane onset"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.sensitivities), PLANE_SENSITIVITIES),
        read_table(Path(snakemake.input.frozen_kernels), FROZEN_KERNELS),
        read_table(Path(snakemake.input.complexity), PLANE_COMPLEXITY),
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
