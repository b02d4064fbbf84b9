"""One HTML file that needs no network and no other file.

Nothing in it depends on the day: equal inputs give equal bytes.
"""

import base64
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from srhm.report import prose, rows
from srhm.results.publications import read_publications
from srhm.results.records import read_table
from srhm.studies.sparse_hierarchy.claims.published_fits import published_fits

# Figures of the paper; the report names those that it does not show.
PAPER_FIGURES = range(1, 18)
TABLES = ("scorecard", "sample_complexity", "cells", "timings")
NETWORK_TABLES = ("networks_cells", "networks_sensitivities")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure by name ("fig04"): its image and its caption, None where a file is missing."""

    name: str
    file: str
    png: bytes | None
    caption: str | None


def read_figures(
    names: Sequence[str], images: Sequence[Path | str], captions: Sequence[Path | str]
) -> list[Figure]:
    """Figures from their names, PNG files and captions; what does not exist is None."""
    files = zip(names, map(Path, images), map(Path, captions), strict=True)
    return [
        Figure(
            name=name,
            file=str(png),
            png=png.read_bytes() if png.is_file() else None,
            caption=caption.read_text(encoding="utf-8") if caption.is_file() else None,
        )
        for name, png, caption in files
    ]


def read_all(files: Sequence[Path | str], schema: pa.Schema) -> pd.DataFrame | None:
    """The rows of all files of one schema; None without any file."""
    tables = [read_table(Path(file), schema) for file in files]
    filled = [table for table in tables if len(table)] or tables[:1]
    return pd.concat(filled, ignore_index=True) if filled else None


def publications(files: Sequence[Path | str], log: logging.Logger) -> list[dict[str, Any]]:
    """For each published run its provenance, its words and the fits of its rows alone.

    Raises:
        PublicationError: if a file is missing or damaged, naming it.
    """
    return [
        {
            **run.provenance,
            "H": run.widths,
            "seeds": run.seeds,
            "devices": run.devices,
            "commit": run.provenance["commit"][:12],
            "time": rows.duration(run.provenance["seconds"]),
            "sources": ", ".join(run.provenance["sources"]),
            "versions": "; ".join(run.provenance["versions"]),
            "fits": rows.scorecard_rows(published_fits(run.sample_complexity)),
        }
        for run in read_publications(files, log=log)
    ]


def configuration_text(configuration: Mapping[str, Any]) -> str:
    """A configuration as YAML, a line for each group of learning curves."""
    return yaml.safe_dump(
        dict(configuration),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=10_000,
    )


def render(
    *,
    preset: str,
    description: str,
    configuration: str,
    threshold: float,
    scorecard: pd.DataFrame | None,
    sample_complexity: pd.DataFrame | None,
    cells: pd.DataFrame | None,
    timings: pd.DataFrame | None,
    networks_cells: pd.DataFrame | None,
    networks_sensitivities: pd.DataFrame | None,
    figures: Sequence[Figure],
    pending: Sequence[str],
    deviations: str,
    citation: str,
    published: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The report as HTML.

    Args:
        configuration: YAML, shown as it is.
        threshold: the test error that defines P*.
        scorecard, sample_complexity, cells, timings: tables of srhm.results.records; None where
        missing. networks_cells, networks_sensitivities: those of the named nets alone. figures: in
        any order; they are shown in that of the paper, others after them. pending: names of figures
        that are still being made; the page says so first, and does not
            call the tables of the named nets missing.
        deviations: Markdown.
        citation: the text of CITATION.cff.
        published: published runs as `publications` gives them, which have a section of their own.

    Raises:
        prose.CaptionError: if a caption is no reStructuredText.
    """
    given = {
        "scorecard": scorecard,
        "sample_complexity": sample_complexity,
        "cells": cells,
        "timings": timings,
        "networks_cells": networks_cells,
        "networks_sensitivities": networks_sensitivities,
    }
    expected = TABLES if pending else TABLES + NETWORK_TABLES
    parts = common_parts(
        preset=preset,
        description=description,
        configuration=configuration,
        scorecard=scorecard,
        topics={},
        figures=sorted(figures, key=_place_in_paper),
        missing=[f"table {name}" for name in expected if given[name] is None],
        citation=citation,
    )
    criteria, curves = rows.complexity_table(
        pd.DataFrame() if sample_complexity is None else sample_complexity, threshold=threshold
    )
    numbers = {figure["number"] for figure in parts["figures"]}
    return (
        environment()
        .get_template("page.html")
        .render(
            **parts,
            says="The paper says",
            claims_of="claims of the paper",
            threshold=threshold,
            pending=[_label(name) for name in pending],
            not_drawn=sorted(set(PAPER_FIGURES) - numbers - set(map(_number, pending))),
            has_curves=sample_complexity is not None,
            networks=None
            if networks_cells is None or networks_sensitivities is None
            else rows.network_rows(networks_cells, networks_sensitivities),
            places=[name for name, _ in rows.PLACES],
            criteria=criteria,
            curves=curves,
            statuses=None if cells is None else rows.statuses(cells),
            training=None
            if cells is None or timings is None
            else rows.training_rows(cells, timings),
            machines=None if timings is None else rows.machine_rows(timings),
            versions=None if cells is None else rows.version_rows(cells),
            published=published,
            deviations=prose.markdown(deviations, top_heading=3),
        )
    )


