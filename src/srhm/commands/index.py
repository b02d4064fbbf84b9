"""The index of a folder of results: a page that links all others, figures and tables.

It also says what is missing. It is written anew at the end of every run in the folder.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from srhm.commands.presets import Run
from srhm.declare.study import Study
from srhm.planning.pages import description_of
from srhm.planning.registry import GROUPS, STUDIES
from srhm.report.explorer.names import explorer_name
from srhm.scorecard.expectations import VERDICTS, verdicts_in_words
from srhm.store import places
from srhm.store.atomic import write_text

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
img { max-width: 100%; background: white; }
h3 { margin-bottom: 0; }
ul { margin-top: 0.25rem; }
"""
# The figure that stands on top.
FIRST = "fig04"
GROUP_WORDS = {"paper": "the paper's studies"}
# Sections, each with its entries: a text and links by what they show.
Entry = tuple[str, Mapping[str, str]]


def write_index(run: Run, *, others: Sequence[str] = ()) -> Path:
    """Writes the index of the folder of a run; its file.

    others: studies of the preset that the run does not make.
    """
    folder = run.directory / "results" / run.plan.name
    file = folder / places.INDEX
    write_text(file, index_page(run, folder, others=others))
    return file


def index_page(run: Run, folder: Path, *, others: Sequence[str] = ()) -> str:
    """The index as HTML; links are from the folder."""
    name, preset = run.plan.name, run.plan.preset
    said = description_of(run.plan)
    parts = [f"<h1>Results of {escape(name)}</h1>", f"<p>{escape(said[:1].upper() + said[1:])}</p>"]
    picture = _own(places.figure_files(name, FIRST)["png"], name)
    if (folder / picture).is_file():
        title = escape(_titles()[FIRST])
        parts.append(f'<a href="{picture}"><img src="{picture}" alt="Figure 4: {title}"></a>')
    parts += ["<h2>Pages</h2>", _list(_pages(name, folder))]
    for heading, entries_of in (("Figures", _figures), ("Tables", _tables)):
        parts.append(f"<h2>{heading}</h2>")
        for study in STUDIES.values():
            if entries := list(entries_of(study, name, folder)):
                parts += [f"<h3>{escape(study.title)}</h3>", _list(entries)]
    if missing := missing_from(run, folder):
        again = "the same command goes on where a run has stopped"
        parts += [f"<h2>Missing</h2><p>{again}.</p>", _list((one, {}) for one in missing)]
    here = [one for one in others if not (folder / "tables" / one).is_dir()]
    if here:
        command = f"make reproduce PRESET={preset.preset} STUDY=..."
        parts.append(f"<p>Not made here: {', '.join(here)} (<code>{escape(command)}</code>).</p>")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Results of {escape(name)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


def missing_from(run: Run, folder: Path) -> list[str]:
    """What a run was to make and is not there, for people, and why parts of it cannot be made."""
    name, found = run.plan.name, list[str]()
    for study in run.plan.studies:
        declared = STUDIES[study]
        wanted = {f"the page of {study}": places.page_file(name, declared.page_name)}
        for figure in declared.figures:
            file = places.figure_files(name, figure.name)["png"]
            wanted[f"{figure.name}: {figure.title}"] = file
        for table in declared.schemas:
            wanted[f"table {table} of {study}"] = places.table_file(name, study, table)
        found += [what for what, file in wanted.items() if not (run.directory / file).is_file()]
    return [*found, *run.absent.values()]


def _titles() -> dict[str, str]:
    return {figure.name: figure.title for study in STUDIES.values() for figure in study.figures}


def _own(file: str, name: str) -> str:
    """A file of a preset, from its folder."""
    return str(Path(file).relative_to(Path("results", name)))


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
            "scorecard": places.scorecard_file(name, page),
            "scorecard as JSON": places.scorecard_json(name, page),
        }
        if found := _there(links, name, folder):
            counts = _counts(folder / _own(links["scorecard as JSON"], name))
            yield f"{title} ({counts})" if counts else title, found


def _counts(scorecard: Path) -> str:
    """Claims of a page by their verdicts, in words; nothing of what cannot be read."""
    try:
        verdicts = Counter(row["verdict"] for row in json.loads(scorecard.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return verdicts_in_words({word: verdicts[word] for word in VERDICTS if verdicts[word]})


def _figures(study: Study, name: str, folder: Path) -> Iterable[Entry]:
    for figure in study.figures:
        files = places.figure_files(name, figure.name)
        csv = str(Path(files["png"]).with_suffix(".csv"))
        links = {"PNG": files["png"], "PDF": files["pdf"], "CSV": csv}
        if found := _there(links, name, folder):
            yield f"{figure.name}: {figure.title}", found


def _tables(study: Study, name: str, folder: Path) -> Iterable[Entry]:
    for table in [*study.schemas, "claims"]:
        if found := _there({"Parquet": places.table_file(name, study.name, table)}, name, folder):
            yield table, found


def _there(links: Mapping[str, str], name: str, folder: Path) -> dict[str, str]:
    own = {what: _own(file, name) for what, file in links.items()}
    return {what: file for what, file in own.items() if (folder / file).is_file()}


def _list(entries: Iterable[Entry]) -> str:
    lines = []
    for text, links in entries:
        named = ", ".join(f'<a href="{escape(file)}">{what}</a>' for what, file in links.items())
        lines.append(f"<li>{escape(text)}{': ' * bool(named)}{named}</li>")
    return "\n".join(["<ul>", *lines, "</ul>"])
