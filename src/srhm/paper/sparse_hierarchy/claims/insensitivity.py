"""Claims on the sensitivities of hidden layers and output (sections 5, 6, appendices D, E).

S_{k,l} and D_{k,l} are sensitivities of layer k to level l: k = L+1 is the output, l = 1 the input.

They are those of each grammar; what several grammars give is averaged over them.
"""

from itertools import product
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.complexity_rows import (
    LEARNT,
    LEAST_RATIO,
    MIN_FALL,
    NO_CURVES,
    UNLEARNT,
    log_half_way,
    main_curves,
    of_living,
)
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Below, Expectation, Factor
from srhm.scorecard.rows import left_out, rows_of

# Which sensitivities of the output a claim is about: rows with l and layer -> a mask of them.
ENTRIES = {
    "output below top": lambda rows: (rows["layer"] == "output") & (rows["l"] < rows["L"]),
    # Where an exchange of synonyms keeps of a datum its class alone.
    "output at top": lambda rows: (rows["layer"] == "output") & (rows["l"] == rows["L"]),
}
ABOVE_A_TENTH = "above a tenth of the data"
# What tells grammars of the curves, and sensitivities of one, apart.
UNIT, ENTRY = ["curve", "seed"], ["kind", "layer", "k", "l"]


@rows_of(main_curves, "cells", nothing=NO_CURVES)
def learning_curves(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Grammars of the main curves with first and last P, the test errors there, and who learns."""
    errors = cells.loc[cells["curve"].isin(rows["curve"]), [*UNIT, "P", "test_error"]]
    ends = errors.rename(columns={"test_error": "error"}).sort_values("P").groupby(UNIT)
    for end, found in (("first", ends.head(1)), ("last", ends.tail(1))):
        named = {name: f"{name}_{end}" for name in ("P", "error")}
        rows = rows.merge(found.rename(columns=named), on=UNIT)
    return left_out(
        rows,
        {
            ABOVE_A_TENTH: rows["small_pool"].astype(bool),
            f"whose test error ends above {LEARNT:.0%}": ~(rows["error_last"] < LEARNT),
        },
    )


def _of_text(rows: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """The text's sensitivities of these curves: UNIT, ENTRY, P, value."""
    chosen = (sensitivities["variant"] == "text") & (sensitivities["n"] > 0)
    chosen &= sensitivities["curve"].isin(rows["curve"])
    return sensitivities.loc[chosen, [*UNIT, *ENTRY, "P", "value"]]


def _ends(rows: pd.DataFrame, felt: pd.DataFrame) -> pd.DataFrame:
    """Sensitivities at the first and last P of each grammar: first, last, log_ratio."""
    entry = [*UNIT, *ENTRY]
    found = rows[[*UNIT, "L", "P_first", "P_last"]]
    found = found.merge(felt[entry].drop_duplicates(), on=UNIT)
    for end in ("first", "last"):
        names = {"P": f"P_{end}", "value": end}
        found = found.merge(felt.rename(columns=names), on=[*entry, f"P_{end}"])
    found = found[(found["first"] > 0) & found["last"].notna()]
    ratio = (found["last"] / found["first"]).clip(lower=LEAST_RATIO)
    return found.assign(log_ratio=np.log(ratio))


def _starting_unlearnt(rows: pd.DataFrame) -> pd.DataFrame:
    """The same; those whose test error starts too low are left out, too."""
    known = rows["left_out"] != ""
    words = f"whose test error starts below {UNLEARNT:.0%}"
    return rows.assign(
        left_out=rows["left_out"].mask(~known & ~(rows["error_first"] > UNLEARNT), words)
    )


def _of_curve(rows: pd.DataFrame, values: pd.Series, kind: str) -> pd.DataFrame:
    """Each grammar with its value; those without one are left out.

    Curves of other depths have no such entry, those with s_0 = 0 or m = 1 nothing to transform.
    """
    rows = rows.merge(values.rename("value").reset_index(), on=UNIT, how="left")
    lacks = (rows["left_out"] == "") & rows["value"].isna()
    return rows.assign(left_out=rows["left_out"].mask(lacks, f"without such a {kind}"))


@rows_of(learning_curves, of_living, nothing=NO_CURVES)
def falls(rows: pd.DataFrame, sensitivities: pd.DataFrame, *, kind: str) -> pd.DataFrame:
    """S_{k,l} or D_{k,l} of k > l at the largest over that at the smallest P of each curve: value.

    Of hidden layers, the ratio of that which falls least. Curves need a test error that falls from
    above 30 % to below 10 % within their window; windows differ between curves.
    """
    rows = _starting_unlearnt(rows)
    ends = _ends(rows, _of_text(rows, sensitivities))
    own = ends[(ends["kind"] == kind) & (ends["layer"] != "output") & (ends["k"] > ends["l"])]
    values = np.exp(own.groupby(UNIT, sort=False)["log_ratio"].max())
    return _of_curve(rows, values, kind)


@rows_of(learning_curves, of_living, nothing=NO_CURVES)
def remains(
    rows: pd.DataFrame, sensitivities: pd.DataFrame, *, kind: str, entries: str
) -> pd.DataFrame:
    """Sensitivity at the largest P of each curve whose test error there is below 10 %: value.

    Of several entries of a curve the largest counts.
    """
    ends = _ends(rows, _of_text(rows, sensitivities))
    own = ends[(ends["kind"] == kind) & ENTRIES[entries](ends)]
    return _of_curve(rows, own.groupby(UNIT, sort=False)["last"].max(), kind)


@rows_of(learning_curves, of_living, nothing=NO_CURVES)
def delays(rows: pd.DataFrame, sensitivities: pd.DataFrame, *, kinds: str) -> pd.DataFrame:
    """P_half over another of each curve, geometric mean over the levels: value.

    P_half is where the output's sensitivity has fallen half-way, to the geometric mean of its
    values at the smallest and the largest P. kinds: "S" or "D": that of the levels l = 2 ... L over
    that of l = 1; "SD": that of D over that of S. A curve enters if it has one at every level.
    """
    rows = _starting_unlearnt(rows)
    learning = rows[rows["left_out"] == ""]
    felt = _of_text(learning, sensitivities)
    own = felt[(felt["layer"] == "output") & felt["kind"].isin(list(kinds))]
    halves = {
        key: log_half_way(*part[["P", "value"]].to_numpy(dtype=float).T)
        for key, part in own.sort_values("P").groupby([*UNIT, "kind", "l"])
    }
    values = {}
    for *unit, depth in learning[[*UNIT, "L"]].itertuples(index=False):
        levels = range(1, depth + 1)
        entries = product(kinds, levels)
        half = {(kind, k): halves.get((*unit, kind, k), nan) for kind, k in entries}
        if kinds == "SD":
            each = [half["D", k] - half["S", k] for k in levels]
        else:
            each = [half[kinds, k] - half[kinds, 1] for k in levels[1:]]
        if np.isfinite(list(half.values())).all() and each:
            values[tuple(unit)] = float(np.exp(np.mean(each)))
    rows = rows.assign(value=[values.get(unit, nan) for unit in rows[UNIT].itertuples(index=False)])
    lacks = (rows["left_out"] == "") & rows["value"].isna()
    words = f"in which {' or '.join(kinds)} of the output does not fall by {MIN_FALL:g} everywhere"
    return rows.assign(left_out=rows["left_out"].mask(lacks, words))


NETS = ("lcn", "cnn")
FIGURES = {"lcn": "12", "cnn": "15"}
APPENDICES = {"lcn": "appendix D", "cnn": "appendix E"}
WORDS = {"S": "synonyms", "D": "diffeomorphisms"}
OF_GRAMMARS: Any = {"error": "clusters", "what": "grammars", "alone": ("L",), "tells": ("width",)}
A_FALL = (
    "the bound is no change: the paper gives no number for 'significantly lower', and how far a"
    " sensitivity falls depends on the smallest and the largest P. Changed after a look, before"
    " one half"
)
LEARNT_D = (
    Below(0.1),
    "0.1: insensitivity is 0, and 10 % is the value that the paper takes for a learnt invariance"
    " (D_2 of LCNs); above it a tenth of the variance between data is left",
)
LEARNT_S = (
    Below(0.2),
    "0.2: insensitivity is 0, and 20 % is the smallest of the values that the paper takes for a"
    " learnt invariance to synonyms (20 to 50 %). Changed after a look, before 0.1, which is"
    " that of D_2",
)
L2: dict[str, int] = {"L": 2}
L3: dict[str, int] = {"L": 3}
# The largest of one level (L = 2) and of two (L = 3) are two measurements.
REMAINS: tuple[tuple[str, str, str, str, dict[str, int], tuple[Expectation, str]], ...] = (
    ("S", "lower-L2", "level l = 1, L = 2", "output below top", L2, LEARNT_S),
    ("S", "lower-L3", "largest of l = 1, 2, L = 3", "output below top", L3, LEARNT_S),
    ("D", "lower-L2", "level l = 1, L = 2", "output below top", L2, LEARNT_D),
    ("D", "lower-L3", "largest of l = 1, 2, L = 3", "output below top", L3, LEARNT_D),
    ("D", "top", "level l = L", "output at top", {}, LEARNT_D),
)
ONSETS = (
    ("s-onset-of-levels", "S", "half-way P of S, levels l ≥ 2 over l = 1"),
    ("d-onset-of-levels", "D", "half-way P of D, levels l ≥ 2 over l = 1"),
    ("onset-of-d-and-s", "SD", "half-way P of D over that of S at equal levels"),
)

# What is expected was fixed before anything was measured, but where `fixed` says so.
INSENSITIVITY_CLAIMS: tuple[Claim, ...] = (
    *(Claim(
        f"{kind.lower()}-hidden-falls-{net}",
        f"{net.upper()}: {kind}_k,l of hidden layers k ≥ l+1, the one that falls least",
        topic="Sensitivities fall: their value at the largest over that at the smallest P",
        figure=FIGURES[net], place=APPENDICES[net],
        expected=Below(1), why=A_FALL, fixed="after",
        measure=Mean("value", scale="ratio", where={"net": net}, **OF_GRAMMARS,
                     rows=falls.given(kind=kind)),
    ) for net in NETS for kind in "SD"),
    *(Claim(
        f"{kind.lower()}-output-{name}-remains-{net}",
        f"{net.upper()}: output insensitive to {WORDS[kind]}: {kind} of {says}",
        topic="The output becomes insensitive at every level: sensitivities at the largest P",
        figure=FIGURES[net], place="section 5",
        expected=expected, why=why,
        fixed="after" if depth else "before",
        measure=Mean("value", where={"net": net, **depth}, **OF_GRAMMARS,
                     rows=remains.given(kind=kind, entries=entries)),
    ) for net in NETS for kind, name, says, entries, depth, (expected, why) in REMAINS),
    *(Claim(
        f"{name}-{net}", f"{net.upper()}: {says}",
        topic="All levels in one go: where the output's sensitivities have fallen half-way",
        figure=FIGURES[net], place="section 6",
        expected=Factor(1, within=1.5),
        why="×1.5: about a step of our grid of P (a factor 1.4), while the test error falls from"
            " 0.8 to 0.01 within a factor 4-8; levels learnt one after the other would each be such"
            " a fall apart",
        measure=Mean("value", scale="log", where={"net": net}, read=2, **OF_GRAMMARS,
                     rows=delays.given(kinds=kinds)),
    ) for net in NETS for name, kinds, says in ONSETS),
)  # fmt: skip
