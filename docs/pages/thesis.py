"""Each figure and statement of the sources: whether it is reproduced here.

docs/thesis.yaml has a row for each. Verdicts are those of the scorecards of the archived results.
The status of a row follows from them and from its settings, as docs/thesis.md says; nobody types
it. `make readme` writes the counts into docs/thesis.md; `make docs` makes a page of all rows.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from pages.markdown import line
from srhm.commands.presets import SHOWN
from srhm.planning.registry import STUDIES, file_of_study
from srhm.scorecard.expectations import VERDICTS
from srhm.scorecard.numbers import expected_text, measured_text

TABLE, PAGE = "docs/thesis.yaml", "docs/thesis.md"
FACTOR = 4
FIGURES = {f"{name}/{one.name}" for name, study in STUDIES.items() for one in study.figures}

Setting = Literal["as published", "near", "far", "other data"]
Verdict = Literal["reproduced", "undecided", "differs", "nothing measured"]
Status = Literal["works", "elsewhere", "differs", "undecided", "missing", "sketch"]
STATUSES: tuple[Status, ...] = get_args(Status)

HEAD = ("place", "shows", "status", "claims", "settings, source → here", "here")


class Row(BaseModel):
    """A figure or a statement of a source.

    at: figures that show it here, as study/figure. claims: identifiers, or patterns of them, of
    these studies. data: whose. sizes: by name the source's, None where it is not stated, and ours.
    besides: what else differs. picture: the source has no number to be tested. sketch: nothing to
    run. note: a reason.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    place: str
    shows: str
    at: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    data: Literal["source", "images", "other"] = "source"
    sizes: dict[str, tuple[float | None, float]] = {}
    besides: str = ""
    picture: bool = False
    sketch: bool = False
    note: str = ""

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> "Row":
        strange = [one for one in self.at if one not in FIGURES]
        if strange:
            raise ValueError(f"{self.place}: at: {strange[0]!r} is no figure of a study")
        if self.sketch and (self.claims or self.picture):
            raise ValueError(f"{self.place}: a sketch has neither claims nor a picture")
        if self.picture and (self.claims or not self.at):
            raise ValueError(f"{self.place}: a picture has a figure and no claims")
        if self.claims and not self.at:
            raise ValueError(f"{self.place}: claims need the figure that shows them")
        return self

    @property
    def studies(self) -> tuple[str, ...]:
        """Studies of its figures, each once."""
        return tuple(dict.fromkeys(one.partition("/")[0] for one in self.at))

    @cached_property
    def matched(self) -> dict[str, list[tuple[str, str]]]:
        """For each entry of `claims` the study and the identifier of what it names."""
        there = [(study, name) for study in self.studies for name in claim_names(study)]
        return {
            pattern: [one for one in there if fnmatchcase(one[1], pattern)]
            for pattern in self.claims
        }

    @property
    def setting(self) -> Setting:
        """How its settings lie beside the source's."""
        if self.data == "other":
            return "other data"
        stated = [(one, ours) for one, ours in self.sizes.values() if one is not None]
        if any(max(one, ours) > FACTOR * min(one, ours) for one, ours in stated):
            return "far"
        same = all(one == ours for one, ours in self.sizes.values())
        return "as published" if self.data == "source" and same and not self.besides else "near"


class Chapter(BaseModel):
    """Rows of a part of a source, which is counted by its name."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    source: str
    title: str
    rows: tuple[Row, ...]


class Table(BaseModel):
    """docs/thesis.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    chapters: tuple[Chapter, ...]


def read(root: Path) -> Table:
    """The table of a repository.

    Raises:
        ValueError: if a row lacks or contradicts something.
    """
    return Table.model_validate(yaml.safe_load((root / TABLE).read_text(encoding="utf-8")))


def claim_names(study: str) -> tuple[str, ...]:
    """Identifiers of the claims of a study."""
    module = STUDIES[study].claims
    return tuple(one.identifier for one in import_module(module).CLAIMS) if module else ()


def worst(verdicts: Sequence[str]) -> Verdict:
    """Of the worst of these: words of a scorecard, or "nothing measured"."""
    if set(verdicts) <= {"nothing measured"}:
        return "nothing measured"
    if "differs" in verdicts:
        return "differs"
    return "reproduced" if set(verdicts) == {"reproduced"} else "undecided"


def status(found: Verdict, setting: Setting) -> Status:
    """What a row with this verdict and these settings is."""
    if found == "reproduced":
        return "works" if setting in ("as published", "near") else "elsewhere"
    others: dict[Verdict, Status] = {
        "differs": "differs",
        "undecided": "undecided",
        "nothing measured": "missing",
    }
    return others[found]


