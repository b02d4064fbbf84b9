"""Figure 4: a learning curve, and the sample complexities of LCN and CNN against Eq. 3 and Eq. 4."""

import pandas as pd

from srhm.figures import sample_complexity
from srhm.figures.drawing import save

save(
    sample_complexity.draw(
        pd.read_parquet(snakemake.input.cells),
        pd.read_parquet(snakemake.input.sample_complexity),
        pd.read_csv(snakemake.input.published),
        width=snakemake.params.width,
        threshold=snakemake.params.threshold,
        confidence=snakemake.params.confidence,
        preset=snakemake.params.preset,
    ),
    pdf=snakemake.output.pdf,
    png=snakemake.output.png,
)
