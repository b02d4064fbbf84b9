"""Claims on the first step of gradient descent (appendix C of the paper)."""

from functools import partial
from math import isfinite, log, nan

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import as_ratio, no_points, of_points
from srhm.statistics.regression import mean
from srhm.studies.first_step.scaling import all_data_ratio, equal_points, exponent, grouping_size


def first_step_exponent(
    tables: Tables, *, net: str, of: str, depth: int | None = None
) -> Measurement:
    """Exponent of one parameter, or of the law, in the P at which noise equals signal."""
    table = tables.get("first_step", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    points = equal_points(table)
    fit = exponent(points, net=net, of=of, depth=depth)
    if not fit.n:
        return no_points("no grammars that differ in this only")
    own = points[(points["net"] == net) & ((points["L"] == depth) | (depth is None))]
    n = len(own[list(GRAMMAR)].drop_duplicates())
    return of_points(fit, "seeds, a fit for each", f"{n} grammars at this L" if depth else "")


def grouping(tables: Tables, *, net: str, kind: str) -> Measurement:
    """Mean over grammars of log of the P at which a kind groups together over the law of the LCN.

    Only grammars in which it does within the P of the table; the note counts the others.
    """
    table = tables.get("first_step", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    own = table[table["net"] == net]
    own = own[own["s0"] > 0] if kind == "placements" else own
    logs, never, early, late = [], 0, 0, 0
    for _, rows in own.groupby(list(GRAMMAR)):
        found = grouping_size(rows, kind)
        first = rows.iloc[0]
        law = (first["s0"] + 1) ** first["L"] * first["n_c"] * first["m"] ** first["L"]
        if found.status == "reached":
            logs.append(found.log_size - log(law))
        elif kind == "synonyms" and all_data_ratio(rows) >= 1:
            never += 1
        elif found.status == "below_range":
            early += 1
        else:
            late += 1
    counts = {"never, not even for all data": never, "at the smallest P already": early,
              "not at the largest P": late}  # fmt: skip
    note = ", ".join(f"{number} {words}" for words, number in counts.items() if number)
    if not logs:
        return no_points(f"no grammar in which they begin to within its P; {note}")
    return as_ratio(of_points(mean(np.array(logs), []), "grammars (geometric mean)", note))


# Reasons of the tolerances, fixed before anything was measured.
SLOPE_REASON = (
    "0.15, as for P*: a factor 1.4 a decade; which parameter a misfit comes from is in the rows of"
    " the exponents"
)
EXPONENT_REASON = "below 0.5, so that no value is within the tolerance of two whole exponents"
NO_REASON = "no source has a number"

TOPIC = "First step of gradient descent (appendix C)"
FIGURE = "first_step"


def _exponents() -> list[Claim]:
    rows: list[tuple[str, str, str, int, float]] = [
        ("s0+1", "(s_0+1)", "lcn", 2, 2),
        ("s0+1", "(s_0+1)", "lcn", 3, 3),
        ("m", "m", "lcn", 2, 2),
        ("m", "m", "lcn", 3, 3),
        ("n_c", "n_c", "lcn", 2, 1),
        ("s0+1", "(s_0+1)", "cnn", 2, nan),
        ("s0+1", "(s_0+1)", "cnn", 3, nan),
    ]
    return [
        Claim(
            identifier=f"first-step-{of.replace('+1', '').replace('_', '')}-exponent-{net}-L{L}",
            topic=TOPIC,
            figure=FIGURE,
            statement=f"{net.upper()}: exponent of {letter} in the P of noise = signal, L = {L}"
            + (" (Eq. 4 has 2)" if net == "cnn" else ""),
            place="appendix C; Eq. 12" if net == "lcn" else "appendix C says nothing of the CNN",
            expected=expected,
            tolerance=0.35 if isfinite(expected) else nan,
            tolerance_reason=EXPONENT_REASON if isfinite(expected) else NO_REASON,
            measure=partial(first_step_exponent, net=net, of=of, depth=L),
        )
        for of, letter, net, L, expected in rows
    ]


def _grouping_claims() -> list[Claim]:
    words = {"placements": "displaced copies", "synonyms": "synonyms"}
    return [
        Claim(
            identifier=f"first-step-{kind}-{net}",
            topic=TOPIC,
            figure=FIGURE,
            statement=f"{net.upper()}: P where {words[kind]} group, over (s_0+1)^L n_c m^L",
            place="appendix C",
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(grouping, net=net, kind=kind),
        )
        for kind in words
        for net in ("lcn", "cnn")
    ]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        identifier="first-step-law-lcn",
        topic=TOPIC,
        figure=FIGURE,
        statement="LCN: noise = signal at P ~ (s_0+1)^L n_c m^L: slope of the logarithms",
        place="appendix C; Eq. 12",
        expected=1,
        tolerance=0.15,
        tolerance_reason=SLOPE_REASON,
        measure=partial(first_step_exponent, net="lcn", of="law"),
    ),
    *_exponents(),
    *_grouping_claims(),
)
