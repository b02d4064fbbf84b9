"""Relative stability R_k = D_k/G_k of every layer against P, layer and alpha_tilde.

Letters of the paper: D_k sensitivity of layer k to diffeomorphisms of the input, P training points,
s_0 empty places for each informative one. G_k: the same for noise of equal norm; α̃ = √h α.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level, levels
from srhm.figures.scales import Scale, graded
from srhm.studies.complexity.figures.complexity import NETS, STUDY, main, protocol, tilde_scale
from srhm.studies.complexity.figures.onset import example

COLUMNS = ["net", "s0", "alpha_tilde", "P", "seed", "status"]
POINTS = Axis("training points $P$", log=True)


@styled
def draw(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """A row for each net of the study "complexity", at one s_0 above 0, with most P.

    Left, middle: R_k against P at the smallest and the largest alpha_tilde, a line for each layer;
    dotted: before training. Right: R_k at the largest P that all alpha_tilde have against the
    layer, a line for each alpha_tilde. Lines are averages over the seeds, bars go from the lowest
    to the highest seed. R is drawn where D and G are known; without empty places there is no D.
    """
    own = main(cells[cells["study"] == STUDY])
    values = stabilities(own, sensitivities)
    outside = set(values.loc[values["layer"] == "output", "k"])
    names = {k: "out" if k in outside else str(k) for k in sorted(set(values["k"]))}
    layers = graded("k", names, "Layer", label=lambda k: names[k])
    tildes = tilde_scale(values["alpha_tilde"])
    panels = []
    for net in [one for one in NETS if one in set(values["net"])]:
        mine = values[values["net"] == net]
        s0 = example(mine)
        mine = mine[mine["s0"] == s0]
        height = Axis("$R_k = D_k/G_k$", log=True,
                      limits=(mine["value"].min() / 1.5, mine["value"].max() * 1.5))  # fmt: skip
        one = level(1, "$R=1$", line="--", name="R = 1")
        for tilde in (mine["alpha_tilde"].min(), mine["alpha_tilde"].max()):
            at = mine[mine["alpha_tilde"] == tilde]
            before = _means(at[at["when"] == "initial"], ["k"])
            panels.append(Panel(
                title=f"{net.upper()}, $s_0={s0}$, $\\tilde\\alpha={power(tilde)}$", x=POINTS,
                y=height, marks=[
                    _line(at[at["when"] == "end"], "P", layers),
                    levels(before, "value", "before training", by=[layers], line=":",
                           name="initial"),
                    one],
            ))  # fmt: skip
        shared = mine.groupby("P")["alpha_tilde"].nunique()
        P = shared[shared == shared.max()].index.max()
        at = mine[mine["P"] == P]
        start = _means(at[at["when"] == "initial"], ["k"])
        panels.append(Panel(
            title=f"$P={P}$", x=Axis("layer $k$", ticks=names), y=height, marks=[
                _line(at[at["when"] == "end"], "k", tildes),
                Marks(rows=start, x="k", y="value", name="initial", label="before training",
                      line=":", marker=""),
                one],
        ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=protocol(own))


def stabilities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """R of every layer: net, s0, alpha_tilde, P, seed, status, when, layer, k, value.

    Rows of level 1 with a positive finite value; members of a seed are rows of their own.
    """
    columns = [*COLUMNS, "when", "layer", "k", "value"]
    if sensitivities.empty or cells.empty:
        return pd.DataFrame(columns=columns)
    chosen = (
        (sensitivities["kind"] == "R")
        & (sensitivities["l"] == 1)
        & (sensitivities["n"] > 0)
        & (sensitivities["value"] > 0)
        & np.isfinite(sensitivities["value"])
    )
    return cells[["curve", "key", *COLUMNS]].merge(sensitivities[chosen], on=["curve", "key"])[
        columns
    ]


def _means(values: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Geometric means over the seeds, the lowest and highest of them, and whether one is capped."""
    rows = values.assign(log=np.log(values["value"].astype(float)),
                         capped=values["status"] != "fitted")  # fmt: skip
    seeds = rows.groupby([*by, "seed"], as_index=False).agg(
        log=("log", "mean"), capped=("capped", "any")
    )
    found = seeds.groupby(by, as_index=False).agg(
        value=("log", "mean"), low=("log", "min"), high=("log", "max"), capped=("capped", "any")
    )
    ends = ["value", "low", "high"]
    return found.assign(**{name: np.exp(found[name].astype(float)) for name in ends})


def _line(values: pd.DataFrame, at: str, by: Scale) -> Marks:
    return Marks(
        rows=_means(values, [by.column, at]), x=at, y="value", low="low", high="high",
        open="capped", by=[by], line="-", size=3.5, name="R",
        open_label="a run did not fit within its budget",
    )  # fmt: skip
