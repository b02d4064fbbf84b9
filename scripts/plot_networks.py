"""Figure 3: the locally connected and the convolutional network, with a datum in their input."""

from srhm.figures import networks
from srhm.figures.drawing import save

save(
    networks.draw(seed=snakemake.params.seed, preset=snakemake.params.preset),
    pdf=snakemake.output.pdf,
    png=snakemake.output.png,
)
