"""P* of the algorithm against s_0+1, patches of all places pooled, and each place on its own.

Letters of the paper: P* sample complexity, L depth, s_0 empty places for each informative one.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, laws
from srhm.studies.level_by_level.analysis import CURVE, LEAST_GAP, curves, differing
from srhm.studies.level_by_level.figures.parts import depths, networks, stars

HEIGHT = 2.6  # inches of a row
KINDS = {"shared": "cnn", "separate": "lcn"}


@styled
def draw(complexity: pd.DataFrame, references: pd.DataFrame, *, preset: str) -> Figure:
    """A: shared, B: separate; lines from the smallest s_0 with the exponents of Eq. 3, 4 and s+L-1.

    Grey: networks that were trained end to end on the same grammars.
    """
    notes = [f"Grammars with a gap of {LEAST_GAP} or more; bars: 95 %."]
    panels = [
        _panel(differing(curves(complexity, net=net), "s0"), references, net) for net in KINDS
    ]
    return mosaic(panels, columns=2, preset=preset, height=HEIGHT, notes=notes)


def _panel(rows: pd.DataFrame, references: pd.DataFrame, net: str) -> Panel:
    other = references[(references["net"] == KINDS[net]) & (references["status"] == "reached")]
    other = other[other["training"] == "end to end"]
    rest = [name for name in CURVE if name not in ("net", "draws", "s0")]
    other = other.merge(rows[[*rest, "s0"]].drop_duplicates())
    rows, other = (one.assign(places=one["s0"] + 1) for one in (rows, other))
    known = rows[rows["status"] == "reached"].sort_values("s0")
    first = known.groupby(rest)[["P_star", "places"]].transform("first")
    steps = (known["places"] / first["places"]).astype(float)
    exponents = (
        {"Eq. 4: $(s_0+1)^2$ (A)": (2, "--")}
        if net == "shared"
        else {
            "Eq. 3: $(s_0+1)^L$ (B)": (known["L"], "--"),
            "count: $(s_0+1)^{L-1+s}$ (B)": (known["L"] - 1 + known["s"], ":"),
        }
    )
    guides = [
        laws(known.assign(law=first["P_star"] * steps**power), "places", "law", label,
             by=[depths(known["L"])], line=line, name=f"law {label}")
        for label, (power, line) in exponents.items()
    ]  # fmt: skip
    ticks = {place: str(place) for place in sorted(set(rows["places"]))}
    return Panel(
        title=f"{net} ({KINDS[net].upper()}-like)", y=Axis("sample complexity $P^*$", log=True),
        x=Axis("$s_0+1$", log=True, ticks=ticks),
        marks=[networks(other, "places"), stars(rows, "places"), *guides],
    )  # fmt: skip
