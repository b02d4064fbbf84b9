"""Claims on jamming of random and of hierarchical labels (thesis, chapters 1 and 2a).

N counts weights without biases, N_Δ unsatisfied points; N* is the smallest N that fits P points. A
cell is jammed if N_Δ > 0.1 N, chapter 2a. The table "all_cells" has those of double descent, too.
Expected numbers are the thesis's, tolerances are ours; both were fixed before measuring.
"""

from functools import partial
from math import nan

import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Mean, Ratio
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.jamming_rows import jamming_points
from srhm.scorecard.rows import rows_of
from srhm.statistics.jamming import first_jammed, hessian_modes, with_jamming


@rows_of("cells", "hessian_summaries", nothing="no jammed network with exact spectra")
def spectra(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Jammed networks with exact spectra, and `negative`, that part of the nonzero modes of Hp."""
    marked = with_jamming(cells).query("jammed")
    found = [hessian_modes(row, summaries) for _, row in marked.iterrows()]
    negative = [one.negative_hp if one else nan for one in found]
    return marked.assign(negative=negative).dropna(subset="negative")


@rows_of("cells", nothing="no P/N with a jammed majority")
def at_the_transition(cells: pd.DataFrame) -> pd.DataFrame:
    """The jammed networks of each size at the first P/N with a jammed majority."""
    kinds = ["data", "net", "labels", "initialisation"]
    parts = []
    for _, own in with_jamming(cells).groupby(kinds):
        first = first_jammed(own)
        if len(first):
            on = ["activation", "hidden_layers", "width", "P"]
            parts.append(own[own["jammed"]].merge(first[on], on=on))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


jamming = partial(
    Claim, topic="Jamming: unsatisfied points and spectra of the Hessian", figure="jamming"
)

STATED = (
    *(
        jamming(
            f"hp-negative-{activation}-{data}",
            f"Negative part of the nonzero modes of Hp: {what}",
            place=f"thesis, ch. 1, {place}",
            expected=Within(part, 0.05),
            why="0.05, ours: the expected 0.5 of ReLU and 0.43 of tanh are 0.07 apart",
            measure=Mean(
                "negative", where={"data": data, "activation": activation}, rows=spectra,
                what="spectra of Hp of jammed networks",
            ),
        )
        for data, activation, part, what, place in (
            ("random", "relu", 0.5, "FCN, ReLU, random data", "Fig. 7a"),
            ("random", "tanh", 0.43, "FCN, tanh, random data", "Fig. 7e"),
            ("srhm", "relu", 0.5, "ReLU, SRHM", "Fig. 9e for images"),
        )
    ),
    jamming(
        "unsatisfied-at-jamming-random", "N_Δ/N at the first jammed P/N, ReLU, random data",
        place="thesis, ch. 1, Fig. 6a",
        expected=Within(0.75, 0.25),
        why="0.25, ours: N_Δ/N rises with P/N, and a step of the grid is some 10 % of P/N",
        measure=Mean(
            "unsatisfied", where={"data": "random", "activation": "relu"}, rows=at_the_transition,
            what="jammed networks", each="P/N = {load:.2f} at N = {n_weights}",
        ),
    ),
    jamming(
        "n-star-true-over-shuffled",
        "N* at equal P, labels over shuffled labels",
        place="thesis, ch. 1, Fig. 10: below random",
        expected=Below(1), why="an upper bound: structured labels need fewer weights",
        measure=Ratio(
            "N_star", where={"labels": "parity"}, over={"labels": "shuffled"}, rows=jamming_points,
            on=("net", "L", "s", "s0", "v", "m", "n_c", "P", "bias", "initialisation", "settings"),
            what="sizes P", each="{ratio:.2f} at {P}",
        ),
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "hp-negative-* unsatisfied-*": "jammed from a mean loss of 1e-9 on, before 1e-12",
    },
)
