"""Jamming: unsatisfied points, N*(P), and the spectra of the Hessian and of its parts."""

from pathlib import Path

from srhm.figures.drawing import save
from srhm.flow.tables import HESSIAN_SUMMARIES, HESSIANS, PLANE_CELLS
from srhm.results.records import read_table
from srhm.runtime.progress import job_log
from srhm.studies.jamming.figures.spectra import draw

with job_log(snakemake.log[0], name="jamming"):
    figure = draw(
        read_table(Path(snakemake.input.cells), PLANE_CELLS),
        read_table(Path(snakemake.input.hessians), HESSIANS),
        read_table(Path(snakemake.input.hessian_summaries), HESSIAN_SUMMARIES),
        preset=snakemake.params.preset,
    )
    save(figure, pdf=snakemake.output.pdf, png=snakemake.output.png)
