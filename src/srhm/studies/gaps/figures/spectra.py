"""Spectra of the Hessian at jamming against the loss; preactivations at zero; the rank of G."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, GREY, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import by_name
from srhm.scorecard.rows import chosen
from srhm.studies.gaps import analysis
from srhm.studies.gaps.figures.marks import KINDS

QUANTILES = {q: Look(f"{q:g}", marker=symbol, filled=False)
             for q, symbol in zip(analysis.QUANTILES, "v<>^", strict=True)}  # fmt: skip
STATES = {"initial": Look("at the start", marker="o", filled=False),
          "end": Look("after training", marker="x")}  # fmt: skip
NEURONS = {"bent": Look("all neurons have a kink", BLUE),
           "straight": Look("dead or linear neurons", GREY)}  # fmt: skip
KIND_OF = {"relu": "relu-3", "tanh": "tanh-3"}
LOSS = Axis("training loss", log=True)


@styled
def draw(
    cells: pd.DataFrame, hessians: pd.DataFrame, cusps: pd.DataFrame, ranks: pd.DataFrame, *,
    preset: str,
) -> Figure:  # fmt: skip
    """A, B: quantiles of sp(Hp), raw and rescaled; C: gap of sp(H0); D, E: cusps; F: N_eff."""
    kinds = by_name("kind", KINDS, KINDS)
    quantiles = by_name("q", QUANTILES, QUANTILES, "A, B: quantile")
    spectra = _quantiles(cells, hessians)
    gap = analysis.gaps_of_h0(cells, hessians)
    gap = gap.assign(kind=gap["activation"].map(KIND_OF)).dropna(subset="gap")
    near = _cusps(cells, cusps)
    ranks = ranks.assign(neurons=np.where(ranks["n_straight"] > 0, "straight", "bent"),
                         weights=ranks["n_parameters"] - ranks["n_neurons"])  # fmt: skip
    most = ranks["weights"].max()
    return mosaic([
        *(Panel(title=title, x=LOSS, y=Axis(label, log=True), marks=[
            Marks(rows=spectra, x="mean_loss", y=column, by=[kinds, quantiles], size=3),
        ]) for title, column, label in (
            ("$H_p$", "value", r"$|\lambda|$ at four quantiles"),
            (r"$H_p$, rescaled", "scaled", r"$|\lambda|/\sqrt{\mathcal{L}}$"))),
        Panel(title="$H_0$", x=Axis(r"$N_\Delta/N$"),
              y=Axis(r"$\lambda_{N_\Delta}$/mean", log=True),
              marks=[Marks(rows=gap, x="ratio", y="gap", by=[kinds], name="H0", size=3)]),
        *(Panel(title=f"{points} points", x=Axis("$t$", log=True),
                y=Axis("$|z|<t$, number over $N$", log=True), marks=[
            Marks(rows=near[near["points"] == points], x="threshold", y="part", by=[kinds],
                  line="-", size=2.5),
            level(analysis.CUSP, "$t=10^{-4}$ (D, E)", across="y", line="-"),
        ]) for points in ("training", "fresh")),
        Panel(title="$N_{eff}$", x=Axis("$N$ − hidden neurons"), y=Axis("rank $G$"), marks=[
            Marks(rows=ranks, x="weights", y="rank", name="rank", filled=False, by=[
                by_name("neurons", NEURONS, NEURONS, "F"), by_name("when", STATES, STATES, "F")]),
            law([0, most], [0, most], "equal (F)", line="-"),
        ]),
    ], columns=3, preset=preset)  # fmt: skip


def _quantiles(cells: pd.DataFrame, hessians: pd.DataFrame) -> pd.DataFrame:
    """Quantiles of sp(Hp) of each jammed network: value; scaled: over the root of the loss."""
    parts = []
    for sigma, kind in KIND_OF.items():
        table = analysis.scales_of_hp(cells, hessians, activation=sigma).assign(kind=kind)
        parts += [table.assign(q=q, value=np.exp(table[f"q{q:g}"]))
                  for q in analysis.QUANTILES if len(table)]  # fmt: skip
    if not parts:
        return pd.DataFrame(columns=["mean_loss", "value", "scaled", "kind", "q"])
    rows = pd.concat(parts)
    return rows.assign(scaled=rows["value"] / rows["mean_loss"] ** 0.5)


def _cusps(cells: pd.DataFrame, cusps: pd.DataFrame) -> pd.DataFrame:
    """Mean over jammed networks of a kind of the number of preactivations below t, over N."""
    rows = analysis.converged(analysis.near_jamming(cells, cusps))
    merged = cusps.merge(rows[["key", "n_weights", *analysis.KINDS["relu-2"]]], on="key")
    merged["part"] = merged["below"] / merged["n_weights"]
    parts = [
        chosen(merged, wanted).groupby(["points", "threshold"])["part"].mean().clip(lower=1e-4)
        .reset_index().assign(kind=kind)
        for kind, wanted in analysis.KINDS.items()
    ]  # fmt: skip
    return pd.concat(parts)
