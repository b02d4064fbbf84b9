"""Figure 4: a learning curve, and the P* of LCN and CNN against Eq. 3 and Eq. 4."""

from pathlib import Path

import pandas as pd

from srhm.figures.drawing import save
from srhm.results.publications import read_publications
from srhm.results.records import CELLS, SAMPLE_COMPLEXITY, read_table
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.sample_complexity import draw

with job_log(snakemake.log[0], name="figure 4") as log:
    figure = draw(
        read_table(Path(snakemake.input.cells), CELLS),
        read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        pd.read_csv(snakemake.input.published),
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        preset=snakemake.params.preset,
        runs=read_publications(snakemake.input.publications, log=log),
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