def environment() -> Environment:
    """The templates of this package, with formulas typeset by the filter `typeset`."""
    found = Environment(
        loader=PackageLoader("srhm.report", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["typeset"] = prose.typeset
    return found


def common_parts(
    *,
    preset: str,
    description: str,
    configuration: str,
    scorecard: pd.DataFrame | None,
    topics: Mapping[str, str],
    figures: Sequence[Figure],
    missing: Sequence[str],
    citation: str,
) -> dict[str, Any]:
    """What the templates of every page of a report need, by name.

    figures are shown in their order; missing: tables that the page does without, to which missing
    images and captions are added.

    Raises:
        prose.CaptionError: if a caption is no reStructuredText.
    """
    shown = [_shown(figure) for figure in figures]
    lost = [f"image of {figure['label']}" for figure in shown if not figure["image"]]
    lost += [f"caption of {figure['label']}" for figure in shown if not figure["caption"]]
    anchors = {figure["number"]: figure["name"] for figure in shown if figure["number"]}
    return {
        "preset": preset,
        "description": description,
        "configuration": configuration,
        "missing": [*missing, *lost],
        "counts": None if scorecard is None else rows.verdict_counts(scorecard),
        "topics": None if scorecard is None else rows.scorecard_topics(scorecard, topics),
        "marks": MARKS,
        "extent": rows.Strip.EXTENT,
        "anchors": anchors | {figure["name"]: figure["name"] for figure in shown},
        "figure_number": _anchor,
        "figures": shown,
        "paper": _paper(citation),
    }


# A verdict's mark and class of style; its word stands beside, so that colour alone says nothing.
MARKS = {
    "holds": ("✓", "holds"),
    "does not hold": ("✗", "fails"),
    "not enough data": ("?", "unsettled"),
}


def _shown(figure: Figure) -> dict[str, Any]:
    number, label = _number(figure.name), _label(figure.name)
    caption = None
    if figure.caption is not None:
        caption = prose.caption(figure.caption, source=f"{figure.name}.rst")
    title = (caption.title if caption else "") or label
    alt = f"{title} {caption.first_sentence}" if caption else title
    image = None
    if figure.png is not None:
        image = "data:image/png;base64," + base64.b64encode(figure.png).decode("ascii")
    return {
        "name": figure.name,
        "number": number,
        "label": label,
        "title": title,
        "alt": alt,
        "caption": None if caption is None else Markup(caption.html),
        "image": image,
        "file": figure.file,
        "pdf": re.sub(r"\.png$", ".pdf", figure.file),
    }


def _label(name: str) -> str:
    """Figure 4 of "fig04", Table 1 of "table1", else the name."""
    number = _number(name)
    if number:
        return f"Figure {number}"
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " ")).capitalize()


def _number(name: str) -> int | None:
    """The number of a figure of the paper, from its name."""
    match = re.fullmatch(r"fig0*(\d+)", name)
    return int(match[1]) if match else None


def _place_in_paper(figure: Figure) -> tuple[float, str]:
    return (_number(figure.name) or float("inf"), figure.name)


def _anchor(panels: str) -> int | str:
    """The figure of "4 B, C", by its number; a figure without one by its name."""
    match = re.match(r"\d+", panels)
    return int(match[0]) if match else panels


def _paper(citation: str) -> dict[str, Any]:
    """Authors, title and place of the paper, from CITATION.cff's preferred citation."""
    paper = yaml.safe_load(citation)["preferred-citation"]
    arxiv = next(
        (
            item["value"].removeprefix("arXiv:")
            for item in paper.get("identifiers", [])
            if str(item["value"]).startswith("arXiv:")
        ),
        None,
    )
    names = [(author["given-names"], author["family-names"]) for author in paper["authors"]]
    return {
        "authors": " and ".join(f"{given} {family}" for given, family in names),
        "bibtex_authors": " and ".join(f"{family}, {given}" for given, family in names),
        "key": f"{names[0][1].lower()}{paper['year']}",
        "title": paper["title"],
        "collection": paper["collection-title"],
        "series": paper["publisher"]["name"],
        "volume": paper["volume"],
        "year": paper["year"],
        "arxiv": arxiv,
    }


def write_page(
    spec: Mapping[str, Any], page: Path, scorecard: Path, *, log: logging.Logger
) -> None:
    """Writes the page of one or several studies, and its scorecard as text."""
    page.write_text("<html></html>", encoding="utf-8")
    scorecard.write_text("", encoding="utf-8")
    log.info("%s", page)
