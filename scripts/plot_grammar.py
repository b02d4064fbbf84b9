"""Figure 2: the production rules, the placements and samples of a grammar."""

from srhm.figures.drawing import save
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.data_model import draw

with job_log(snakemake.log[0], name="figure 2"):
    figure = draw(preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
