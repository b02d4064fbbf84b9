"""Figure 5: the sample complexity of the LCN over dimension and informative fraction, Eq. 5."""

from srhm.figures.drawing import save
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.benefit_of_sparsity import draw

with job_log(snakemake.log[0], name="figure 5"):
    figure = draw(preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
