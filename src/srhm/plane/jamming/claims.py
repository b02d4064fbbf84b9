"""Claims on jamming of random and of hierarchical labels (thesis, chapters 1 and 2a).

N counts weights without biases, N_Δ unsatisfied points; N* is the smallest N that fits P points. A
cell is jammed if N_Δ > 0.1 N, chapter 2a.
Expected numbers are the thesis's, tolerances are ours; both were fixed before measuring.
"""

from math import nan

import pandas as pd

from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.jamming_rows import jamming_points
from srhm.scorecard.sheet import Sheet, rows_of
from srhm.statistics.jamming import first_jammed, hessian_modes, with_jamming


@rows_of("cells", "hessian_summaries", nothing="no jammed network with exact spectra",
         what="spectra of Hp of jammed networks")  # fmt: skip
def spectra(cells: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Jammed networks with exact spectra, and `negative`, that fraction of the modes of Hp."""
    marked = with_jamming(cells).query("jammed")
    modes = [hessian_modes(row, summaries) for _, row in marked.iterrows()]
    negative = [of_network.negative_hp if of_network else nan for of_network in modes]
    return marked.assign(negative=negative).dropna(subset="negative")


@rows_of("cells", nothing="no P/N with a jammed majority", what="jammed networks")
def at_the_transition(cells: pd.DataFrame) -> pd.DataFrame:
    """The jammed networks of each size at the first P/N with a jammed majority."""
    kinds = ["data", "net", "labels", "initialisation"]
    parts = []
    for _, networks in with_jamming(cells).groupby(kinds):
        first = first_jammed(networks)
        if len(first):
            on = ["activation", "hidden_layers", "width", "P"]
            parts.append(networks[networks["jammed"]].merge(first[on], on=on))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


sheet = Sheet()
say = sheet.topic("Jamming: unsatisfied points and spectra of the Hessian", "jamming")
for data, sigma, expected, networks, place in (
    ("random", "relu", 0.5, "FCN, ReLU, random data", "Fig. 7a"),
    ("random", "tanh", 0.43, "FCN, tanh, random data", "Fig. 7e"),
    ("srhm", "relu", 0.5, "ReLU, SRHM", "Fig. 9e for images"),
):
    say(f"hp-negative-{sigma}-{data}",
        f"Jammed networks ({networks}): negative fraction of nonzero modes of Hessian term Hp",
        spectra.mean("negative", data=data, activation=sigma), Within(expected, 0.05),
        "0.05, ours: the expected 0.5 of ReLU and 0.43 of tanh are 0.07 apart",
        place=f"thesis, ch. 1, {place}")  # fmt: skip
say("unsatisfied-at-jamming-random",
    "ReLU, random data, first jammed P/N: unsatisfied points N_Δ divided by weights N",
    at_the_transition.mean("unsatisfied", data="random", activation="relu",
                           note_rows="P/N = {load:.2f} at N = {n_weights}"),
    Within(0.75, 0.25),
    "0.25, ours: N_Δ/N rises with P/N, and a step of the grid is some 10 % of P/N",
    place="thesis, ch. 1, Fig. 6a")  # fmt: skip
say("n-star-true-over-shuffled",
    "Weights N* needed to fit P points: true labels divided by shuffled labels",
    jamming_points.ratio(
        "N_star", labels="parity", over={"labels": "shuffled"}, note_rows="{ratio:.2f} at {P}",
        on=("net", "L", "s", "s0", "v", "m", "n_c", "P", "bias", "initialisation", "settings")),
    Below(1), "an upper bound: structured labels need fewer weights",
    place="thesis, ch. 1, Fig. 10: below random")  # fmt: skip

CLAIMS = sheet.finished(
    changed={"hp-negative-* unsatisfied-*": "jammed from a mean loss of 1e-9 on, before 1e-12"},
)
