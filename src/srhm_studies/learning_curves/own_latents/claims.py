"""Claims on the points that counts need; all fixed before any curve was measured.

Source: arXiv 2605.27734 (m^3 from own latents at any depth, m^L from labels), and the signal and
noise of the counts, worked out in methods.md, where the article says nothing.
"""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim, predictions
from srhm.scorecard.complexity_rows import of_seeds
from srhm.scorecard.estimators import Mean, Ratio, Slope
from srhm.scorecard.expectations import Below, Factor, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm_studies.learning_curves.own_latents.analysis import (
    CURVE,
    WRONG,
    differing,
    names,
    noises,
    open_part,
)


@rows_of("sample_complexity", "cells", nothing="no two curves that differ in this alone")
def stars(
    complexity: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    column: str = "",
    along: Sequence[str] = (),
) -> pd.DataFrame:
    """P* of all levels; with a column, of dense curves (or any, of s0) that differ in it alone.

    P_open: P* times the part of tuples that is not in use, for the context. P_per_m: P* over m^L,
    for the class.
    """
    rows = complexity[complexity["criterion"] == "wrong"]
    rows = rows if column == "s0" else rows[rows["s0"] == 0]
    rows = rows[open_part(rows) > 0]
    rows = differing(rows, column, along=along) if column else rows
    own = cells.assign(curve=names(cells), test_error=cells["wrong"])
    rows = of_seeds(rows, own, threshold=WRONG)
    per_m = rows["L"].where(rows["target"] == "class", 0)
    return left_out(
        rows.assign(
            places=rows["s0"] + 1,
            P_open=rows["P_star"] * open_part(rows),
            P_per_m=rows["P_star"] / rows["m"].astype(float) ** per_m,
        ),
        {"not reached": rows["status"] == "not_reached",
         "below the range": rows["status"] != "reached"},
    )  # fmt: skip


@rows_of("sample_complexity", nothing="no curve with a P* of both")
def levels(complexity: pd.DataFrame) -> pd.DataFrame:
    """P* of all levels over that of the first, `ratio`, of curves of three levels or more."""
    rows = complexity[(complexity["status"] == "reached") & (complexity["L"] > 2)]
    wide = rows.pivot_table(index=list(CURVE), columns="criterion", values="P_star").reset_index()
    if not {"wrong", "wrong_first"} <= set(wide):
        return pd.DataFrame()
    return wide.assign(ratio=wide["wrong"] / wide["wrong_first"]).dropna()


@rows_of("cells", nothing="no two curves that differ in this alone")
def equal_noise(cells: pd.DataFrame, *, column: str, along: Sequence[str] = ()) -> pd.DataFrame:
    """`noises` of dense curves (or any, of s0) that differ in a column alone."""
    rows = noises(cells)
    rows = rows if column == "s0" else rows[rows["s0"] == 0]
    rows = rows.assign(P_open=rows["P_noise"] * open_part(rows))
    return differing(rows, column, along=along)


