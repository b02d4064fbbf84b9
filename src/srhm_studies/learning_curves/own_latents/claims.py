"""Claims on the points that counts need; all fixed before any curve was measured.

Source: arXiv 2605.27734 (m^3 from own latents at any depth, m^L from labels), and the signal and
noise of the counts, worked out in methods.md, where the article says nothing.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from srhm.scorecard.complexity_rows import of_seeds
from srhm.scorecard.expectations import Below, Factor, Within
from srhm.scorecard.sheet import Sheet, rows_of
from srhm_studies.learning_curves.learner import curve_names, differing, uncensored
from srhm_studies.learning_curves.own_latents.analysis import CURVE, WRONG, noises, open_part


@rows_of("sample_complexity", "cells", nothing="no two curves that differ in this alone", what="P*")
def stars(
    complexity: pd.DataFrame, cells: pd.DataFrame, *, column: str = "", along: Sequence[str] = ()
) -> pd.DataFrame:
    """P* of all levels; with a column, of dense curves (or any, of s0) that differ in it alone.

    P_open: P* times the fraction of tuples that is not in use, for the context. P_per_m: P* divided
    by m^L, for the class.
    """
    rows = complexity[complexity["criterion"] == "wrong"]
    rows = rows if column == "s0" else rows[rows["s0"] == 0]
    rows = rows[open_part(rows) > 0]
    rows = differing(rows, column, CURVE, along=along) if column else rows
    by_curve = cells.assign(curve=curve_names(cells, CURVE), test_error=cells["wrong"])
    rows = of_seeds(rows, by_curve, threshold=WRONG)
    per_m = rows["L"].where(rows["target"] == "class", 0)
    return uncensored(rows.assign(
        places=rows["s0"] + 1, P_open=rows["P_star"] * open_part(rows),
        P_per_m=rows["P_star"] / rows["m"].astype(float) ** per_m,
    ))  # fmt: skip


@rows_of("sample_complexity", nothing="no curve with a P* of both", what="curves")
def levels(complexity: pd.DataFrame) -> pd.DataFrame:
    """P* of all levels over that of the first, `ratio`, of curves of three levels or more."""
    rows = complexity[(complexity["status"] == "reached") & (complexity["L"] > 2)]
    wide = rows.pivot_table(index=list(CURVE), columns="criterion", values="P_star").reset_index()
    if not {"wrong", "wrong_first"} <= set(wide):
        return pd.DataFrame()
    return wide.assign(ratio=wide["wrong"] / wide["wrong_first"]).dropna()


@rows_of("cells", nothing="no two curves that differ in this alone", what="grammars")
def equal_noise(cells: pd.DataFrame, *, column: str, along: Sequence[str] = ()) -> pd.DataFrame:
    """`noises` of dense curves (or any, of s0) that differ in a column alone."""
    rows = noises(cells)
    rows = rows if column == "s0" else rows[rows["s0"] == 0]
    rows = rows.assign(P_open=rows["P_noise"] * open_part(rows))
    return differing(rows, column, CURVE, along=along)


@rows_of("cells", what="grammars")
def full(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells at the largest P of curves whose tuples are all in use."""
    in_use = cells[cells["m"] == cells["v"] ** (cells["s"] - 1)]
    return in_use[in_use["P"] == in_use.groupby(list(CURVE))["P"].transform("max")]


ARTICLE = "arXiv 2605.27734"
COUNT = "signal and noise of the counts"
WHOLE = "0.35: below 0.5, so that no value is within the tolerance of two whole exponents"
HALF = (
    "0.5: clusters average over the synonyms of a latent, which changes P* by up to a root of v/m,"
    " and logarithms add; exponents that differ by one are still told apart"
)
EXACT = "0.3: noise divided by signal is a mean over grammars, with corrections of 1/m and 1/v"


def others(*columns: str) -> list[str]:
    """Coordinates of a curve but these."""
    return [name for name in CURVE if name not in columns]


def exponent(target: str, net: str, column: str, **where: int) -> Any:
    """Exponent of s_0+1 or m in P*."""
    against, seed = ("places", ["seed"]) if column == "s0" else (column, [])
    return stars.given(column=column).slope(
        "P_open", against, within=(*others(column), *seed), error="clusters", one_v=True,
        **{"s": 2, "target": target, "net": net, **where},
    )  # fmt: skip


def of_noise(net: str, column: str, L: int, *along: str) -> Any:
    """Exponent in the P at which noise equals signal, of the context."""
    against, per = ("places", ("v", "m", "seed")) if column == "s0" else (column, ())
    return equal_noise.given(column=column, along=along).slope(
        "P_open", against, within=tuple(others(column, *along)), per=per,
        s=2, target="context", net=net, L=L,
    )  # fmt: skip


COUNTED = {"context": "cousins", "parent": "parents", "class": "labels"}
AT = {"shared": "pooled across positions", "separate": "at each position"}

