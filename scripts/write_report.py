"""Writes the report: scorecard, figures with captions, tables, configuration, deviations."""

import json
from pathlib import Path

from srhm.report.page import configuration_text, publications, read_all, read_figures, render, write
from srhm.results.records import (
    CELLS,
    SAMPLE_COMPLEXITY,
    SCORECARD,
    SENSITIVITIES,
    TIMINGS,
    read_table,
)
from srhm.runtime.progress import job_log

files, configuration = snakemake.input, json.loads(snakemake.params.configuration)
with job_log(snakemake.log[0], name="report") as log:
    html = render(
        preset=configuration["preset"],
        description=configuration["description"],
        configuration=configuration_text(configuration),
        threshold=configuration["analysis"]["threshold"],
        scorecard=read_table(Path(files.scorecard), SCORECARD),
        sample_complexity=read_table(Path(files.sample_complexity), SAMPLE_COMPLEXITY),
        cells=read_all(files.cells, CELLS),
        timings=read_all(files.timings, TIMINGS),
        networks_cells=read_all(files.networks_cells, CELLS),
        networks_sensitivities=read_all(files.networks_sensitivities, SENSITIVITIES),
        figures=read_figures(snakemake.params.figures, files.images, files.captions),
        pending=snakemake.params.pending,
        deviations=Path(files.deviations).read_text(encoding="utf-8"),
        citation=Path(files.citation).read_text(encoding="utf-8"),
        published=publications(files.publications, log),
    )
    write(html, Path(snakemake.output.report))
    log.info("%s, %.1f MB", snakemake.output.report, len(html.encode()) / 1e6)
