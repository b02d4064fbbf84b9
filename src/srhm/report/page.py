"""The page of one or several studies: one HTML file that needs no network and no other file.

Nothing in it depends on the day: equal inputs give equal bytes.
"""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from srhm.declare.names import resolved
from srhm.report import prose
from srhm.report.figures import LAST_OF_TEXT, Shown, shown_figures
from srhm.report.forest import svg
from srhm.report.methods import JUDGING, contents, methods_html, together
from srhm.report.page_table import PageTable
from srhm.report.prose import environment
from srhm.scorecard.card import SCHEMA, claims_in
from srhm.scorecard.expectations import SIGNS, verdicts_in_words
from srhm.scorecard.headline import forest_rows, in_words, mark_of, statement_table
from srhm.scorecard.numbers import band, texts, unit
from srhm.scorecard.text import (
    AFTER,
    EQUIVALENCE,
    in_short,
    markdown,
    scorecard_data,
    verdict_counts,
)
from srhm.store.atomic import write_text
from srhm.store.deriving import Files, table_of
from srhm.store.records import read_table

# The page of the paper, which names the figures of the paper that it does not show.
PAPER, PAPER_FIGURES = "report", range(1, 18)
NO_CLAIMS = "This page has no claims: it shows figures and tables.\n"
# The order in which claims are shown.
SHOWN_FIRST = ("differs", "inconclusive", "reproduced")
# Of the drawings beside claims, in tolerances.
EXTENT = 3.0


class StudyTables(Mapping[str, pd.DataFrame]):
    """Tables of a study by name, read when asked for; empty where the file is not there yet."""

    def __init__(self, files: Mapping[str, Files]) -> None:
        self.files = files

    def __getitem__(self, name: str) -> pd.DataFrame:
        return table_of([(file if file and Path(file).is_file() else None, schema)
                         for file, schema in self.files[name]])  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


def write_page(
    spec: Mapping[str, Any], page: Path, scorecard: Path, *, methods: Path, log: logging.Logger
) -> None:
    """Writes the page of one or several studies, that of its methods, its scorecard as Markdown.

    spec: what `srhm.planning.pages.page_spec` says: page, preset, description, configuration
    (JSON), studies (each with name, title, claims and claims_module, headline, figures, tables,
    page_tables, prose, absent, settings), citation, publications, judging, deviations.
    Figures, captions, tables and claims whose files are not there are named on the page.

    Raises:
        TableError, PublicationError: if a file is damaged, naming it.
        prose.CaptionError: if a caption is no reStructuredText.
    """
    table, topics = read_claims(spec["studies"])
    html, html_of_methods = render(spec, table, page=page.name, methods=methods.name)
    says = "the paper says" if spec["page"] == PAPER else "statement"
    write_text(page, html)
    write_text(methods, html_of_methods)
    declared = _headline(spec["studies"])
    stated = statement_table(declared.HEADLINE, table) if declared else None
    lines = ["```", *stated.lines(), "```"] if stated else []
    text = markdown(table, topics=topics, says=says, stated=lines) if topics else NO_CLAIMS
    write_text(scorecard, text)
    log.info("%s, %.1f MB", page, len(html.encode()) / 1e6)


def write_scorecard_data(spec: Mapping[str, Any], path: Path, *, commit: str) -> None:
    """Writes the scorecard of a page as JSON; spec: as for `write_page`."""
    parts = [
        (read_claims([study])[0], {"study": study["name"], "command": study["command"]})
        for study in spec["studies"]
    ]
    write_text(path, scorecard_data(parts, commit=commit))


