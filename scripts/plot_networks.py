"""Figure 3: the locally connected and the convolutional network, with a datum in their input."""

from srhm.figures.drawing import save
from srhm.runtime.progress import job_log
from srhm.studies.sparse_hierarchy.figures.networks import draw

with job_log(snakemake.log[0], name="figure 3"):
    figure = draw(preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
