"""Table 1: VGG, ResNet and EfficientNet as their modules are, beside what the paper prints."""

import pandas as pd

from srhm.figures.drawing import save
from srhm.networks.inspection import table1
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.table1 import draw

with job_log(snakemake.log[0], name="table 1"):
    rows = table1()
    pd.DataFrame(rows).to_csv(snakemake.output.csv, index=False)
    save(
        draw(rows, preset=snakemake.params.preset),
        pdf=snakemake.output.pdf,
        png=snakemake.output.png,
    )