def read_claims(studies: Sequence[Mapping[str, Any]]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Scorecards of all studies together, and the topic of each claim."""
    declared = [study for study in studies if study["claims"] is not None]
    files = [Path(study["claims"]) for study in declared]
    tables = [read_table(file, SCHEMA) for file in files if file.is_file()]
    claims = [claim for study in declared for claim in claims_in(study["claims_module"])]
    empty = SCHEMA.empty_table().to_pandas()
    return together([empty, *tables]), {claim.identifier: claim.topic for claim in claims}


def render(
    spec: Mapping[str, Any], scorecard: pd.DataFrame, *, page: str, methods: str
) -> tuple[str, str]:
    """The page and that of its methods as HTML.

    scorecard: of all its claims. page, methods: files of the two, which lead to each other.
    """
    studies, of_paper = spec["studies"], spec["page"] == PAPER
    tables = {study["name"]: StudyTables(study["tables"]) for study in studies}
    configuration, page_tables = json.loads(spec["configuration"]), list[PageTable]()
    for study in studies:
        if study["page_tables"]:
            settings = {
                **study["settings"],
                "publications": spec["publications"],
                "section": configuration.get(study["name"]),
            }
            page_tables += resolved(study["page_tables"])(tables[study["name"]], settings)
    elsewhere = [table for table in page_tables if not table.on_top]
    prose_of = [prose.of_study(study["prose"]) for study in studies]
    definitions = [study_prose.conventions for study_prose in prose_of if study_prose.conventions]
    paper = cited(spec["citation"])
    title = paper["title"] if of_paper else studies[0]["title"]
    declared = [figure for study in studies for figure in study["figures"]]
    figures = shown_figures(declared)
    explored = (figure.get("explore", "").partition("#")[0] for figure in declared)
    html = environment().get_template("page.html").render(
        preset=spec["preset"],
        description=spec["description"],
        methods=methods,
        contents=contents(spec, elsewhere, definitions),
        of_paper=of_paper,
        explorer=next(filter(None, explored), ""),
        paper=paper,
        title=title,
        question="" if of_paper else prose_of[0].question,
        found=[study_prose.found for study_prose in prose_of if study_prose.found],
        missing=list(_missing(studies, figures)),
        on_top=[table for table in page_tables if table.on_top],
        in_short={} if of_paper else in_short(scorecard),
        has_claims=any(study["claims"] is not None for study in studies),
        counts=verdict_counts(scorecard),
        verdicts=claims_by_verdict(scorecard),
        signs=SIGNS,
        after=AFTER,
        equivalence=EQUIVALENCE,
        judging=JUDGING,
        extent=EXTENT,
        **_answer(studies, scorecard, publications=spec["publications"]),
        **_of_figures(spec, figures, scorecard),
    )  # fmt: skip
    return html, methods_html(
        spec, tables, page=page, title=title, page_tables=elsewhere, definitions=definitions
    )


def _of_figures(
    spec: Mapping[str, Any], figures: Sequence[Shown], scorecard: pd.DataFrame
) -> dict[str, Any]:
    """Figures of a page, what their claims say, and which of the paper it lacks or folds."""
    studies, of_paper = spec["studies"], spec["page"] == PAPER
    # What a study lacks stands at its first figure; of the page's first study, above all.
    absent = {
        study["figures"][0]["name"] if study["figures"] and study is not studies[0] else "": study
        for study in reversed(studies)
        if study["absent"]
    }
    drawn = {figure.number for figure in figures}
    # Those without an image are named above, and left out.
    figures = [figure for figure in figures if figure.image or figure.name in absent]
    anchors = {
        key: figure.name for figure in figures for key in (figure.number, figure.name) if key
    }
    # Claims by the name of their figure.
    claims_of: dict[str, list[Mapping[str, Any]]] = {figure.name: [] for figure in figures}
    for _, claims in claims_by_verdict(scorecard):
        for claim in claims:
            if name := anchors.get(_figure_of(claim["figure"])):
                claims_of[name].append(claim)
    counts = {name: Counter(claim["verdict"] for claim in some) for name, some in claims_of.items()}
    # On the page of the paper: what its text does not show.
    appendix = [
        figure for figure in figures
        if of_paper and (figure.number or LAST_OF_TEXT + 1) > LAST_OF_TEXT
    ]  # fmt: skip
    return {
        "absent": absent,
        "figures": figures,
        "anchors": anchors,
        "figure_of": _figure_of,
        "claims_of": claims_of,
        # After a figure's own words.
        "findings": {
            name: f" Claims: {verdicts_in_words(n)}." if n else "" for name, n in counts.items()
        },
        "folded": {figure.name for figure in appendix},
        "not_drawn": sorted(set(PAPER_FIGURES) - drawn) if of_paper else [],
    }


def _headline(studies: Sequence[Mapping[str, Any]]) -> Any:
    """The module of what a page's studies state; None where they state nothing."""
    return next((import_module(study["headline"]) for study in studies if study["headline"]), None)


def _answer(
    studies: Sequence[Mapping[str, Any]], scorecard: pd.DataFrame, *, publications: Sequence[str]
) -> dict[str, Any]:
    """The answer on one screen: forest plots for a page and a phone, and what they say in words.

    Both are empty where nothing is stated, or nothing of it measured.
    """
    if not (declared := _headline(studies)):
        return {"forests": {}, "in_words": {}}
    name, other = declared.other_run(publications)
    rows = forest_rows(declared.HEADLINE, scorecard, other=other)
    drawn = {
        form: svg(rows, narrow=form == "narrow", other=name, link="#claim-{claim}")
        for form in ("wide", "narrow")
        if rows
    }
    return {"forests": drawn, "in_words": in_words(rows)}


def cited(citation: str) -> dict[str, Any]:
    """Authors, title and place of the paper, the first reference of CITATION.cff."""
    paper = yaml.safe_load(Path(citation).read_text(encoding="utf-8"))["references"][0]
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
        "arxiv": paper["identifiers"][0]["value"].removeprefix("arXiv:"),
    }


