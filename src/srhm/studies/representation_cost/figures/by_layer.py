"""Panels against the layer that several figures share.

Letters: l number of a weight matrix, 1 to L; s_i(W_l) its singular values.
"""

import pandas as pd

from srhm.figures.looks import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale, by_name, graded, ranged
from srhm.studies.representation_cost.known import LARGE, MAPS

LOOKS = dict(zip(MAPS, (
    Look("rank 1", BLUE, "o"), Look("rank 2", VERMILION, "s"), Look("rank 3", GREEN, "^"),
    Look("circle", PURPLE, "D"), Look("square", ORANGE, "v"),
), strict=True))  # fmt: skip
COUNTS = {
    "n_visible": Look("of the representation", BLUE),
    "n_large": Look(f"of the weights: above {LARGE:g}", VERMILION),
}
LAYER = Axis("layer $l$", whole=True)


def maps(rows: pd.DataFrame) -> Scale:
    """A colour and a marker for each map."""
    return by_name("map", rows["map"], LOOKS, "Map")


def singular_values(title: str, rows: pd.DataFrame, *, most: int = 6) -> Panel:
    """The largest singular values of each layer, a line each: medians over seeds with the range.

    rows: k, number, value, seed; of one kind of network.
    """
    own = ranged(rows[rows["number"] <= most], "value", ["number", "k"], middle="median")
    ranks = graded("number", range(1, most + 1), "$s_i(W_l)$, $i=$", palette="flare_r")
    return Panel(title=title, x=LAYER, y=Axis("singular values of $W_l$", limits=(0, None)), marks=[
        Marks(rows=own, x="k", y="value", low="low", high="high", band=True, by=[ranks], line="-",
              size=2.5, width=0.8),
        level(LARGE, f"{LARGE:g}: counted as near 1", name="large"),
    ])  # fmt: skip


def counts(title: str, rows: pd.DataFrame, *guides: Marks) -> Panel:
    """Directions of each layer's representation and weights: means over seeds with the range."""
    long = rows.melt(["k", "seed"], list(COUNTS), "kind", "count")
    own = ranged(long, "count", ["kind", "k"])
    kinds = by_name("kind", long["kind"], COUNTS, "Directions")
    return Panel(title=title, x=LAYER, y=Axis("directions", limits=(0, None)), marks=[
        Marks(rows=own, x="k", y="count", low="low", high="high", band=True, by=[kinds], line="-",
              size=3), *guides,
    ])  # fmt: skip
