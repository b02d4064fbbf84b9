"""Figure 2: the production rules, the placements and samples of a grammar."""

from srhm.figures import data_model
from srhm.figures.drawing import save

save(
    data_model.draw(seed=snakemake.params.seed, preset=snakemake.params.preset),
    pdf=snakemake.output.pdf,
    png=snakemake.output.png,
)
