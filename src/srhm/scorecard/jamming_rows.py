"""Rows of jamming that several studies measure: N* of each P, jammed networks, the transition.

N counts weights without biases, N_Delta unsatisfied points; N* is the smallest N that fits P
points (`srhm.statistics.jamming`).
"""

import pandas as pd

from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_of
from srhm.statistics.jamming import first_jammed, smallest_that_fit, with_jamming

LEAST = 0.25  # N_Delta/N of a jammed network, chapter 2a
BEYOND = "with N* beyond the widths"


@rows_of("cells", nothing="no two widths at one P", what="sizes P")
def jamming_points(cells: pd.DataFrame) -> pd.DataFrame:
    """N* of each P, as `smallest_that_fit`, with `is_random`: whether the data are.

    is_structured: whether the labels are to be learnt, neither random nor shuffled. load: P/N*.
    """
    jamming_points = smallest_that_fit(cells)
    if jamming_points.empty:
        return jamming_points
    random = jamming_points["data"] == "random"
    return left_out(
        jamming_points.assign(
            is_random=random,
            is_structured=~random & (jamming_points["labels"] != "shuffled"),
            load=jamming_points["P"] / jamming_points["N_star"],
        ),
        {BEYOND: jamming_points["status"] != "reached"},
    )


@rows_of("cells", nothing="no jammed network", what="jammed networks")
def jammed(cells: pd.DataFrame) -> pd.DataFrame:
    """Jammed networks, as `with_jamming`, with `is_few`: whether N_Delta/N is below 1/4."""
    jammed = with_jamming(cells).query("jammed")
    return jammed.assign(is_few=jammed["unsatisfied"] < LEAST)


@rows_of("cells", nothing="no P/N with a jammed majority", what="sizes N")
def transitions(cells: pd.DataFrame) -> pd.DataFrame:
    """The first jammed P/N of each size, of random data and of all others apart."""
    is_random = cells["data"] == "random"
    parts = [
        first_jammed(cells[is_random == random]).assign(is_random=random)
        for random in (False, True)
        if (is_random == random).any()
    ]
    return pd.concat(parts, ignore_index=True)
