"""Figure 5: the sample complexity of the LCN over dimension and informative fraction, Eq. 5."""

from srhm.figures.benefit_of_sparsity import draw
from srhm.figures.drawing import save
from srhm.progress import job_log

with job_log(snakemake.log[0], name="figure 5"):
    figure = draw(preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
