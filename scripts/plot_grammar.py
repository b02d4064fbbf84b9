"""Figure 2: the production rules, the placements and samples of a grammar."""

from srhm.figures.data_model import draw
from srhm.figures.drawing import save
from srhm.progress import job_log

with job_log(snakemake.log[0], name="figure 2"):
    figure = draw(preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
