"""Claims on networks at minima of the loss (thesis, chapter 1). N counts weights without biases.

Tolerances were fixed before any network of a preset was trained; methods.md has what came before.
After 32 networks of `laptop` the bounds and the negative modes of tanh are of jammed networks of
any loss, before the networks that they judge now.
"""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Mean, Range, Stored
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm_studies.landscape.minima.analysis import (
    FEWEST,
    GAMMA,
    NAMES,
    THETA,
    WINDOW,
    at_minima,
    exponents,
)


@rows_of("cells", "ends", nothing="no network")
def jammed(cells: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """All jammed networks, of any loss, as `at_minima`, at minima or not."""
    return at_minima(cells, ends).query("is_jammed")


@rows_of("cells", "ends", nothing="no network")
def networks(cells: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """All jammed networks of a loss in range, as `at_minima`, at minima or not."""
    return at_minima(cells, ends).query("counts")


@rows_of("cells", "ends", nothing="no network")
def minima(cells: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """The same; those that are at no minimum are left out and counted."""
    rows = at_minima(cells, ends).query("counts")
    return left_out(rows, {"at no minimum": ~rows["is_minimum"]})


@rows_of("cells", "ends", "gaps", nothing="no network")
def of_gaps(cells: pd.DataFrame, ends: pd.DataFrame, gaps: pd.DataFrame) -> pd.DataFrame:
    """theta and gamma of each kind, of networks at minima, with their intervals."""
    rows = exponents(cells, ends, gaps)
    few = {f"of {n} seeds, fewer than {FEWEST}": rows["n"] == n for n in range(FEWEST)}
    return left_out(rows, few)


claim = partial(Claim, topic="Jamming at minima", figure="minima")
ACTIVATIONS = (("tanh", "tanh"), ("relu", "ReLU"))
TRAINED = ("relu-3", "tanh-3")


def _of_gaps() -> Iterator[Claim]:
    for kind in TRAINED:
        name = NAMES[kind]
        for letter, side, known in (("θ", "plus", THETA), ("γ", "minus", GAMMA)):
            yield claim(
                f"minima-{side}-{kind}", f"{letter} at minima: {name}",
                place="thesis, ch. 1, Fig. 8",
                expected=Within(known[kind], 0.1),
                why="0.1, ours: exponents of spheres, 0.42 and 0.41, are further than that from"
                " ReLU's",
                measure=Stored(
                    where={"kind": kind, "side": side}, rows=of_gaps, what="seeds",
                    each=f"{{gaps}} gaps between {WINDOW[0]:g} and {WINDOW[1]:g}",
                ),
            )  # fmt: skip


CLAIMS = (
    claim(
        "minima-negative-tanh", "Part of the modes of H that are negative, all ends: tanh",
        place="thesis, ch. 1, Fig. 7: 11 of 2232",
        expected=Below(0.005), fixed="after",
        why="an upper bound: the thesis's part; after 32 networks: of any loss",
        measure=Mean("negative", per=("seed",), where={"activation": "tanh"}, rows=jammed,
                     what="networks"),
    ),
    claim(
        "minima-negative-relu", "Part of the modes of H that are negative, slopes fixed: ReLU",
        place="thesis, ch. 1, Fig. 7: 10 %",
        expected=Within(0.1, 0.05), why="0.05, ours: half of it",
        measure=Mean("negative", per=("seed",), where={"activation": "relu"}, rows=networks,
                     what="networks"),
    ),
    *(
        claim(
            f"minima-bound-{activation}", f"{says}, in each network: {name}",
            place=f"thesis, ch. 1, {place}",
            expected=Below(1), fixed="after", why=f"{why}; after 32 networks: of any loss",
            measure=Range("over", largest=True, where={"activation": activation}, rows=jammed,
                          what="networks"),
        )
        for (activation, name), says, place, why in zip(
            ACTIVATIONS,
            ("Negative modes of Hp over N_Δ", "Negative modes of Hp less N_c, over N_Δ"),
            ("N_Δ ≥ N_−", "N_Δ ≥ N_− − N_c"),
            ("an upper bound: at a minimum N_Δ modes of H0 outweigh them",
             "an upper bound: at a minimum H0 and cusps outweigh them"),
            strict=True,
        )
    ),
    *_of_gaps(),
    claim(
        "minima-cusps-relu", "N_c/N at minima: ReLU",
        place="thesis, ch. 1, Fig. 12: 0.21, 0.25",
        expected=Within(0.23, 0.06),
        why="0.06, ours: 0.21 (L = 5) and 0.25 (L = 2), and their distance again",
        measure=Mean("cusps", per=("seed",), where={"activation": "relu"}, rows=minima,
                     what="networks"),
    ),
    claim(
        "minima-jump-relu", "N_Δ/N of jammed networks below a loss of 1e-3: ReLU",
        place="thesis, ch. 1, Fig. 6: 0.75",
        expected=Within(0.75, 0.1), why="0.1, ours: ReLU's of the thesis lie between 0.7 and 0.8",
        measure=Mean("unsatisfied", per=("seed",), where={"activation": "relu"}, rows=networks,
                     what="networks"),
    ),
)  # fmt: skip
