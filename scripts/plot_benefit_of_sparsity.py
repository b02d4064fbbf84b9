"""Figure 5: the sample complexity of the LCN over dimension and informative fraction, Eq. 5."""

from srhm.figures import benefit_of_sparsity
from srhm.figures.drawing import save

save(
    benefit_of_sparsity.draw(preset=snakemake.params.preset),
    pdf=snakemake.output.pdf,
    png=snakemake.output.png,
)
