"""The page on lazy and feature learning: its scorecard, figures, tables and definitions."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from srhm.report import prose, rows
from srhm.report.page import Figure, common_parts, environment

CRITERIA = {
    "test_error": "ε",
    "ensemble": "ε of the ensemble",
    "initial_kernel": "ε of the initial kernel",
    "end_kernel": "ε of the final kernel",
}


def render_plane(
    *,
    preset: str,
    configuration: str,
    scorecard: pd.DataFrame,
    topics: Mapping[str, str],
    complexities: pd.DataFrame,
    cells: pd.DataFrame,
    timings: pd.DataFrame,
    figures: Sequence[Figure],
    definitions: str,
    citation: str,
) -> str:
    """The page as HTML.

    Args:
        configuration: the section `plane` as YAML, shown as it is.
        scorecard: of these claims alone; topics: their headings.
        complexities, cells, timings: tables of srhm.results.tables.
        figures: in the order in which they are shown.
        definitions: Markdown, docs/plane.md.
        citation: the text of CITATION.cff.

    Raises:
        prose.CaptionError: if a caption is no reStructuredText.
    """
    parts = common_parts(
        preset=preset,
        description="",
        configuration=configuration,
        scorecard=scorecard,
        topics=topics,
        figures=figures,
        missing=[],
        citation=citation,
    )
    for figure in parts["figures"]:
        figure["short"] = figure["label"].removeprefix("Plane ").capitalize()
    return (
        environment()
        .get_template("plane.html")
        .render(
            **parts,
            says="Statement",
            claims_of="statements",
            not_drawn=[],
            complexities=complexity_rows(complexities),
            statuses=rows.statuses(cells),
            training=training_rows(cells, timings),
            definitions=prose.markdown(definitions, top_heading=3),
        )
    )


def complexity_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """P* of every curve, α̃ and criterion, censored ones as bounds, in the order of the table."""
    return [
        {
            **{name: row[name] for name in ("study", "net", "L", "s0", "v", "m", "width")},
            "alpha_tilde": f"{row['alpha_tilde']:g}",
            "training": str(row["training"]).replace("_", " "),
            "criterion": f"{CRITERIA.get(row['criterion'], row['criterion'])}"
            f" ≤ {100 * row['threshold']:g} %",
            "P_star": rows.complexity(row),
            "interval": rows.interval(row),
            "prediction": rows.grouped(row["prediction"]) if row["prediction"] > 0 else rows.NONE,
            "seeds": f"{row['n_seeds_reached']} of {row['n_seeds']}",
        }
        for row in table.to_dict("records")
    ]


def training_rows(cells: pd.DataFrame, timings: pd.DataFrame) -> list[dict[str, Any]]:
    """Networks by status, evaluations and training time, for each study, net and optimiser."""
    by = ["study", "net", "optimiser"]
    table = cells.merge(timings[["curve", "key", "seconds"]], on=["curve", "key"], how="left")
    words = rows.statuses(cells)
    return [
        {
            **dict(zip(by, values, strict=True)),
            "networks": rows.grouped(len(part)),
            "statuses": [rows.grouped(int((part["status"] == word).sum())) for word in words],
            "evaluations": rows.grouped(int(part["evaluations"].sum())),
            "time": rows.duration(part["seconds"].sum()),
        }
        for values, part in table.groupby(by, sort=False)
    ]
