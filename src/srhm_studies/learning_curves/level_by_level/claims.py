"""Claims of the article on learning level by level, and what sparsity adds.

Fixed beforehand, but for intervals of exponents (by vocabularies, or of paired seeds).

Source: an article on provable learning of the RHM (arXiv 2601.19756), which writes m^((1+o(1))L)
for the points that are needed, and m^(-l/2) for the error of layer l, with m synonyms. Where it
calls m the number of samples, its gloss counts: the inverse square root of it at each layer.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.complexity_rows import FALL_REASON, THRESHOLD, of_seeds
from srhm.scorecard.estimators import Mean, Slope
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm_studies.learning_curves.level_by_level.analysis import (
    CURVE,
    IDENTIFIABLE,
    LEAST_GAP,
    curves,
    diagonal,
    differing,
    identifiable,
    levels_of,
    names,
    powers_of_m,
    powers_of_P,
)


@rows_of("sample_complexity", "cells", nothing="no two curves that differ in this alone")
def stars(complexity: pd.DataFrame, cells: pd.DataFrame, *, column: str = "law") -> pd.DataFrame:
    """P* of curves that differ in this column alone; in the law: of grammars with v = m = n_c."""
    rows = complexity[
        (complexity["draws"] == "independent") & (complexity["criterion"] == IDENTIFIABLE)
    ]
    rows = diagonal(rows) if column == "law" else differing(rows, column)
    known = cells[identifiable(cells)]
    rows = of_seeds(rows, known.assign(curve=names(known)))
    reasons = {"not reached": rows["status"] == "not_reached"}
    reasons |= {"below the range": rows["status"] != "reached"}
    return left_out(rows.assign(places=rows["s0"] + 1), reasons)


@rows_of("cells", "levels")
def dense(cells: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """Levels of dense grammars that the shared net learns from independent draws."""
    rows = levels_of(cells, levels)
    return rows[(rows["net"] == "shared") & (rows["draws"] == "independent") & (rows["s0"] == 0)]


@rows_of("cells", "levels")
def rates_in_m(cells: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """By which power of m the response error falls from one level to the next."""
    return powers_of_m(dense.function(cells, levels))


@rows_of("cells", "levels")
def rates_in_P(cells: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """By which power of P the response error of a level falls."""
    return powers_of_P(dense.function(cells, levels))


@rows_of("cells", "levels", "sample_complexity", nothing="no curve reaches P*")
def dirt(cells: pd.DataFrame, levels: pd.DataFrame, complexity: pd.DataFrame) -> pd.DataFrame:
    """Differences of synonyms over those of latents at level 1, at the first P above P*.

    Of the dense curves of weakly identifiable grammars that reach P*.
    """
    reached = curves(complexity, net="shared").query("status == 'reached' and s0 == 0")
    own = levels_of(cells, levels)
    own = own[(own["level"] == 1) & (own["cell_gap"] >= LEAST_GAP)]
    own = own.merge(reached[["curve", "P_star"]], on="curve")
    own = own[own["P"] >= own["P_star"]]
    own = own[own["P"] == own.groupby("curve")["P"].transform("min")]
    return own.assign(ratio=own["within"] / own["between"])


@rows_of("cells")
def largest(cells: pd.DataFrame) -> pd.DataFrame:
    """Identifiable cells at the largest P of each dense curve with independent draws."""
    own = cells[(cells["draws"] == "independent") & (cells["s0"] == 0)]
    own = own[own["P"] == own.groupby(list(CURVE))["P"].transform("max")]
    return own[identifiable(own)]


@rows_of("cells", "sensitivities")
def learnt(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """S_{k,l}, k >= l, at the largest P of each curve that was learnt."""
    own = cells[cells["P"] == cells.groupby(list(CURVE))["P"].transform("max")]
    own = own[own["test_error"] <= THRESHOLD]
    rows = sensitivities.merge(own[["key", "seed"]].assign(grammar=names(own)), on="key")
    rows = rows[(rows["kind"] == "S") & (rows["n"] > 0)]
    return rows[rows["k"] >= rows["l"]]


def exponent(net: str, column: str, against: str, depth: int) -> Slope:
    """Exponent of m, or of s_0+1, in P* at one depth, of grammars that differ in it alone."""
    return Slope(
        "P_star", against=against,
        within=(*(one for one in CURVE if one != column), *(["seed"] if column == "s0" else [])),
        where={"net": net, "L": depth}, error="clusters", one_v=True,
        rows=stars.given(column=column), what="P*",
    )  # fmt: skip


ARTICLE = "article on arXiv 2601.19756"
CHAINING = f"{ARTICLE}, 'Layerwise Optimization'"
RATE = "0.1: it tells 1/2, the rate of noise, from 1 apart, with room for rare contents"
LATER = "; after a look: the interval by vocabularies, with fewer than three that of paired seeds"
WHOLE = (
    "0.35: below 0.5, so that no value is within the tolerance of two whole exponents; the claim"
    f" leaves o(1) open{LATER}"
)
needed = partial(
    Claim, topic="Points that the algorithm needs", figure="level_by_level_complexity",
    place=f"{ARTICLE}, 'The Power of Sample Complexity'",
)  # fmt: skip
of_level = partial(
    Claim, topic="Error of each level", figure="level_by_level_errors", place=CHAINING
)
condition = partial(
    Claim,
    topic="Clean signal and weak identifiability",
    figure="level_by_level_conditions",
    place=ARTICLE,
)
sparse = partial(Claim, topic="What empty places cost", figure="level_by_level_sparsity")

CLAIMS = (
    *(
        needed(
            f"m-exponent-L{depth}", f"P* ~ m^L: exponent of m at L = {depth}, v and n_c fixed",
            expected=Within(depth, 0.35), fixed="after", why=WHOLE,
            measure=exponent("shared", "m", "m", depth),
        )
        for depth in (2, 3)
    ),
    *(
        needed(
            f"law-{net}", f"{net}: P* ~ n_c m^L for v = m = n_c, slope of log P*",
            expected=Within(1, 0.25), fixed="after",
            why="0.25: an exponent of m that is wrong by one would be 1/3 (L = 2) or 1/4 (L = 3)"
            + LATER,
            measure=Slope(
                "P_star", against="law", within=("L",), where={"net": net}, error="clusters",
                rows=stars, what="curves",
            ),
        )
        for net in ("shared", "separate")
    ),
    *(
        of_level(
            f"error-by-level-L{depth}",
            f"error of level l ~ m^(-l/2), m synonyms: power per level, L = {depth}",
            expected=Within(0.5, 0.15),
            fixed="after",
            why="0.15: it tells 1/2 from 0 and from 1, the other reading's exponents, apart; after"
            " a look: intervals by vocabularies",
            measure=Mean("power", where={"L": depth}, rows=rates_in_m, error="clusters",
                         what="curves and seeds"),
        )
        for depth in (3, 4)
    ),
    *(
        of_level(
            f"error-root-of-samples-level-{level}",
            f"'inverse square root of the samples at each layer': power at l = {level}, L = 3",
            expected=Within(0.5, 0.1), why=f"{RATE}; after a look: intervals by vocabularies",
            fixed="after",
            measure=Mean(
                "power", where={"L": 3, "level": level}, rows=rates_in_P, error="clusters",
                what="curves and seeds",
            ),
        )
        for level in (1, 2)
    ),
    condition(
        "clean-signal", "clean signal: synonyms differ less than latents from P* on, ratio at P*",
        expected=Below(1), why="the bound is where synonyms differ as much as latents do",
        measure=Mean("ratio", scale="ratio", per=("curve",), rows=dirt, what="curves"),
    ),
    condition(
        "identifiable-are-learnt",
        "weakly identifiable grammars are learnt: class error at the largest P",
        expected=Below(THRESHOLD), why="the bound is the test error that defines P*",
        measure=Mean("test_error", rows=largest, what="grammars and nets"),
    ),
    condition(
        "insensitive-above", "S_{k,l} of learnt grammars for k >= l (1 where nothing is learnt)",
        figure="level_by_level_stages", place="section 5",
        expected=Below(0.5), why=FALL_REASON, measure=Mean(
            "value", per=("grammar", "seed"), rows=learnt, what="networks, over k and l"
        ),
    ),
    *(
        sparse(
            f"s0-{net}-L{depth}", f"{net}: exponent of s_0+1 in P* at L = {depth}",
            place=place, expected=Within(expected, 0.35), fixed="after", why=WHOLE,
            measure=exponent(net, "s0", "places", depth),
        )
        for net, depth, place, expected in (
            ("separate", 2, "Eq. 3", 2), ("separate", 3, "Eq. 3", 3),
            ("shared", 2, "Eq. 4", 2), ("shared", 3, "Eq. 4", 2),
        )
    ),
)  # fmt: skip
