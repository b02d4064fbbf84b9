"""The answer on one screen: the forest plot of a study's statements, and what it says in words."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pandas as pd

from srhm.report.forest import svg
from srhm.scorecard.headline import forest_rows, in_words
from srhm.scorecard.statements import statement_table


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
    rows = forest_rows(declared.HEADLINE, scorecard, other=other)
    drawn = {
        form: svg(rows, narrow=form == "narrow", other=name, link=link)
        for form in ("wide", "narrow")
        if rows
    }
    return {"forests": drawn, "in_words": in_words(rows)}


def lines_of_statements(module: str | None, scorecard: pd.DataFrame) -> list[str]:
    """What is stated and what was measured, to stand in Markdown as they are.

    module: as above. Nothing where none of these claims is in the scorecard.
    """
    stated = statement_table(import_module(module).HEADLINE, scorecard) if module else None
    return ["```", *stated.lines(), "```"] if stated else []