@rows_of("cells")
def full(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells at the largest P of curves whose tuples are all in use."""
    own = cells[cells["m"] == cells["v"] ** (cells["s"] - 1)]
    return own[own["P"] == own.groupby(list(CURVE))["P"].transform("max")]


ARTICLE = "arXiv 2605.27734"
COUNT = "signal and noise of the counts"
WHOLE = "0.35: below 0.5, so that no value is within the tolerance of two whole exponents"
HALF = (
    "0.5: clusters average over the synonyms of a latent, which takes up to a root of v/m, and"
    " logarithms add; whole exponents are still told apart by one"
)
EXACT = "0.3: noise over signal is a mean over grammars, with corrections of 1/m and 1/v"
along_s0 = partial(Claim, topic="Empty places without labels", figure="own_latents", why=WHOLE)
depth = partial(Claim, topic="Depth", figure="own_latents")
noisy = partial(Claim, topic="Where noise equals signal", figure="own_latents", place=COUNT)


def exponent(target: str, net: str, column: str, where: dict[str, int]) -> Slope:
    """Exponent of s_0+1 or m in P*."""
    return Slope(
        "P_open", against="places" if column == "s0" else column,
        within=(*(one for one in CURVE if one != column), *(["seed"] if column == "s0" else [])),
        where={"s": 2, "target": target, "net": net, **where}, error="clusters", one_v=True,
        rows=stars.given(column=column), what="P*",
    )  # fmt: skip


def of_noise(net: str, column: str, where: dict[str, int], *, along: tuple[str, ...] = ()) -> Slope:
    """Exponent in the P at which noise equals signal, of the context."""
    return Slope(
        "P_open", against="places" if column == "s0" else column,
        within=tuple(name for name in CURVE if name not in (column, *along)),
        where={"s": 2, "target": "context", "net": net, **where},
        per=("v", "m", "seed") if column == "s0" else (),
        rows=equal_noise.given(column=column, along=along), what="grammars",
    )  # fmt: skip


def ratio(target: str, net: str, L: int) -> Ratio:
    """P* at L + 1 over that at L, of the label over m."""
    return Ratio(
        "P_per_m", where={"target": target, "net": net, "L": L + 1}, over={"L": L},
        on=[name for name in CURVE if name != "L"], scale="log", what="grammars", alone=("v", "m"),
        rows=stars,
    )  # fmt: skip


def deeper(target: str, net: str, L: int, *, factor: float, reason: str, within: float) -> Claim:
    """`ratio` as a claim."""
    per_m = ", over m" if target == "class" else ""
    return depth(
        f"{target}-{net}-L{L + 1}-over-L{L}",
        f"{target}, {net}: P*(L = {L + 1}) over P*(L = {L}){per_m}",
        place=COUNT if net == "shared" else ARTICLE,
        expected=Factor(factor, within), why=reason, measure=ratio(target, net, L),
    )  # fmt: skip


STATED = (
    *(
        Claim(
            f"m-{target}-L{L}",
            f"{target}, shared: exponent of m in P* at L = {L}"
            f"{', P* times 1 - m/v^(s-1)' if target == 'context' else ''}",
            topic="Synonyms", figure="own_latents", place=place,
            expected=Within(power, 0.5), why=HALF,
            measure=exponent(target, "shared", "m", {"L": L}),
        )
        for target, L, power, place in (
            ("context", 2, 3, ARTICLE), ("context", 3, 3, ARTICLE), ("context", 4, 3, ARTICLE),
            ("parent", 3, 2, COUNT), ("parent", 4, 2, COUNT),
            ("class", 2, 2, ARTICLE), ("class", 3, 3, ARTICLE), ("class", 4, 4, ARTICLE),
        )
    ),
    Claim(
        "v-context", "context, shared: exponent of v in P* at L = 3, P* times 1 - m/v^(s-1)",
        topic="Synonyms", figure="own_latents", place=COUNT, expected=Within(0.25, 0.35),
        why="between 0 (all synonyms tell the centre of their cluster) and 1/2 (few do); a"
        " coordinate on its own would say 1",
        measure=Slope(
            "P_open", against="v", within=[name for name in CURVE if name not in ("v", "n_c")],
            where={"target": "context", "net": "shared", "L": 3}, error="clusters",
            rows=stars.given(column="v", along=("n_c",)), what="curves",
        ),
    ),
    *(
        Claim(
            f"full-{target}",
            f"{target}, shared: wrong pairs at the largest P, all tuples in use (m = v^(s-1))",
            topic="Synonyms", figure="own_latents", place=COUNT, expected=expected, why=why,
            measure=Mean("wrong", where={"target": target, "net": "shared"}, rows=full,
                         what="grammars"),
        )
        for target, expected, why in (
            ("context", Within(1, 0.1), "cousins are then independent: chance, at the worst level"),
            ("class", Below(WRONG), "the bound defines P*"),
        )
    ),
    *(
        deeper("context", "separate", L, factor=1, within=1.5,
               reason="1.5: it tells 1 from m, what labels pay, for m = 3 and more")
        for L in (2, 3)
    ),
    *(
        deeper("context", "shared", L, factor=0.5, within=1.5,
               reason="a datum has s times the parents, which are pooled; 1.5 as for separate")
        for L in (2, 3)
    ),
    *(
        deeper("class", net, L, factor=1, within=1.7,
               reason="1.7: below the root of m = 3, so that no other power of m will do")
        for net in ("shared", "separate") for L in (2, 3)
    ),
    *(
        depth(
            f"first-{target}", f"{target}: P* of all levels over that of level 1, L = 3, 4",
            place=COUNT, expected=Factor(1, 1.25), why="1.25: less than a step of P, of 2",
            measure=Mean("ratio", scale="log", where={"target": target}, rows=levels,
                         what="curves"),
        )
        for target in ("context", "class")
    ),
    *(
        along_s0(
            f"s0-{target}-{net}-L{L}", f"{target}, {net}: exponent of s_0+1 in P* at L = {L}",
            place=COUNT, expected=Within(2 if net == "shared" else L + 1, 0.35),
            measure=exponent(target, net, "s0", {"L": L}),
        )
        for target, net, depths in (
            ("context", "shared", (2, 3, 4)), ("context", "separate", (2, 3, 4)),
            ("parent", "shared", (3,)), ("parent", "separate", (3,)),
            ("class", "shared", (2, 3)), ("class", "separate", (2, 3)),
        )
        for L in depths
    ),
    *(
        along_s0(
            f"s0-{target}-shared-L2-s3",
            f"{target}, shared: exponent of s_0+1 in P* at L = 2, s = 3",
            place=COUNT, expected=Within(3, 0.35),
            measure=exponent(target, "shared", "s0", {"s": 3, "L": 2}),
        )
        for target in ("context", "class")
    ),
    noisy(
        "noise-m", "context, shared: exponent of m at noise = signal, L = 3, times"
        " 1 - m/v^(s-1)", expected=Within(3, 0.3), why=EXACT,
        measure=of_noise("shared", "m", {"L": 3}),
    ),
    noisy(
        "noise-v", "context, shared: exponent of v at noise = signal, L = 3, times"
        " 1 - m/v^(s-1)", expected=Within(1, 0.3), why=EXACT,
        measure=of_noise("shared", "v", {"L": 3}, along=("n_c",)),
    ),
    *(
        noisy(
            f"noise-s0-{net}-L{L}",
            f"context, {net}: exponent of s_0+1 where noise equals signal, L = {L}",
            expected=Within(power, 0.3), why=EXACT, measure=of_noise(net, "s0", {"L": L}),
        )
        for net, L, power in (("shared", 3, 2), ("separate", 2, 5), ("separate", 3, 6))
    ),
)  # fmt: skip

CLAIMS = predictions(
    STATED,
    {
        "m-parent-* v-context full-* context-shared-* class-shared-* first-* noise-*"
        " s0-context-*-L? s0-parent-* s0-class-*-L?": "2026-11-25, 4e7975f6",
        "s0-*-shared-L2-s3": "2026-11-25, b71226c1",
    },
)
