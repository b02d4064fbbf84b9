"""Writes the report: scorecard, figures with captions, tables, configuration, deviations."""

import json
from pathlib import Path

from srhm.progress import job_log
from srhm.records import CELLS, SAMPLE_COMPLEXITY, SCORECARD, TIMINGS, read_table
from srhm.report.page import configuration_text, read_figures, render, write

configuration = json.loads(snakemake.params.configuration)
with job_log(snakemake.log[0], name="report") as log:
    html = render(
        preset=configuration["preset"],
        description=configuration["description"],
        configuration=configuration_text(configuration),
        threshold=configuration["analysis"]["threshold"],
        scorecard=read_table(Path(snakemake.input.scorecard), SCORECARD),
        sample_complexity=read_table(Path(snakemake.input.sample_complexity), SAMPLE_COMPLEXITY),
        cells=read_table(Path(snakemake.input.cells), CELLS),
        timings=read_table(Path(snakemake.input.timings), TIMINGS),
        figures=read_figures(
            snakemake.params.figures, snakemake.input.images, snakemake.input.captions
        ),
        deviations=Path(snakemake.input.deviations).read_text(encoding="utf-8"),
        citation=Path(snakemake.input.citation).read_text(encoding="utf-8"),
    )
    write(html, Path(snakemake.output.report))
    log.info("%s, %.1f MB", snakemake.output.report, len(html.encode()) / 1e6)
