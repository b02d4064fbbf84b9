"""The index of a folder of results: what reproduced, and links to all pages, figures and tables.

It also says what is missing. It is rewritten at the end of every run in the folder.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from srhm.commands.claims import Answer
from srhm.commands.presets import Run
from srhm.planning.pages import description_of
from srhm.planning.preset import sections
from srhm.planning.registry import GROUPS, STUDIES
from srhm.report.explorer.names import explorer_name
from srhm.report.figures import label_of, number_of
from srhm.report.prose import caption, environment
from srhm.scorecard.expectations import SIGNS, VERDICTS, verdicts_in_words
from srhm.scorecard.headline import HEADS
from srhm.store import places
from srhm.store.atomic import write_text

GROUP_WORDS = {"paper": "the paper's studies"}
# The page to play with, from a folder of results in the repository.
PLAY = "../../docs/front/play.html"
# Entries of a list: a text, and links by what they show.
Entry = tuple[str, Mapping[str, str]]


@dataclass(frozen=True)
class _Folder:
    """The folder of the results of a preset."""

    preset: str
    path: Path

    def there(self, links: Mapping[str, str]) -> dict[str, str]:
        """Of files of the preset those that there are, from the folder."""
        inside = {
            what: str(Path(file).relative_to(Path("results", self.preset)))
            for what, file in links.items()
        }
        return {what: file for what, file in inside.items() if (self.path / file).is_file()}

    def first(self) -> dict[str, str]:
        """The pages to open first."""
        links = {
            "Report: every figure and claim": places.page_file(self.preset, "report"),
            "Explorer: choose curves and compare": places.page_file(
                self.preset, explorer_name("paper")
            ),
            "Methods": places.methods_file(self.preset, "report"),
        }
        play = {"Play with the model": PLAY} if (self.path / PLAY).is_file() else {}
        return self.there(links) | play

    def pages(self) -> Iterator[Entry]:
        """All pages, with how many of their claims have which verdict."""
        titles: dict[str, str] = {}
        for study in STUDIES.values():
            titles.setdefault(study.page_name, study.title)
        for group in GROUPS:
            titles[explorer_name(group)] = f"Explorer of {GROUP_WORDS.get(group, group)}"
        for page, title in titles.items():
            files = self.there(
                {
                    "page": places.page_file(self.preset, page),
                    "methods": places.methods_file(self.preset, page),
                    "claims as text": places.scorecard_file(self.preset, page),
                    "claims as JSON": places.scorecard_json(self.preset, page),
                }
            )
            counts = ""
            with suppress(LookupError, ValueError):  # a page without claims, or half a file
                claims = json.loads((self.path / files["claims as JSON"]).read_text("utf-8"))
                verdicts = Counter(claim["verdict"] for claim in claims)
                counts = verdicts_in_words({word: verdicts[word] for word in VERDICTS
                                            if verdicts[word]})  # fmt: skip
            if files:
                yield f"{title} ({counts})" if counts else title, files

    def figures(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Studies with the figures that there are, those of the paper first, by their numbers."""
        for study in STUDIES.values():
            thumbnails = []
            for figure in sorted(study.figures, key=lambda figure: number_of(figure.name) or inf):
                places_of = places.figure_files(self.preset, figure.name)
                rows = str(Path(places_of["png"]).with_suffix(".csv"))
                files = self.there({**places_of, "csv": rows})
                if "png" not in files:
                    continue
                title, words = f"{label_of(figure.name)}: {figure.title}", ""
                if "rst" in files:
                    file = self.path / files["rst"]
                    said = caption(file.read_text("utf-8"), source=file.name)
                    title, words = said.title or title, said.first_sentence
                named = {"PDF": "pdf", "rows as CSV": "csv"}
                links = {what: files[kind] for what, kind in named.items() if kind in files}
                thumbnails.append(
                    {"picture": files["png"], "title": title, "caption": words, "links": links}
                )
            if thumbnails:
                yield study.title, thumbnails

    def tables(self) -> Iterator[Entry]:
        """Studies with their tables."""
        for study in STUDIES.values():
            names = [*study.schemas, "claims"]
            files = {name: places.table_file(self.preset, study.name, name) for name in names}
            if links := self.there(files):
                yield study.title, links


def write_index(run: Run, answer: Answer | None) -> Path:
    """Writes the index of the folder of a run; its file.

    answer: what its claims say, None where they cannot be read.
    """
    name = run.plan.name
    folder = _Folder(name, run.directory / "results" / name)
    others = [
        study
        for study in sections(run.plan.preset)
        if study not in run.plan.studies and not (folder.path / "tables" / study).is_dir()
    ]
    page = environment().get_template("index.html").render(
        name=name,
        preset=run.plan.preset.preset,
        description=description_of(run.plan),
        answer=answer,
        heads=HEADS,
        signs=SIGNS,
        first=folder.first(),
        figures=dict(folder.figures()),
        pages=list(folder.pages()),
        tables=list(folder.tables()),
        missing=[*_missing_files(run), *run.absent.values()],
        others=[(f"{STUDIES[study].title} ({study})", {}) for study in others],
    )  # fmt: skip
    write_text(folder.path / places.INDEX, page)
    return folder.path / places.INDEX


def _missing_files(run: Run) -> Iterator[str]:
    """What a run was to make and is not there, for people."""
    name = run.plan.name
    for study in run.plan.studies:
        declared = STUDIES[study]
        wanted = {f"the page of “{declared.title}”": places.page_file(name, declared.page_name)}
        for figure in declared.figures:
            file = places.figure_files(name, figure.name)["png"]
            wanted[f"{label_of(figure.name)}: {figure.title}"] = file
        for table in declared.schemas:
            wanted[f"table {table} of {study}"] = places.table_file(name, study, table)
        yield from (what for what, file in wanted.items() if not (run.directory / file).is_file())