sheet = Sheet()
topic = partial(sheet.topic, figure="own_latents", place=COUNT)
say = topic("Synonyms")
for target, least, value, place in (
    ("context", 2, 3, ARTICLE), ("parent", 3, 2, COUNT), ("class", 2, 0, ARTICLE),
):  # fmt: skip
    for L in range(least, 5):
        unused = " (1 - m/v^(s-1))" if target == "context" else ""
        say(f"m-{target}-L{L}",
            f"Counts of {COUNTED[target]} {AT['shared']}: exponent of m in P*{unused}, L = {L}",
            exponent(target, "shared", "m", L=L), Within(value or L, 0.5), HALF,
            place=place)  # fmt: skip
say("v-context",
    "Counts of cousins pooled across positions: exponent of v in P* (1 - m/v^(s-1)), L = 3",
    stars.given(column="v", along=("n_c",)).slope(
        "P_open", "v", within=others("v", "n_c"), target="context", net="shared", L=3,
        error="clusters", what="curves"), Within(0.25, 0.35),
    "between 0 (all synonyms determine the centre of their cluster) and 1/2 (few do); a single"
    " coordinate would have 1")  # fmt: skip
for target, expected, why in (
    ("context", Within(1, 0.1), "cousins are then independent: chance, at the worst level"),
    ("class", Below(WRONG), "the bound defines P*"),
):
    say(f"full-{target}",
        f"Counts of {COUNTED[target]} {AT['shared']}: fraction of wrong pairs, m = v^(s-1)",
        full.mean("wrong", target=target, net="shared"), expected, why)  # fmt: skip

say = topic("Depth")
OF_CLASS = (1, 1.7, "1.7: below the root of m = 3, so that no other exponent of m is within it")
for target, net, (factor, within, why) in (
    ("context", "separate", (1, 1.5, "1.5: it tells 1 from m, what labels pay, for m = 3 and"
                                     " more")),
    ("context", "shared", (0.5, 1.5, "a datum has s times the parents, which are pooled; 1.5 as for"
                                     " separate")),
    ("class", "shared", OF_CLASS), ("class", "separate", OF_CLASS),
):  # fmt: skip
    for L in (2, 3):
        say(f"{target}-{net}-L{L + 1}-over-L{L}",
            f"Counts of {COUNTED[target]} {AT[net]}: P*(L = {L + 1}) /"
            f" {'m ' * (target == 'class')}P*(L = {L})",
            stars.ratio("P_per_m", target=target, net=net, L=L + 1, over={"L": L}, on=others("L"),
                        scale="log", note_by=("v", "m"), what="grammars"), Factor(factor, within),
            why, place=COUNT if net == "shared" else ARTICLE)  # fmt: skip
for target in ("context", "class"):
    say(f"first-{target}",
        f"Counts of {COUNTED[target]}: P* of all levels divided by P* of level 1, L = 3 and 4",
        levels.mean("ratio", target=target, scale="log"), Factor(1, 1.25),
        "1.25: less than a step of P, of 2")  # fmt: skip

say = topic("Empty positions without labels", why=WHOLE)
for target, range_of_L in {"context": (2, 3, 4), "parent": (3,), "class": (2, 3)}.items():
    for net in ("shared", "separate"):
        for L in range_of_L:
            say(f"s0-{target}-{net}-L{L}",
                f"Counts of {COUNTED[target]} {AT[net]}: exponent of s_0+1 in P*, L = {L}",
                exponent(target, net, "s0", L=L),
                Within(2 if net == "shared" else L + 1, 0.35))  # fmt: skip
for target in ("context", "class"):
    say(f"s0-{target}-shared-L2-s3",
        f"Counts of {COUNTED[target]} {AT['shared']}: exponent of s_0+1 in P*, L = 2, s = 3",
        exponent(target, "shared", "s0", s=3, L=2), Within(3, 0.35))  # fmt: skip

say = topic("Where noise equals signal", why=EXACT)
for letter, value, along in (("m", 3, ()), ("v", 1, ("n_c",))):
    say(f"noise-{letter}",
        f"Counts of cousins {AT['shared']}: exponent of {letter} in P (1 - m/v^(s-1)) at noise ="
        " signal, L = 3", of_noise("shared", letter, 3, *along), Within(value, 0.3))  # fmt: skip
for net, L, value in (("shared", 3, 2), ("separate", 2, 5), ("separate", 3, 6)):
    say(f"noise-s0-{net}-L{L}",
        f"Counts of cousins {AT[net]}: exponent of s_0+1 in the P of noise = signal, L = {L}",
        of_noise(net, "s0", L), Within(value, 0.3))  # fmt: skip

CLAIMS = sheet.finished(
    committed={
        "m-parent-* v-context full-* context-shared-* class-shared-* first-* noise-*"
        " s0-context-*-L? s0-parent-* s0-class-*-L?": "2026-11-25, 4e7975f6",
        "s0-*-shared-L2-s3": "2026-11-25, b71226c1",
    }
)
