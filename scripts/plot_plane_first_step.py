"""Signal and noise of the first step of gradient descent, and what groups together."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import FIRST_STEP
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.first_step.figures.signal_and_noise import draw

with job_log(snakemake.log[0], name="first step"):
    table = read_table(Path(snakemake.input.first_step), FIRST_STEP)
    figure = draw(table, preset=snakemake.params.preset)
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
