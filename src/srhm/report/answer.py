"""The answer on one screen: the forest plot of a study's statements, and what it says in words."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pandas as pd

from srhm.forest.svg import svg
from srhm.forest.text import SIGNS
from srhm.scorecard.headline import beside_ours, forest_rows, in_words


def answer_of(
    module: str | None, scorecard: pd.DataFrame, *, publications: Sequence[str], link: str
) -> dict[str, Any]:
    """`forests`, for a page and a phone, whose rows lead to their claims, and `in_words`.

    module: of the study that declares statements; without one, or with nothing measured of them,
    both are empty. link: where a row leads, with {claim} in it.
    """
    if module is None:
        return {"forests": {}, "in_words": {}}
    declared = import_module(module)
    name, other = declared.other_run(publications)
    rows = forest_rows(declared.HEADLINE, scorecard, authors=beside_ours(scorecard), other=other)
    drawn = {
        form: svg(rows, narrow=form == "narrow", other=name, link=link)
        for form in ("wide", "narrow")
        if rows
    }
    return {"forests": drawn, "in_words": in_words(rows)}


def lines_of_statements(module: str | None, scorecard: pd.DataFrame) -> list[str]:
    """What is stated, a line each with the signs of the claims that measure it, below a title.

    module: as above. Nothing where none of these claims is in the scorecard.
    """
    verdicts = dict(zip(scorecard["claim"], scorecard["verdict"], strict=True))
    lines = []
    for statement in import_module(module).HEADLINE if module else ():
        found = [verdicts[claim] for claim in statement.lines.values() if claim in verdicts]
        if found:
            signs = "".join(SIGNS[verdict] for verdict in found if verdict in SIGNS)
            lines.append(f"- {signs:<3} {statement.says} ({statement.place})")
    if not lines:
        return []
    key = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
    return [f"What the paper states, with a sign for each claim ({key}):", "", *lines]
