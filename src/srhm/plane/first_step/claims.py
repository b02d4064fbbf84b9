"""Claims on the first step of gradient descent (appendix C of the paper)."""

import pandas as pd

from srhm.plane.first_step.analysis import equal_points, slopes
from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_of


@rows_of("first_step", nothing="no grammars that differ in this only", what="seeds, a fit for each")
def exponents(table: pd.DataFrame, *, of: str, depth: int | None) -> pd.DataFrame:
    """Exponent of one parameter, or of the law, in the P of noise = signal, LCN, by seed."""
    return slopes(equal_points(table), net="lcn", of=of, depth=depth)


sheet = Sheet()
say = sheet.topic(
    "First step of gradient descent (appendix C)", "first_step", place="appendix C; Eq. 12",
    why="below 0.5, so that no value is within the tolerance of two whole exponents",
)  # fmt: skip
say("first-step-law-lcn",
    "LCN, first gradient step: slope of log P at noise = signal against log (s_0+1)^L n_c m^L",
    exponents.given(of="law", depth=None).mean("slope", note_columns="n_grammars"), Within(1, 0.15),
    "0.15, as for P*: a factor 1.4 a decade; the exponents say which parameter causes a misfit",
    )  # fmt: skip
for name, of, letters, L, expected in (
    ("s0", "s0+1", "s_0+1", 2, 2), ("s0", "s0+1", "s_0+1", 3, 3), ("m", "m", "m", 2, 2),
    ("m", "m", "m", 3, 3), ("nc", "n_c", "n_c", 2, 1),
):  # fmt: skip
    say(f"first-step-{name}-exponent-lcn-L{L}",
        f"LCN, first gradient step: exponent of {letters} in the P of noise = signal, L = {L}",
        exponents.given(of=of, depth=L).mean("slope", note_columns="n_grammars"),
        Within(expected, 0.35))  # fmt: skip
CLAIMS = sheet.finished()
