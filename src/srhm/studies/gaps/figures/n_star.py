"""N* against P in time, by depth and by loss; N_Delta/N of SRHM networks with more training."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, BLUE, GREEN, PURPLE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import Scale, by_name
from srhm.scorecard.jamming import LEAST
from srhm.studies.gaps.analysis import TIMES, hierarchical, star_cells, stars_by_seed, stars_in_time

IN_TIME = {time: Look(f"{time:,} evaluations", tint, "o")
           for time, tint in zip(TIMES, (SKY, BLUE, BLACK), strict=True)}  # fmt: skip
OTHERS = {
    "2 quadratic_hinge": Look("$L=2$", GREEN, "v"),
    "3 quadratic_hinge": Look("$L=3$", BLACK, "o"),
    "5 quadratic_hinge": Look("$L=5$", PURPLE, "s"),
    "3 soft_hinge": Look("$L=3$, soft hinge", VERMILION, "D"),
    "3 logistic": Look("$L=3$, cross-entropy", BLUE, "^"),
}
STARTS = {"gaussian": Look("Gaussian", BLUE), "orthogonal": Look("orthogonal", VERMILION)}
JAMMED = {"yes": Look("jammed", marker="o", filled=False), "no": Look("not jammed", marker="x")}
# Families stand beside each other: factors of P, and of the budget.
ASIDE: dict[str, dict[Any, float]] = {
    "time": dict(zip(TIMES, (0.93, 1.0, 1.07), strict=True)),
    "other": {name: 0.9 + 0.06 * place for place, name in enumerate(OTHERS)},
    "initialisation": {"gaussian": 0.93, "orthogonal": 1.07},
}


@styled
def draw(cells: pd.DataFrame, histories: pd.DataFrame, *, preset: str) -> Figure:
    """A: N*(P) at three times; B: by depth and loss; C: N_Delta/N of the SRHM by budget."""
    timed, stars = stars_in_time(cells, histories), stars_by_seed(star_cells(cells))
    stars["other"] = stars["hidden_layers"].astype(str) + " " + stars["loss"]
    srhm = hierarchical(cells) if len(cells) else cells
    return mosaic([
        _stars("$N^*$ in time, $L=3$", timed, by_name("time", TIMES, IN_TIME, "A: after")),
        _stars("$N^*$ by depth and loss", stars, by_name("other", OTHERS, OTHERS, "B")),
        _by_budget(srhm),
    ], columns=3, preset=preset, notes=["A marker for each data set."])  # fmt: skip


def _stars(title: str, rows: pd.DataFrame, scale: Scale) -> Panel:
    """N* of each data set, families and seeds beside each other."""
    own = rows[(rows["status"] == "reached") & rows[scale.column].isin(scale.looks)]
    own = own.assign(at=own["P"] * own[scale.column].map(ASIDE[scale.column]).astype(float)
                     * 1.015 ** own["seed"].astype(float))  # fmt: skip
    P = [float(own["at"].min()), float(own["at"].max())]
    return Panel(title=title, x=Axis("$P$", log=True), y=Axis("$N^*$", log=True), marks=[
        Marks(rows=own, x="at", y="N_star", low="N_low", high="N_high", by=[scale], size=3.5,
              name="star", bar_label="widest jammed, next wider"),
        law(P, lambda size: size / 2.9, "$N=P/2.9$ (A, B)", name="thesis"),
    ] if len(own) else [])  # fmt: skip


def _by_budget(srhm: pd.DataFrame) -> Panel:
    """N_Delta/N of SRHM networks against the budget of their training."""
    if srhm.empty:
        return Panel(title="")
    beside = srhm["budget"] * srhm["initialisation"].map(ASIDE["initialisation"])
    rows = srhm.assign(at=beside, state=srhm["jammed"].map({True: "yes", False: "no"}))
    return Panel(
        title="SRHM", y=Axis("$N_\\Delta/N$"), x=Axis("evaluations", log=True, limits=(2e3, 5e4)),
        marks=[
            Marks(rows=rows, x="at", y="unsatisfied", name="network", filled=False,
                  by=[by_name("initialisation", rows["initialisation"], STARTS, "C: start"),
                      by_name("state", rows["state"], JAMMED, "C")]),
            level(LEAST, "$N_\\Delta=N/4$ (C)"),
        ],
    )  # fmt: skip
