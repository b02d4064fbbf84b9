"""Claims on the first step of gradient descent (appendix C of the paper)."""

from functools import partial

import pandas as pd

from srhm.plane.first_step.analysis import equal_points, slopes
from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Within
from srhm.scorecard.rows import rows_of


@rows_of("first_step", nothing="no grammars that differ in this only")
def exponents(table: pd.DataFrame, *, of: str, depth: int | None) -> pd.DataFrame:
    """Exponent of one parameter, or of the law, in the P of noise = signal, LCN, by seed."""
    return slopes(equal_points(table), net="lcn", of=of, depth=depth)


of_lcn = partial(
    Claim, topic="First step of gradient descent (appendix C)", figure="first_step",
    place="appendix C; Eq. 12",
    why="below 0.5, so that no value is within the tolerance of two whole exponents",
)  # fmt: skip
LETTERS = {"s0+1": "(s_0+1)", "m": "m", "n_c": "n_c"}


def _exponent(of: str, depth: int | None = None) -> Mean:
    return Mean(
        "slope", rows=exponents.given(of=of, depth=depth),
        what="seeds, a fit for each", tells=("n_grammars",),
    )  # fmt: skip


CLAIMS = (
    of_lcn(
        "first-step-law-lcn",
        "LCN: noise = signal at P ~ (s_0+1)^L n_c m^L: slope of the logarithms",
        expected=Within(1, 0.15),
        why="0.15, as for P*: a factor 1.4 a decade; which parameter a misfit comes from is in the"
            " rows of the exponents",
        measure=_exponent("law"),
    ),
    *(
        of_lcn(
            f"first-step-{of.replace('+1', '').replace('_', '')}-exponent-lcn-L{L}",
            f"LCN: exponent of {LETTERS[of]} in the P of noise = signal, L = {L}",
            expected=Within(expected, 0.35), measure=_exponent(of, L),
        )
        for of, L, expected in (
            ("s0+1", 2, 2), ("s0+1", 3, 3), ("m", 2, 2), ("m", 3, 3), ("n_c", 2, 1)
        )
    ),
)  # fmt: skip
