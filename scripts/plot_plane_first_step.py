"""Signal and noise of the first step of gradient descent, and what groups together."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.figures.plane_first_step import draw
from srhm.plane.tables import FIRST_STEP
from srhm.progress import job_log
from srhm.records import read_table

with job_log(snakemake.log[0], name="first step"):
    table = read_table(Path(snakemake.input.first_step), FIRST_STEP)
    figure = draw(table, preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
