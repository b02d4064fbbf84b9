"""docs/thesis.md: each figure and statement of the sources, and whether it is reproduced here.

docs/thesis.yaml has a row for each. Verdicts are those of the scorecards of the shipped rows. The
status of a row follows from them and from its settings, see `RULE`; nobody types it.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from srhm.commands.presets import SHOWN
from srhm.scorecard.numbers import measured_text
from srhm.scorecard.text import VERDICTS
from srhm.studies.registry import STUDIES

TABLE, PAGE = "docs/thesis.yaml", "docs/thesis.md"
FACTOR = 4
FIGURES = {f"{name}/{one.name}" for name, study in STUDIES.items() for one in study.figures}

Setting = Literal["as published", "near", "reduced", "other data"]
Verdict = Literal["agrees", "open", "disagrees", "nothing measured"]
Status = Literal["works", "reduced", "differs", "open", "missing", "sketch"]
STATUSES: tuple[Status, ...] = get_args(Status)

TITLE = "# The sources figure by figure"
INTRODUCTION = """\
Each figure and statement of the paper, of a digest of it (an unpublished summary of its key
results), of an article (arXiv 2601.19756), of A. Jacot's talk (*Bottleneck structure in large
depth networks*) and of M. Geiger's thesis (*Loss landscape and symmetries in neural networks*):
where it is here, with what settings, what came out. Written by `make readme` from
[one table](thesis.yaml) and the scorecards of the shipped rows, not by hand. Of the paper,
[What reproduced](results.md) has all claims."""
HEAD = ("place", "shows", "status", "claims", "settings, source → here", "here")

RULE = f"""\
The status of a row is computed from its verdict and its settings. The rule was committed before
any count. After a look at chapters 1 to 4 of the thesis it became stricter: a claim without
shipped rows leaves its row open, and with a size that is not stated settings are near at best.

*Verdict*: that of the worst claim. *Disagrees* if one does; else *open* if one is open, has too
few data or no shipped rows; else *agrees* (agrees, close). Claims without an expectation do not
count, and a row that has no others is open. *Nothing measured*: no claim, or too few data or no
shipped rows for all.

*Settings*: *as published*: the source's data and sizes, all of them stated, and nothing else
changed. *Near*: the source's data, or images in place of its images, and each size that the
source states is within a factor of {FACTOR}. Sizes are P, N (or the width, where the source
states that), the number of inputs d, and what else a row names. *Other data*: data of another
kind. *Reduced*: all else.

| verdict | settings as published or near | reduced, other data |
|---|---|---|
| agrees | works | reduced |
| disagrees | differs | differs |
| open | open | open |
| nothing measured | missing | missing |

Where the source has a picture without a number, the row needs no claim: its verdict is *agrees*
if the study draws the picture and has shipped rows, else *nothing measured*. A *sketch* has
nothing to run and does not count."""


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
            return "reduced"
        same = all(one == ours for one, ours in self.sizes.values())
        return "as published" if self.data == "source" and same and not self.besides else "near"


class Chapter(BaseModel):
    """Rows of a part of a source, which is counted by its name."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    source: str
    title: str
    rows: tuple[Row, ...]


class Table(BaseModel):
    """docs/thesis.yaml. before: counts of an earlier reading, by hand and by another rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    before: str
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
    """Of the worst of these, words of a scorecard."""
    if set(verdicts) <= {"too few data"}:
        return "nothing measured"
    if "disagrees" in verdicts:
        return "disagrees"
    judged = set(verdicts) - {"no expectation"}
    return "agrees" if judged and judged <= {"agrees", "close"} else "open"


def status(found: Verdict, setting: Setting) -> Status:
    """What a row with this verdict and these settings is."""
    if found == "agrees":
        return "works" if setting in ("as published", "near") else "reduced"
    others: dict[Verdict, Status] = {
        "disagrees": "differs",
        "open": "open",
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
            return status("agrees" if drawn else "nothing measured", row.setting)
        found = [self.of(*one) for names in row.matched.values() for one in names]
        verdicts = [str(one["verdict"]) if one else "too few data" for one in found]
        return status(worst(verdicts), row.setting)


def thesis_text(table: Table, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> str:
    """docs/thesis.md; scorecards: by preset and study."""
    cards = Scorecards(scorecards)
    found = [(chapter, [cards.status(row) for row in chapter.rows]) for chapter in table.chapters]
    lines = [TITLE, "", INTRODUCTION, "", "## Rule", "", RULE, "", "## Counts", ""]
    lines += [_line(["source", "rows", *STATUSES]), _line(["---"] * (2 + len(STATUSES)))]
    for source in dict.fromkeys(chapter.source for chapter in table.chapters):
        counts = Counter(one for chapter, all_ in found if chapter.source == source for one in all_)
        lines.append(
            _line([source, str(counts.total()), *(str(counts[name]) for name in STATUSES)])
        )
    lines += ["", table.before]
    for chapter, all_ in found:
        counts = Counter(all_)
        words = ", ".join(f"{counts[name]} {name}" for name in STATUSES if counts[name])
        lines += ["", f"## {chapter.title}", "", f"{words}.", "", _line(HEAD)]
        lines += [_line(["---"] * len(HEAD))]
        lines += [
            _line([*_cells(row, one, cards)]) for row, one in zip(chapter.rows, all_, strict=True)
        ]
    return "\n".join([*lines, ""])


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
        f"[{study}](../src/srhm/studies/{study}/README.md) `{figure}`"
        for study, _, figure in (one.partition("/") for one in row.at)
    ]
    yield "; ".join(links) or "–"


def _claim(pattern: str, names: Sequence[tuple[str, str]], cards: Scorecards) -> str:
    rows = [one for one in (cards.of(*name) for name in names) if one]
    if not rows:
        return f"`{pattern}`: no shipped rows"
    if len(names) == 1:
        return f"`{pattern}` {measured_text(rows[0])}: {rows[0]['verdict']}"
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


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    return text.replace("*", "\\*").replace("|", "\\|")