class Scorecards:
    """The claims of shipped rows, by study and identifier."""

    def __init__(self, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> None:
        self.preset = {
            study: preset for preset in reversed(SHOWN) for study in scorecards.get(preset, {})
        }
        self._claims = {
            (study, row["claim"]): row
            for study, preset in self.preset.items()
            for row in scorecards[preset][study].to_dict("records")
        }

    def of(self, study: str, claim: str) -> dict[Hashable, Any] | None:
        """What it says of a claim; None where no rows are shipped."""
        return self._claims.get((study, claim))

    def status(self, row: Row) -> Status:
        """That of a row of the table."""
        if row.sketch:
            return "sketch"
        if row.picture:
            drawn = all(study in self.preset for study in row.studies)
            return status("reproduced" if drawn else "nothing measured", row.setting)
        found = [self.of(*one) for names in row.matched.values() for one in names]
        verdicts = [
            str(one["verdict"]) if one and isfinite(one["value"]) else "nothing measured"
            for one in found
        ]
        return status(worst(verdicts), row.setting)


def counts_table(
    table: Table, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]
) -> Iterator[str]:
    """Lines of Markdown: for each source, and for all, the number of rows of each status."""
    cards = Scorecards(scorecards)
    yield line(["source", "rows", *STATUSES])
    yield line(["---", *["--:"] * (1 + len(STATUSES))])
    whole = Counter[Status]()
    for source in dict.fromkeys(chapter.source for chapter in table.chapters):
        chapters = [one for one in table.chapters if one.source == source]
        counts = Counter(cards.status(row) for chapter in chapters for row in chapter.rows)
        whole += counts
        title = chapters[0].title if len(chapters) == 1 else source.capitalize()
        yield line([title, *_numbers(counts)])
    yield line(["all", *_numbers(whole)])


def rows_text(table: Table, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> str:
    """All rows as Markdown, a table for each chapter; scorecards: by preset and study."""
    cards = Scorecards(scorecards)
    lines = []
    for chapter in table.chapters:
        found = [cards.status(row) for row in chapter.rows]
        lines += [f"## {chapter.title}", "", f"{', '.join(_words(Counter(found)))}.", ""]
        lines += [line(HEAD), line(["---"] * len(HEAD))]
        rows = zip(chapter.rows, found, strict=True)
        lines += [line([*_cells(row, one, cards)]) for row, one in rows]
        lines += [""]
    return "\n".join(lines)


def _numbers(counts: Counter[Status]) -> list[str]:
    return [str(counts.total()), *(str(counts[name]) for name in STATUSES)]


def _words(counts: Counter[Status]) -> list[str]:
    """The counts that are not 0, in the order of `STATUSES`."""
    return [f"{counts[name]} {_verb(name, counts[name])}" for name in STATUSES if counts[name]]


def _verb(name: Status, count: int) -> str:
    """What so many rows do or are."""
    one, several = {
        "works": ("works", "work"),
        "elsewhere": ("works elsewhere", "work elsewhere"),
        "differs": ("differs", "differ"),
        "undecided": ("is undecided", "are undecided"),
        "missing": ("is missing", "are missing"),
        "sketch": ("is a sketch", "are sketches"),
    }[name]
    return one if count == 1 else several


def _cells(row: Row, found: Status, cards: Scorecards) -> Iterator[str]:
    """Of a row, in the order of `HEAD`."""
    yield _markdown(row.place)
    yield _markdown(row.shows)
    yield f"**{found}**" + (f": {_markdown(row.note)}" if row.note else "")
    words = [_claim(pattern, names, cards) for pattern, names in row.matched.items()]
    kind = "a picture" if row.picture else "–" if row.sketch else "no claim"
    yield "; ".join(words) or kind
    told = row.sizes or ((row.claims or row.picture) and found != "missing")
    yield _settings(row) if told else "–"
    links = [
        f"[{study}](../{file_of_study(study)}) `{figure}`"
        for study, _, figure in (one.partition("/") for one in row.at)
    ]
    yield "; ".join(links) or "–"


def _claim(pattern: str, names: Sequence[tuple[str, str]], cards: Scorecards) -> str:
    rows = [one for one in (cards.of(*name) for name in names) if one]
    if not rows:
        return f"`{pattern}`: no shipped rows"
    if len(names) == 1:
        expected = expected_text(rows[0])
        asked = f", expected {expected}" if expected != "–" else ""
        return f"`{pattern}` {measured_text(rows[0])}{asked}: {rows[0]['verdict']}"
    counts = Counter(str(one["verdict"]) for one in rows)
    return f"`{pattern}`: " + ", ".join(
        f"{counts[word]} {word}" for word in VERDICTS if counts[word]
    )


def _settings(row: Row) -> str:
    parts = [
        f"{name} {'not stated' if one is None else _number(one)} → {_number(ours)}"
        if one != ours
        else f"{name} {_number(ours)}"
        for name, (one, ours) in row.sizes.items()
    ]
    parts += [_markdown(row.besides)] if row.besides else []
    return f"{row.setting}: {'; '.join(parts)}" if parts else row.setting


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _markdown(text: str) -> str:
    return text.replace("*", "\\*").replace("|", "\\|")
