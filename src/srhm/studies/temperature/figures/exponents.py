"""Exponents of (s_0+1) and of m, and the constants of Eq. 3 and 4, against T.

Letters as in the other figures of the study; C_0 (LCN) and C_1 (CNN) are the constants.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level, levels
from srhm.figures.scales import Scale, by_name
from srhm.studies.temperature.analysis import TEXT

# Colour and shape by net, L by fill.
KINDS = {
    f"{net} {depth}": Look(f"{net.upper()}, $L={depth}$", looks.net(net).colour,
                           looks.net(net).marker, filled=depth == 3)
    for net in ("cnn", "lcn") for depth in (2, 3)
}  # fmt: skip
TITLES = {
    "s0+1": "exponent of $s_0+1$",
    "m": "exponent of $m$",
    "constant": "$C_0$ (LCN), $C_1$ (CNN)",
}
LIMIT, APART = 0.35, 1.08  # factors of T: where the limit stands, and between kinds of nets
WAYS = {"one rate": "rate of $s_0=1$", "table": "published rates"}
ROOM = 0.5  # of exponents, beyond the values; longer bars run out of the panel
INTERVAL = "95 % interval"


@styled
def draw(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """A: exponents of (s_0+1) against T; B: of m; C: constants; D: with the table's rates.

    exponents: rows of EXPONENTS. Left of the smallest T: the limit. D: the exponent at the T that
    the published table has for s_0 = 1, at all s_0, and at the T that it has for each s_0.
    """
    rows = exponents.assign(kind=exponents["net"] + " " + exponents["L"].astype(str))
    rows = rows[rows["kind"].isin(KINDS)]
    rank = rows["kind"].map({kind: i - 1.5 for i, kind in enumerate(KINDS)}).astype(float)
    rows, by = rows.assign(rank=rank), by_name("kind", rows["kind"], KINDS)
    return mosaic(
        [*(_against_ratio(rows[rows["of"] == of], label, by) for of, label in TITLES.items()),
         _table(rows, by)],
        columns=2, preset=preset,
    )  # fmt: skip


def _against_ratio(rows: pd.DataFrame, label: str, by: Scale) -> Panel:
    rows = rows[rows["at"].isin(["ratio", "limit"])]
    smallest = float(rows.loc[rows["at"] == "ratio", "ratio"].min())
    smallest = smallest if smallest > 0 else TEXT
    constant = label == TITLES["constant"]
    x = rows["ratio"].where(rows["at"] == "ratio", smallest * LIMIT) * APART ** rows["rank"]
    rows = rows.assign(x=x.astype(float))
    guides = [
        level(smallest * LIMIT**0.5, "left of it: limit $T\\to0$", name="to zero", across="y"),
        level(TEXT, "the text's $T$", line="-.", across="y"),
    ]
    if not constant:
        guides.append(levels(rows.drop_duplicates("expected"), "expected", "Eq. 3, Eq. 4"))
    return Panel(title=label, x=Axis("$T=\\eta/[B\\,(1-\\mu)]$; left: limit", log=True),
                 y=_height(rows, label, log=constant), marks=[
        Marks(rows=rows[rows["at"] == "ratio"], low="low", high="high", line="-", width=0.7,
              name="ratio", x="x", y="value", by=[by], bar_label=INTERVAL),
        Marks(rows=rows[rows["at"] == "limit"], low="low", high="high", name="limit", x="x",
              y="value", by=[by]), *guides,
    ])  # fmt: skip


def _table(rows: pd.DataFrame, by: Scale) -> Panel:
    """The exponent of (s_0+1) at one rate of the table and at all of its rates."""
    own = rows[rows["at"].isin(WAYS)]
    both = own.groupby("kind")["at"].transform("nunique") == len(WAYS)
    place = own["at"].map({way: float(i) for i, way in enumerate(WAYS)}).astype(float)
    own = own.assign(x=place + 0.06 * own["rank"])[both]
    return Panel(title="what the table of rates does", y=_height(own, TITLES["s0+1"]),
                 x=Axis(ticks=dict(enumerate(WAYS.values())), limits=(-0.4, 1.4)), marks=[
        Marks(rows=own, x="x", y="value", low="low", high="high", by=[by], line="-", width=0.7,
              name="table"),
        levels(own.drop_duplicates("expected"), "expected", "Eq. 3, Eq. 4"),
    ])  # fmt: skip


def _height(rows: pd.DataFrame, label: str, *, log: bool = False) -> Axis:
    known = rows[["value", "expected"]].astype(float)
    if log or rows.empty:
        return Axis(label, log=log)
    return Axis(label, limits=(known.min().min() - ROOM, known.max().max() + ROOM))
