"""Numbers in sentences of Markdown: people write the words, a scorecard fills the slot.

A slot is a comment that names a claim and the verdict that its sentence assumes, the number, and
an end: `<!--= teaching/s0-places-lcn reproduced -->0.06<!--/-->`. In a study's own README its name
may be left out. A preset other than the study's first stands before: `paper:named_nets/s-half`.
`.interval` behind the claim asks for "[0.00, 0.12]", `.error` for the standard error, `.authors`
for the authors' value. In place of a claim `count` is the number of the study's claims with the
verdict, or of all without one, and `headline/count` that of the headline's rows. `count.after`
counts those that were changed after a look, and `PATTERN.count` the claims whose names fit.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

import pandas as pd

from srhm.paper.sparse_hierarchy.headline import HEADLINE
from srhm.scorecard.expectations import VERDICTS
from srhm.scorecard.numbers import authors_text, measured_text, value_text

SLOT = re.compile(r"(<!--= *([^ >]+)(?: +(\w+))? *-->)(.*?)(<!--/-->)", re.DOTALL)
# Markdown takes a line, or an item of a list, that begins with a comment for HTML, not for prose.
LAST_WORD = re.compile(r" (<!--=(?:(?!<!--/-->).)*<!--/-->\S*|\S+)\n([ \t]*)(?=<!--=)")
BEGINS = re.compile(r"^[ \t]*(?:(?:[-*>]|\d+\.) +)?<!--=", re.MULTILINE)
PRESETS = ("grid", "laptop", "quick", "paper")
Scorecards = Mapping[str, Mapping[str, pd.DataFrame]]


def fill_slots(text: str, scorecards: Scorecards, *, page: str, study: str = "") -> str:
    """A page with all of its slots filled, and none at the beginning of a line.

    Args:
        text: the page.
        scorecards: of the archived results, by preset and study.
        page: its name, for errors.
        study: whose page it is; empty where slots must name theirs.

    Raises:
        ValueError: if a slot is misspelt, begins a paragraph, names no claim, or its sentence
            assumes another verdict than the claim has.
    """

    def one(slot: re.Match[str]) -> str:
        begin, name, verdict, _, end = slot.groups()
        try:
            return f"{begin}{_number(name, verdict, scorecards, study)}{end}"
        except (KeyError, ValueError) as error:
            raise ValueError(f"{page}: slot {name}: {error.args[0]}") from error

    if text.count("<!--=") != len(SLOT.findall(text)):
        raise ValueError(f"{page}: a slot has no end, or is misspelt")
    while LAST_WORD.search(text):
        text = LAST_WORD.sub(r"\n\2\1 ", text)
    if BEGINS.search(text):
        raise ValueError(f"{page}: a paragraph begins with a slot, which Markdown takes for HTML")
    return SLOT.sub(one, text)


def _number(name: str, verdict: str | None, scorecards: Scorecards, study: str) -> str:
    if verdict is not None and verdict not in VERDICTS:
        raise ValueError(f"{verdict} is no verdict")
    preset, _, rest = name.rpartition(":")
    place, _, claim = rest.rpartition("/")
    claim, _, kind = claim.partition(".")
    table = _claims(place or study, preset, scorecards)
    if claim == "count" or kind == "count":
        return str(_count(table, "*" if claim == "count" else claim, verdict, kind == "after"))
    rows = table[table["claim"] == claim].to_dict("records")
    if len(rows) != 1:
        raise ValueError("no such claim")
    if verdict is not None and rows[0]["verdict"] != verdict:
        raise ValueError(f"the sentence is of one that {verdict}, and it is {rows[0]['verdict']}")
    texts = {
        "": re.sub(r"\(?([^ (]+) ± [^)·]*\)?", r"\1", value_text(rows[0])),
        "error": value_text(rows[0]).partition("± ")[2],
        "interval": measured_text(rows[0]).partition(" ")[2],
        "authors": authors_text(rows[0]).partition(" ")[0],
    }
    return texts[kind].removeprefix("×")


def _count(table: pd.DataFrame, pattern: str, verdict: str | None, after: bool) -> int:
    named = table[[fnmatchcase(claim, pattern) for claim in table["claim"]]]
    if named.empty:
        raise ValueError("no such claim")
    named = named if verdict is None else named[named["verdict"] == verdict]
    return len(named[named["fixed"] == "after"] if after else named)


def _claims(study: str, preset: str, scorecards: Scorecards) -> pd.DataFrame:
    """Claims of a study, or of the headline, in a preset or the first that has them."""
    if study == "headline":
        stated = {claim for statement in HEADLINE for claim in statement.lines.values()}
        own = scorecards[preset or PRESETS[0]].values()
        return pd.concat([table[table["claim"].isin(stated)] for table in own])
    for name in [preset] if preset else PRESETS:
        if study in scorecards.get(name, {}):
            return scorecards[name][study]
    raise ValueError(f"no archived results of {study or 'a study that it does not name'}")
