"""The paper's laws of P* in curves that are trained as those of its figures were.

A P* of its figures is the point of a grid whose error is nearest to 10 %, and so is ours where we
read it as they did. Points of our grid lie at fixed multiples of Eq. 3 or 4, so that such readings
pull exponents to the law: P* nearest to the same multiple have its exponents exactly. Beside them
stands therefore our P* between the points of the grid, with the interval of its seeds.
"""

import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.numbers import expected_text, measured_text
from srhm.studies.sparse_hierarchy.claims.paper_points import as_sample_complexities
from srhm.studies.sparse_hierarchy.claims.published_fits import published_fits
from srhm.studies.sparse_hierarchy.practice_points import (
    CRITERION,
    practice_curves,
    practice_points,
)

# A fit of fewer points has less than three vocabularies, and no interval.
FEWEST = 4
COLUMNS = ("claim", "statement", "expected", "n", "text", "practice", "read", "authors")
KIND = ["net", *GRAMMAR]


def practice_fits(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """A row (COLUMNS) for each law that FEWEST of the paper's points say something of.

    All four are numbers as text, of equal grammars. n: curves in `practice`. text: our curves by
    the text's protocol, and practice: by that of the figures, with intervals. read: these, read as
    the figures were, and authors: their points; both without an interval, which a grid and one
    seed do not give. Grammars of which one P* is above a tenth of all data are left out, and
    curves that did not reach 10 %.
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
    wanted = points[~small][KIND]
    by_practice = practice_curves(sample_complexity, cells)
    as_text = sample_complexity[~sample_complexity["batch"].isin(["balanced"])]
    tables = {
        "text": (as_text.merge(wanted, on=KIND), cells),
        "practice": (
            by_practice.merge(wanted, on=KIND).assign(criterion="test_error"),
            cells.assign(test_error=cells[CRITERION]),
        ),
        "read": (read[~small], pd.DataFrame()),
        "authors": (theirs[~small], pd.DataFrame()),
    }
    fits = {
        name: {row["claim"]: row for row in published_fits(*table).to_dict("records")}
        for name, table in tables.items()
    }
    found = []
    for claim, row in fits["practice"].items():
        if row["n"] < FEWEST:
            continue
        numbers = {
            name: measured_text(fit[claim]) if claim in fit else "" for name, fit in fits.items()
        }
        alone = {name: numbers[name].partition(" ")[0] for name in ("read", "authors")}
        kept = {"claim": claim, "statement": row["statement"], "n": row["n"]}
        found.append({**kept, "expected": expected_text(row), **numbers, **alone})
    return pd.DataFrame(found, columns=list(COLUMNS))