def _missing(studies: Sequence[Mapping[str, Any]], figures: Sequence[Shown]) -> Iterator[str]:
    for study in studies:
        if study["claims"] is not None and not Path(study["claims"]).is_file():
            yield f"claims of {study['name']}"
        for name, files in study["tables"].items():
            if not all(Path(file).is_file() for file, _ in files):
                yield f"table {study['name']}/{name}"
    for figure in figures:
        if figure.image is None:
            yield f"image of {figure.label}"
        if figure.caption is None:
            yield f"caption of {figure.label}"


def claims_by_verdict(scorecard: pd.DataFrame) -> list[tuple[str, list[dict[Any, Any]]]]:
    """Verdicts in the order of SHOWN_FIRST, each with its claims, as `texts`, too.

    strip: where value and interval lie, in tolerances from what is expected, cut at ±EXTENT, and
    the band that the claim allows; of a bound the unit is the bound, and the band all on its side.
    None where it cannot be drawn.
    """
    by_verdict: dict[str, list[dict[Any, Any]]] = {word: [] for word in SHOWN_FIRST}
    for row in scorecard.to_dict("records"):
        strip = None
        if unit(row) > 0 and (mark := mark_of(row, row)):
            low = mark.low if isfinite(mark.low) else -inf
            high = mark.high if isfinite(mark.high) else inf
            shown = np.clip([mark.value, low, high, *band(row)], -EXTENT, EXTENT).tolist()
            strip = dict(zip(("value", "low", "high"), shown, strict=False)) | {
                "band": shown[3:], "cut_low": low < shown[1], "cut_high": high > shown[2],
            }  # fmt: skip
        by_verdict[row["verdict"]].append({**row, "texts": texts(row), "strip": strip})
    return [(word, claims) for word, claims in by_verdict.items() if claims]


def _figure_of(panels: str) -> int | str:
    """The figure of "4 B, C", by its number; a figure without one by its name."""
    match = re.match(r"\d+", panels)
    return int(match[0]) if match else panels
