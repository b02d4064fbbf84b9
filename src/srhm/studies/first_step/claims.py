"""Claims on the first step of gradient descent (appendix C of the paper)."""

from functools import partial

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import NoExpectation, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm.studies.first_step.scaling import all_data_ratio, equal_points, grouping_size, slopes


@rows_of("first_step", nothing="no grammars that differ in this only")
def exponents(table: pd.DataFrame, *, net: str, of: str, depth: int | None) -> pd.DataFrame:
    """Exponent of one parameter, or of the law, in the P at which noise equals signal, by seed."""
    return slopes(equal_points(table), net=net, of=of, depth=depth)


@rows_of("first_step", nothing="no grammar in which they begin to within its P")
def groupings(table: pd.DataFrame, *, kind: str) -> pd.DataFrame:
    """P at which a kind groups together over the law of the LCN, `ratio`, for each grammar."""
    own = table[(table["s0"] > 0) | (kind != "placements")]
    rows = []
    for (net, *_), part in own.groupby(["net", *GRAMMAR]):
        size, first = grouping_size(part, kind), part.iloc[0]
        law = (first["s0"] + 1) ** first["L"] * first["n_c"] * first["m"] ** first["L"]
        status = str(size.status)
        if status != "reached" and kind == "synonyms" and all_data_ratio(part) >= 1:
            status = "never"
        rows.append({"net": net, "ratio": np.exp(size.log_size) / law, "status": status})
    found = pd.DataFrame(rows, columns=["net", "ratio", "status"])
    reasons = {
        "never, not even for all data": found["status"] == "never",
        "at the smallest P already": found["status"] == "below_range",
        "not at the largest P": found["status"] != "reached",
    }
    return left_out(found, reasons)


step = partial(
    Claim, topic="First step of gradient descent (appendix C)", figure="first_step",
    expected=NoExpectation(), why="no source has a number",
)  # fmt: skip
of_lcn = partial(
    step, place="appendix C; Eq. 12",
    why="below 0.5, so that no value is within the tolerance of two whole exponents",
)  # fmt: skip
of_cnn = partial(step, place="appendix C says nothing of the CNN")
LETTERS = {"s0+1": "(s_0+1)", "m": "m", "n_c": "n_c"}


def _name(of: str, net: str, depth: int) -> str:
    return f"first-step-{of.replace('+1', '').replace('_', '')}-exponent-{net}-L{depth}"


def _exponent(net: str, of: str, depth: int | None = None) -> Mean:
    return Mean(
        "slope", rows=exponents.given(net=net, of=of, depth=depth),
        what="seeds, a fit for each", tells=("n_grammars",),
    )  # fmt: skip


CLAIMS = (
    of_lcn(
        "first-step-law-lcn",
        "LCN: noise = signal at P ~ (s_0+1)^L n_c m^L: slope of the logarithms",
        expected=Within(1, 0.15),
        why="0.15, as for P*: a factor 1.4 a decade; which parameter a misfit comes from is in the"
            " rows of the exponents",
        measure=_exponent("lcn", "law"),
    ),
    *(
        of_lcn(
            _name(of, "lcn", L),
            f"LCN: exponent of {LETTERS[of]} in the P of noise = signal, L = {L}",
            expected=Within(expected, 0.35), measure=_exponent("lcn", of, L),
        )
        for of, L, expected in (
            ("s0+1", 2, 2), ("s0+1", 3, 3), ("m", 2, 2), ("m", 3, 3), ("n_c", 2, 1)
        )
    ),
    *(
        of_cnn(
            _name("s0+1", "cnn", L),
            f"CNN: exponent of (s_0+1) in the P of noise = signal, L = {L} (Eq. 4 has 2)",
            measure=_exponent("cnn", "s0+1", L),
        )
        for L in (2, 3)
    ),
    *(
        step(
            f"first-step-{kind}-{net}",
            f"{net.upper()}: P where {words} group, over (s_0+1)^L n_c m^L",
            place="appendix C",
            measure=Mean(
                "ratio", scale="ratio", where={"net": net}, rows=groupings.given(kind=kind),
                what="grammars",
            ),
        )
        for kind, words in (("placements", "displaced copies"), ("synonyms", "synonyms"))
        for net in ("lcn", "cnn")
    ),
)  # fmt: skip
