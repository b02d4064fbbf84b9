"""Each figure and statement of the sources: whether it is reproduced here.

docs/thesis.yaml has a row for each. Verdicts are those of the scorecards of the archived results.
The status of a row follows from them and from its settings, as docs/thesis.md says; nobody types
it. `make readme` writes the counts into docs/thesis.md; `make docs` makes a page of all rows.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from pages.markdown import line, link_to, table
from srhm.commands.presets import SHOWN
from srhm.planning.registry import STUDIES
from srhm.scorecard.expectations import VERDICTS
from srhm.scorecard.numbers import expected_text, measured_text

TABLE, PAGE = "docs/thesis.yaml", "docs/thesis.md"
FACTOR = 4
FIGURES = {f"{name}/{one.name}" for name, study in STUDIES.items() for one in study.figures}

Setting = Literal["near", "far", "other data"]
Status = Literal["works", "elsewhere", "differs", "undecided", "missing", "sketch"]
STATUSES: tuple[Status, ...] = get_args(Status)

HEAD = ("place", "shows", "status", "claims", "settings, source → here", "here")


class Row(BaseModel):
    """A figure or a statement of a source.

    at: figures besides those of its claims that show it here, as study/figure. claims: as
    study/identifier, or patterns of them. data: whose. sizes: by name the source's and ours.
    besides: what else differs. picture: the source has no number to be tested. sketch: nothing to
    run. note: a reason.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    place: str
    shows: str
    at: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    data: Literal["source", "images", "other"] = "source"
    sizes: dict[str, tuple[float, float]] = {}
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
        if lacking := [one for one, found in self.matched.items() if not found]:
            raise ValueError(f"{self.place}: no claim {lacking[0]}")
        return self

    @cached_property
    def matched(self) -> dict[str, dict[tuple[str, str], str]]:
        """For each entry of `claims` study, identifier and figure of the claims that it names."""
        return {
            entry: {
                (study, name): f"{study}/{figure}"
                for name, figure in claim_figures(study).items()
                if fnmatchcase(f"{study}/{name}", entry)
            }
            for entry in self.claims
            for study in [entry.partition("/")[0]]
        }

    @property
    def figures(self) -> tuple[str, ...]:
        """Study and figure of all that shows it here, each once."""
        shown = [one for found in self.matched.values() for one in found.values()]
        return tuple(dict.fromkeys(one for one in (*shown, *self.at) if one in FIGURES))

    @property
    def setting(self) -> Setting:
        """How its settings compare with the source's."""
        if self.data == "other":
            return "other data"
        far = any(max(pair) > FACTOR * min(pair) for pair in self.sizes.values())
        return "far" if far else "near"


class Chapter(BaseModel):
    """Rows of a part of a source, by their place in it. It is counted by the source's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    source: str
    title: str
    rows: tuple[Row, ...]

    @field_validator("rows", mode="before")
    @classmethod
    def _with_their_places(cls, rows: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [{"place": place, **row} for place, row in rows.items()]


class Table(BaseModel):
    """docs/thesis.yaml. settings: what rows share, which YAML copies into them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    settings: dict[str, dict[str, Any]]
    chapters: tuple[Chapter, ...]


def read(root: Path) -> Table:
    """The table of a repository.

    Raises:
        ValueError: if a row lacks or contradicts something.
    """
    return Table.model_validate(yaml.safe_load((root / TABLE).read_text(encoding="utf-8")))


def claim_figures(study: str) -> dict[str, str]:
    """The figure of each claim of a study, by identifier."""
    module = STUDIES[study].claims
    return {one.identifier: one.figure for one in import_module(module).CLAIMS} if module else {}


def status(verdicts: Collection[str], setting: Setting) -> Status:
    """What a row with these verdicts of claims, or "nothing measured", and these settings is."""
    if set(verdicts) <= {"nothing measured"}:
        return "missing"
    if "differs" in verdicts:
        return "differs"
    if set(verdicts) != {"reproduced"}:
        return "undecided"
    return "works" if setting == "near" else "elsewhere"


