"""The scorecard for programs: a JSON list with an object for each claim."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd

from srhm.scorecard.card import AUTHORS
from srhm.scorecard.numbers import band, error, in_errors, in_tolerances, unit

TEXTS = ("claim", "statement", "place", "figure", "scale", "fixed", "verdict", "note")
NUMBERS = ("expected", "tolerance", "value", "low", "high", *AUTHORS)


def scorecard_data(parts: Sequence[tuple[pd.DataFrame, Mapping[str, str]]], *, commit: str) -> str:
    """Claims with what made them. low, high: the 95 % interval; null: not known, or not
    bounded. error: standard error; in_errors, in_tolerances: distance from the expected number.
    authors_value: by the same fit of the authors' points, with its interval. allowed: the range of
    what is expected. Of the scale "factor" all are logarithms.

    parts: for each study its scorecard, and {"study", "command"}.
    """
    found: list[dict[str, Any]] = []
    for table, made in parts:
        for row in table.to_dict("records"):
            numbers = {name: _known(row[name]) for name in NUMBERS}
            ends = (row["expected"] + end * unit(row) for end in band(row))
            allowed = {"allowed": [_known(end) for end in ends]}
            of_row = {"error": error, "in_errors": in_errors, "in_tolerances": in_tolerances}
            numbers |= {name: _known(function(row)) for name, function in of_row.items()}
            texts = {name: row[name] for name in TEXTS}
            found.append({**texts, **numbers, **allowed, "n": row["n"], **made, "commit": commit})
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _known(number: float) -> float | None:
    return number if isfinite(number) else None
