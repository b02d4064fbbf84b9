"""Writes the page on lazy and feature learning: scorecard, figures, tables, definitions."""

import json
from pathlib import Path

from srhm.flow.tables import PLANE_CELLS, PLANE_COMPLEXITY, PLANE_TIMINGS
from srhm.report.page import configuration_text, read_figures, write
from srhm.report.study_page import render_plane
from srhm.results.records import SCORECARD, read_table
from srhm.runtime.progress import job_log
from srhm.scorecard.flow_statements import PLANE_TOPICS

files = snakemake.input
with job_log(snakemake.log[0], name="page of the plane") as log:
    html = render_plane(
        preset=snakemake.params.preset,
        configuration=configuration_text(json.loads(snakemake.params.configuration)),
        scorecard=read_table(Path(files.scorecard), SCORECARD),
        topics=PLANE_TOPICS,
        complexities=read_table(Path(files.complexities), PLANE_COMPLEXITY),
        cells=read_table(Path(files.cells), PLANE_CELLS),
        timings=read_table(Path(files.timings), PLANE_TIMINGS),
        figures=read_figures(snakemake.params.figures, files.images, files.captions),
        definitions=Path(files.definitions).read_text(encoding="utf-8"),
        citation=Path(files.citation).read_text(encoding="utf-8"),
    )
    write(html, Path(snakemake.output.report))
    log.info("%s, %.1f MB", snakemake.output.report, len(html.encode()) / 1e6)