class Scorecards:
    """The claims of archived results, by study and identifier."""

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
        """What it says of a claim; None where no results are archived."""
        return self._claims.get((study, claim))

    def status(self, row: Row) -> Status:
        """That of a row of the table."""
        if row.sketch:
            return "sketch"
        if row.picture:
            drawn = all(one.partition("/")[0] in self.preset for one in row.figures)
            return status(["reproduced" if drawn else "nothing measured"], row.setting)
        claims = [self.of(*one) for names in row.matched.values() for one in names]
        verdicts = [
            str(one["verdict"]) if one and isfinite(one["value"]) else "nothing measured"
            for one in claims
        ]
        return status(verdicts, row.setting)


def counts_table(
    sources: Table, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]
) -> Iterator[str]:
    """Lines of Markdown: for each source, and for all, the number of rows of each status."""
    cards = Scorecards(scorecards)
    yield line(["source", "rows", *STATUSES])
    yield line(["---", *["--:"] * (1 + len(STATUSES))])
    whole = Counter[Status]()
    for source in dict.fromkeys(chapter.source for chapter in sources.chapters):
        chapters = [one for one in sources.chapters if one.source == source]
        counts = Counter(cards.status(row) for chapter in chapters for row in chapter.rows)
        whole += counts
        title = chapters[0].title if len(chapters) == 1 else source.capitalize()
        yield line([title, *_numbers(counts)])
    yield line(["all", *_numbers(whole)])


def rows_text(sources: Table, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> str:
    """All rows as Markdown, a table for each chapter; scorecards: by preset and study."""
    cards = Scorecards(scorecards)
    lines = []
    for chapter in sources.chapters:
        found = [cards.status(row) for row in chapter.rows]
        counts = Counter(found)
        counted = ", ".join(f"{name}: {counts[name]}" for name in STATUSES if counts[name])
        rows = zip(chapter.rows, found, strict=True)
        cells = ([*_cells(row, one, cards)] for row, one in rows)
        lines += [f"## {chapter.title}", "", f"{counted}.", "", *table(HEAD, cells), ""]
    return "\n".join(lines)


def _numbers(counts: Counter[Status]) -> list[str]:
    return [str(counts.total()), *(str(counts[name]) for name in STATUSES)]


def _cells(row: Row, found: Status, cards: Scorecards) -> Iterator[str]:
    """Of a row, in the order of `HEAD`."""
    yield _markdown(row.place)
    yield _markdown(row.shows)
    yield f"**{found}**" + (f": {_markdown(row.note)}" if row.note else "")
    words = [_claim(pattern, names, cards) for pattern, names in row.matched.items()]
    kind = "a picture" if row.picture else "–" if row.sketch else "no claim"
    yield "; ".join(words) or kind
    sizes = [
        f"{name} {_number(stated)} → {_number(ours)}" for name, (stated, ours) in row.sizes.items()
    ]
    differ = "; ".join([*sizes, *([_markdown(row.besides)] if row.besides else [])])
    told = row.sizes or ((row.claims or row.picture) and found != "missing")
    yield (f"{row.setting}: {differ}" if differ else row.setting) if told else "–"
    links = [
        f"{link_to(study)} `{figure}`"
        for study, _, figure in (one.partition("/") for one in row.figures)
    ]
    yield "; ".join(links) or "–"


def _claim(entry: str, names: Collection[tuple[str, str]], cards: Scorecards) -> str:
    pattern = entry.partition("/")[2]
    rows = [one for one in (cards.of(*name) for name in names) if one]
    if not rows:
        return f"`{pattern}`: no archived results"
    if len(names) == 1:
        (row,) = rows
        told = f"{measured_text(row)}, expected {expected_text(row)}: {row['verdict']}"
        return f"`{pattern}` {told}"
    counts = Counter(str(one["verdict"]) for one in rows)
    told = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    return f"`{pattern}`: {told}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _markdown(text: str) -> str:
    return text.replace("*", "\\*").replace("|", "\\|")
