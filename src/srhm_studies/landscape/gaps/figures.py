"""Gaps of points at jamming, N* in time and by depth, spectra of the Hessian at jamming.

Overlaps, Delta > 0, are drawn over the root of the loss and over their median in a network.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from srhm.figures.averaging import density
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK, BLUE, GREEN, GREY, PURPLE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import Scale, by_name
from srhm.figures.words import patch
from srhm.scorecard.jamming_rows import LEAST
from srhm.scorecard.rows import chosen
from srhm_studies.landscape.gaps import analysis
from srhm_studies.landscape.gaps.analysis import KINDS as CELLS_OF
from srhm_studies.landscape.power_laws import GAMMA, HIGH, LOW, THETA, gap_exponent

KINDS = {kind: Look(name, *look) for (kind, name), look in zip(analysis.NAMES.items(), (
    (SKY, "v"), (BLUE, "o"), (PURPLE, "s"), (VERMILION, "D"), (GREEN, "^")
), strict=True)}  # fmt: skip
BINS = np.logspace(-4, 2, 25)
LEAST_SHOWN = -2.0  # of an exponent; intervals that go on below have an arrowhead
# Exponents of a kind, side by side.
SIDES = {
    "plus": Look(r"$\theta$ of $z$", marker="o"),
    "median": Look(r"$\theta$ of $\Delta$ / median", marker="s"),
    "minus": Look(r"$\gamma$ of jammed networks", marker="^"),
    "fitted": Look(r"$\gamma$ of networks that fit", marker="v"),
}
# Side, title, label, slope of the thesis, end of the window that is fitted.
DENSITIES = (
    ("plus", "unsatisfied points", r"$z=\Delta/\sqrt{\mathcal{L}}$", 0.3, HIGH),
    ("median", "unsatisfied points, by median", r"$\Delta$ / median", 0.3, analysis.TAIL),
    ("minus", "satisfied points", r"$|\Delta|$", -0.2, HIGH),
)
THESIS = "thesis: slopes 0.3, −0.2 (A to C)"
Samples = Mapping[tuple[str, str], list[NDArray[np.float64]]]
IN_TIME = {time: Look(f"{time:,} evaluations", tint, "o")
           for time, tint in zip(analysis.TIMES, (SKY, BLUE, BLACK), strict=True)}  # fmt: skip
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
    "time": dict(zip(analysis.TIMES, (0.93, 1.0, 1.07), strict=True)),
    "other": {name: 0.9 + 0.06 * place for place, name in enumerate(OTHERS)},
    "initialisation": {"gaussian": 0.93, "orthogonal": 1.07},
}
QUANTILES = {q: Look(f"{q:g}", marker=symbol, filled=False)
             for q, symbol in zip(analysis.QUANTILES, "v<>^", strict=True)}  # fmt: skip
STATES = {"initial": Look("at the start", marker="o", filled=False),
          "end": Look("after training", marker="x")}  # fmt: skip
NEURONS = {"bent": Look("all neurons have a kink", BLUE),
           "straight": Look("dead or linear neurons", GREY)}  # fmt: skip
KIND_OF = {"relu": "relu-3", "tanh": "tanh-3"}
LOSS = Axis("training loss", log=True)


def gaps(cells: pd.DataFrame, gaps: pd.DataFrame, *, preset: str) -> Figure:
    """A, B, C: densities of both overlaps, of |Delta| of satisfied points; D: theta and gamma."""
    samples = {(kind, side): analysis.gaps_by_seed(cells, gaps, kind=kind, side=side)
               for kind in KINDS for side in SIDES}  # fmt: skip
    shortest = {
        (kind, side): analysis.gaps_by_seed(cells, gaps, kind=kind, side=side, longest=False)
        for kind, columns in CELLS_OF.items() if analysis.budgets(chosen(cells, columns)) > 1
        for side in ("plus", "minus")
    }  # fmt: skip
    counts = [
        f"{name}: {len(samples[kind, 'plus'])} jammed, {len(samples[kind, 'fitted'])} fit"
        for kind, name in analysis.NAMES.items()
    ]
    densities = {side: pd.concat([density(samples[kind, side], BINS).assign(kind=kind)
                                  for kind in KINDS]) for side, *_ in DENSITIES}  # fmt: skip
    kinds, exponents = by_name("kind", KINDS, KINDS), _exponents(samples)
    known, short = (rows.dropna(subset="value") for rows in (exponents, _exponents(shortest)))
    by = [kinds.without("marker")]
    return mosaic([
        *(Panel(title=title, x=Axis(label, log=True), y=Axis("density", log=True),
                extra=partial(_window, end=end), marks=[
                    Marks(rows=densities[side], x="at", y="density", line="-", size=3, width=0.7,
                          by=[kinds]),
                    law([LOW, end], [0.25 * LOW**slope, 0.25 * end**slope],
                        THESIS, line="-")])
          for side, title, label, slope, end in DENSITIES),
        Panel(title="exponents", y=Axis(r"$\theta$, $\gamma$", limits=(LEAST_SHOWN, None)),
              x=Axis("$L$ (ReLU), others $L=3$",
                     ticks=dict(enumerate(("2", "3", "5", "tanh", "digits")))), marks=[
            Marks(rows=known, x="at", y="value", low="low", high="high", name="exponent",
                  by=[*by, by_name("side", SIDES, SIDES, "D")]),
            Marks(rows=short.assign(at=short["at"] + 0.07), x="at", y="value", name="short", by=by,
                  each=["side"], marker="x", size=3.5, label="D: the smallest budget"),
            Marks(rows=known[known["low"] < LEAST_SHOWN].assign(end=LEAST_SHOWN), x="at", y="end",
                  name="goes on", by=by, marker="v", size=3, label="D: continues below"),
            Marks(rows=exponents.dropna(subset="thesis"), x="at", y="thesis", marker="_", size=9,
                  label="thesis (D)", guide=True),
        ]),
    ], columns=2, preset=preset, notes=[f"Numbers of seeds: {'; '.join(counts)}."])  # fmt: skip


def _window(axes: Axes, end: float) -> list[Entry]:
    axes.axvspan(LOW, end, color="0.93", zorder=0)
    return [Entry("", "fitted", patch("0.93"))]


def _exponents(samples: Samples) -> pd.DataFrame:
    """theta and gamma of each kind and side, at their places, with the thesis's."""
    rows = []
    for (kind, side), parts in samples.items():
        overlaps = side in ("plus", "median")
        fit = gap_exponent(parts, satisfied=not overlaps,
                           high=analysis.TAIL if side == "median" else HIGH)  # fmt: skip
        place = list(KINDS).index(kind) + 0.2 * (list(SIDES).index(side) - 1.5)
        rows.append({"kind": kind, "side": side, "at": place, "value": fit.value,
                     "thesis": (THETA if overlaps else GAMMA)[kind],
                     "low": fit.low, "high": fit.high})  # fmt: skip
    return pd.DataFrame(rows, columns=["kind", "side", "at", "thesis", "value", "low", "high"])


