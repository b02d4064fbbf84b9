"""The scorecard for programs: a JSON list with an object for each claim."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd

TEXTS = ("claim", "statement", "place", "figure", "scale", "fixed", "verdict", "note")
NUMBERS = ("expected", "tolerance", "value", "low", "high")


def scorecard_data(parts: Sequence[tuple[pd.DataFrame, Mapping[str, str]]], *, commit: str) -> str:
    """Claims with what made them. low, high: the 95 % interval; null: not known, or not
    bounded. Of the scale "factor" all five numbers are logarithms.

    parts: for each study its scorecard, and {"study", "command"}.
    """
    found: list[dict[str, Any]] = []
    for table, made in parts:
        for row in table.to_dict("records"):
            numbers = {name: row[name] if isfinite(row[name]) else None for name in NUMBERS}
            texts = {name: row[name] for name in TEXTS}
            found.append({**texts, **numbers, "n": row["n"], **made, "commit": commit})
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"
