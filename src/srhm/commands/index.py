"""The index of a folder of results: what reproduced, and links to all pages, figures and tables.

It also says what is missing. It is rewritten at the end of every run in the folder.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from srhm.commands.claims import Answer
from srhm.commands.presets import Run
from srhm.declare.study import Figure, Study
from srhm.planning.pages import description_of
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


@dataclass(frozen=True, kw_only=True)
class Thumbnail:
    """A figure on the index: its picture, its title, what is seen, and its other files."""

    name: str
    picture: str
    title: str
    caption: str
    links: Mapping[str, str]


def write_index(run: Run, answer: Answer | None, *, others: Sequence[str] = ()) -> Path:
    """Writes the index of the folder of a run; its file.

    answer: what its claims say, None where they cannot be read. others: studies of the preset that
    the run does not make.
    """
    folder = run.directory / "results" / run.plan.name
    file = folder / places.INDEX
    write_text(file, index_page(run, folder, answer, others=others))
    return file


def index_page(run: Run, folder: Path, answer: Answer | None, *, others: Sequence[str] = ()) -> str:
    """The index as HTML; links are from the folder."""
    name = run.plan.name
    absent = [one for one in others if not (folder / "tables" / one).is_dir()]
    figures = {study.title: _thumbnails(study, name, folder) for study in STUDIES.values()}
    return environment().get_template("index.html").render(
        name=name,
        preset=run.plan.preset.preset,
        description=description_of(run.plan),
        answer=answer,
        heads=HEADS,
        signs=SIGNS,
        first=_first(name, folder),
        figures={title: some for title, some in figures.items() if some},
        pages=list(_pages(name, folder)),
        tables=list(_tables(name, folder)),
        missing=[(one, {}) for one in missing_from(run, folder)],
        others=[(f"{STUDIES[one].title} ({one})", {}) for one in absent],
    )  # fmt: skip


def missing_from(run: Run, folder: Path) -> list[str]:
    """What a run was to make and is not there, for people, and why parts of it cannot be made."""
    name, found = run.plan.name, list[str]()
    for study in run.plan.studies:
        declared = STUDIES[study]
        wanted = {f"the page of “{declared.title}”": places.page_file(name, declared.page_name)}
        for figure in declared.figures:
            file = places.figure_files(name, figure.name)["png"]
            wanted[f"{label_of(figure.name)}: {figure.title}"] = file
        for table in declared.schemas:
            wanted[f"table {table} of {study}"] = places.table_file(name, study, table)
        found += [what for what, file in wanted.items() if not (run.directory / file).is_file()]
    return [*found, *run.absent.values()]


def _own(file: str, name: str) -> str:
    """A file of a preset, from its folder."""
    return str(Path(file).relative_to(Path("results", name)))


def _first(name: str, folder: Path) -> dict[str, str]:
    """The pages to open first."""
    links = {
        "Report: every figure and claim": places.page_file(name, "report"),
        "Explorer: choose curves and compare": places.page_file(name, explorer_name("paper")),
        "Methods": places.methods_file(name, "report"),
    }
    play = {"Play with the model": PLAY} if (folder / PLAY).is_file() else {}
    return _there(links, name, folder) | play


def _pages(name: str, folder: Path) -> Iterable[Entry]:
    titles: dict[str, str] = {}
    for study in STUDIES.values():
        titles.setdefault(study.page_name, study.title)
    for group in GROUPS:
        titles[explorer_name(group)] = f"Explorer of {GROUP_WORDS.get(group, group)}"
    for page, title in titles.items():
        links = {
            "page": places.page_file(name, page),
            "methods": places.methods_file(name, page),
            "claims as text": places.scorecard_file(name, page),
            "claims as JSON": places.scorecard_json(name, page),
        }
        if found := _there(links, name, folder):
            counts = _counts(folder / _own(links["claims as JSON"], name))
            yield f"{title} ({counts})" if counts else title, found


def _counts(scorecard: Path) -> str:
    """Claims of a page by their verdicts, in words; nothing of what cannot be read."""
    try:
        verdicts = Counter(row["verdict"] for row in json.loads(scorecard.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return verdicts_in_words({word: verdicts[word] for word in VERDICTS if verdicts[word]})


def _thumbnails(study: Study, name: str, folder: Path) -> list[Thumbnail]:
    """The figures of a study that there are, those of the paper first, by their numbers."""
    found = [_thumbnail(one, name, folder) for one in study.figures]
    there = [one for one in found if (folder / one.picture).is_file()]
    return sorted(there, key=lambda one: number_of(one.name) or inf)


def _thumbnail(figure: Figure, name: str, folder: Path) -> Thumbnail:
    files = places.figure_files(name, figure.name)
    words, title = "", f"{label_of(figure.name)}: {figure.title}"
    if (file := folder / _own(files["rst"], name)).is_file():
        said = caption(file.read_text("utf-8"), source=file.name)
        words, title = said.first_sentence, said.title or title
    links = {"PDF": files["pdf"], "rows as CSV": str(Path(files["png"]).with_suffix(".csv"))}
    return Thumbnail(
        name=figure.name,
        picture=_own(files["png"], name),
        title=title,
        caption=words,
        links=_there(links, name, folder),
    )


def _tables(name: str, folder: Path) -> Iterable[Entry]:
    for study in STUDIES.values():
        links = {
            one: places.table_file(name, study.name, one) for one in [*study.schemas, "claims"]
        }
        if found := _there(links, name, folder):
            yield study.title, found


def _there(links: Mapping[str, str], name: str, folder: Path) -> dict[str, str]:
    own = {what: _own(file, name) for what, file in links.items()}
    return {what: file for what, file in own.items() if (folder / file).is_file()}
