"""The paper's laws of P* in curves that are trained as those of its figures were.

A P* of its figures is the point of a grid whose error is nearest to 10 %, and so is ours where we
read it as they did. Points of our grid lie at fixed multiples of Eq. 3 or 4, so that such readings
pull exponents to the law: P* nearest to the same multiple have its exponents exactly. Beside them
stands therefore our P* between the points of the grid, with the interval of its seeds.
"""

from math import nan
from typing import Any

import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm.paper.sparse_hierarchy.analysis import CRITERION, practice_curves, practice_points
from srhm.paper.sparse_hierarchy.claims import PUBLISHED_CLAIMS, WithAuthors
from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import Claim
from srhm.scorecard.complexity_rows import as_sample_complexities
from srhm.scorecard.estimators import Slope
from srhm.scorecard.numbers import expected_text, measured_text

# A fit of fewer points has less than three vocabularies, and no interval.
FEWEST = 4
WAYS = ("text", "practice", "read", "authors")
COLUMNS = ("claim", "statement", "expected", "n", *WAYS, *(f"{one}_value" for one in WAYS))
KIND = ["net", *GRAMMAR]
Ways = dict[str, dict[str, pd.DataFrame]]


def practice_fits(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """A row (COLUMNS) for each law that FEWEST of the paper's points say something of.

    WAYS: numbers as text, of equal grammars; `*_value`: as numbers, NaN where there is none. n:
    curves in `practice`. text: our curves by the text's protocol, and practice: by that of the
    figures, with intervals. read: these, read as the figures were, and authors: their points; both
    without an interval, which a grid and one seed do not give. Grammars of which one P* is above a
    tenth of all data are left out, curves that did not reach 10 %, and those that a slope of the
    practice, within a learning rate, does not depend on.
    """
    points = practice_points(sample_complexity, cells, published)
    if points.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    points = points.assign(n_c=points["v"], m=points["v"] ** (points["s"] - 1), sparsity="A")
    read, theirs = (
        as_sample_complexities(points.assign(P_star=points[column]))
        for column in ("ours", "published")
    )
    small = (read["small_pool"] | theirs["small_pool"]).to_numpy(dtype=bool)
    by_practice = practice_curves(sample_complexity, cells).assign(criterion="test_error")
    as_text = sample_complexity[~sample_complexity["batch"].isin(["balanced"])]
    ways = {
        "text": {"sample_complexity": as_text, "cells": cells},
        "practice": {
            "sample_complexity": by_practice,
            "cells": cells.assign(test_error=cells[CRITERION]),
        },
        "read": {"sample_complexity": read, "cells": pd.DataFrame()},
        "authors": {"sample_complexity": theirs, "cells": pd.DataFrame()},
    }
    ways = {name: _of(points[~small][KIND], tables) for name, tables in ways.items()}
    rows = [row for claim in PUBLISHED_CLAIMS for row in _fits(claim, ways)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _fits(claim: Claim, ways: Ways) -> list[dict[str, Any]]:
    """The row of a claim; none if less than FEWEST points say something of it."""
    measure = claim.measure.measure if isinstance(claim.measure, WithAuthors) else claim.measure
    if not isinstance(measure, Slope):
        return []
    entering = measure.entering(ways["practice"])
    wanted = entering[[name for name in KIND if name in entering]].drop_duplicates()
    if len(wanted) < FEWEST:
        return []
    ways = {name: _of(wanted, tables) for name, tables in ways.items()}
    fits = {
        name: row
        for name, tables in ways.items()
        for row in scorecard(tables, [claim]).to_dict("records")
        if row["n"] > 0
    }
    if "practice" not in fits:
        return []
    row = fits["practice"]
    numbers = {name: measured_text(fits[name]) if name in fits else "" for name in WAYS}
    alone = {name: numbers[name].partition(" ")[0] for name in ("read", "authors")}
    values = {f"{name}_value": fits[name]["value"] if name in fits else nan for name in WAYS}
    kept = {"claim": row["claim"], "statement": row["statement"], "n": len(wanted)}
    return [{**kept, "expected": expected_text(row), **numbers, **alone, **values}]


def _of(grammars: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables with the curves of these grammars alone."""
    table = tables["sample_complexity"]
    own = table.merge(grammars, on=list(grammars.columns)) if len(table) else table
    return {**tables, "sample_complexity": own}