def gaps_n_star(cells: pd.DataFrame, histories: pd.DataFrame, *, preset: str) -> Figure:
    """A: N*(P) at three times; B: by depth and loss; C: N_Delta/N of the SRHM by budget."""
    timed = analysis.stars_in_time(cells, histories)
    stars = analysis.stars_by_seed(analysis.star_cells(cells))
    stars["other"] = stars["hidden_layers"].astype(str) + " " + stars["loss"]
    srhm = analysis.hierarchical(cells) if len(cells) else cells
    by_budget = Panel(title="SRHM")
    if len(srhm):
        places = srhm["budget"] * srhm["initialisation"].map(ASIDE["initialisation"])
        srhm = srhm.assign(at=places, state=srhm["jammed"].map({True: "yes", False: "no"}))
        starts = by_name("initialisation", srhm["initialisation"], STARTS, "C: start")
        by_budget = Panel(
            title="SRHM", y=Axis("$N_\\Delta/N$"),
            x=Axis("evaluations", log=True, limits=(2e3, 5e4)), marks=[
                Marks(rows=srhm, x="at", y="unsatisfied", name="network", filled=False,
                      by=[starts, by_name("state", srhm["state"], JAMMED, "C")]),
                level(LEAST, "$N_\\Delta=N/4$ (C)"),
            ],
        )  # fmt: skip
    return mosaic([
        _stars("$N^*$ in time, $L=3$", timed, by_name("time", analysis.TIMES, IN_TIME, "A: after")),
        _stars("$N^*$ by depth and loss", stars, by_name("other", OTHERS, OTHERS, "B")), by_budget,
    ], columns=3, preset=preset, notes=["A marker for each data set."])  # fmt: skip


def _stars(title: str, rows: pd.DataFrame, scale: Scale) -> Panel:
    """N* of each data set, families and seeds beside each other."""
    stars = rows[(rows["status"] == "reached") & rows[scale.column].isin(scale.looks)]
    stars = stars.assign(at=stars["P"] * stars[scale.column].map(ASIDE[scale.column]).astype(float)
                         * 1.015 ** stars["seed"].astype(float))  # fmt: skip
    P = [float(stars["at"].min()), float(stars["at"].max())]
    return Panel(title=title, x=Axis("$P$", log=True), y=Axis("$N^*$", log=True), marks=[
        Marks(rows=stars, x="at", y="N_star", low="N_low", high="N_high", by=[scale], size=3.5,
              name="star", bar_label="widest jammed, next wider"),
        law(P, lambda size: size / 2.9, "$N=P/2.9$ (A, B)", name="thesis"),
    ] if len(stars) else [])  # fmt: skip


def gaps_spectra(
    cells: pd.DataFrame, hessians: pd.DataFrame, cusps: pd.DataFrame, ranks: pd.DataFrame, *,
    preset: str,
) -> Figure:  # fmt: skip
    """A, B: quantiles of sp(Hp), raw and rescaled; C: gap of sp(H0); D, E: cusps; F: N_eff."""
    kinds = by_name("kind", KINDS, KINDS)
    quantiles = by_name("q", QUANTILES, QUANTILES, "A, B: quantile")
    spectra = _quantiles(cells, hessians)
    gap = analysis.gaps_of_h0(cells, hessians)
    gap = gap.assign(kind=gap["activation"].map(KIND_OF)).dropna(subset="gap")
    # Mean over jammed networks of a kind of the number of preactivations below t, over N.
    networks = analysis.converged(analysis.near_jamming(cells, cusps))
    merged = cusps.merge(networks[["key", "n_weights", *analysis.KIND]], on="key")
    merged["part"] = merged["below"] / merged["n_weights"]
    near = pd.concat([
        chosen(merged, wanted).groupby(["points", "threshold"])["part"].mean().clip(lower=1e-4)
        .reset_index().assign(kind=kind) for kind, wanted in CELLS_OF.items()
    ])  # fmt: skip
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
