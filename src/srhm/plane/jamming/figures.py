"""Jamming: unsatisfied points against P/N and loss, N*(P), and the spectra of H, H0 and Hp."""

from math import sqrt

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from srhm.figures.looks import net
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, laws, level
from srhm.figures.scales import Scale, distinct
from srhm.figures.unsatisfied import at_loss, thresholds, unsatisfied_points
from srhm.figures.words import between, endings
from srhm.statistics.jamming import (
    JAMMED,
    LEAST_LOSS,
    at_jamming,
    hessian_modes,
    smallest_that_fit,
    with_jamming,
)

STUDIES = ("jamming", "double_descent")
# Eigenvalues of H0 below this part of the largest are drawn at it, which the axis calls 0.
FLOOR_OF_H0 = 1e-9
RANK = Axis("rank / number of eigenvalues", limits=(0, 1.03), ticks={0: "0", 0.5: "0.5", 1: "1"})
EIGENVALUE = "$\\lambda/\\lambda_{\\max}$"


def jamming(
    cells: pd.DataFrame, hessians: pd.DataFrame, summaries: pd.DataFrame, *, preset: str
) -> Figure:
    """A to C from all networks, D to F the spectra at the end of a jammed network of each kind."""
    nets = cells[cells["study"].isin(STUDIES)]
    if nets.empty:
        return mosaic([], columns=3, preset=preset)
    marked = with_jamming(nets.assign(kind=_kinds(nets)))
    positive = marked.loc[~marked["fits"], "mean_loss"]
    floor = max(float(positive.min()), LEAST_LOSS) / 30 if len(positive) else LEAST_LOSS
    kinds = [distinct("kind", marked["kind"])]
    stars = smallest_that_fit(nets)
    stars = stars.assign(kind=_kinds(stars)) if len(stars) else stars
    chosen = _with_spectra(marked, summaries)
    high = 3 * max(float(marked["mean_loss"].max()), 10 * floor)
    powers = range(int(np.ceil(np.log10(floor * 50))), int(np.floor(np.log10(high))) + 1)
    ticks = {floor: "0"} | {10.0**k: f"$10^{{{k}}}$" for k in powers[:: max(1, len(powers) // 3)]}
    loss = Axis("training loss", log=True, limits=(floor / 3, high), ticks=ticks)
    placed = at_loss(marked, floor=floor)
    return mosaic([
        unsatisfied_points(f"{len(marked)} networks", placed, "load", Axis("$P/N$", log=True),
                           kinds),
        unsatisfied_points("against the loss", placed, "at_loss", loss, kinds),
        thresholds("$N^*(P)$", stars, nets["P"], kinds),
        _curvature(chosen, hessians, kinds),
        Panel(title="$H_0$ at jamming", x=RANK,
              y=Axis(EIGENVALUE, log=True, limits=(FLOOR_OF_H0 / 2, 2), ticks={
                  FLOOR_OF_H0: "0", 1e-6: "$10^{-6}$", 1e-3: "$10^{-3}$", 1: "1"}),
              marks=_by_rank(chosen, hessians, "H0", kinds)),
        Panel(title="$H$ at jamming", x=RANK, y=Axis(
                  EIGENVALUE, linear=1e-5, stretch=0.7,
                  ticks={-1e-3: "$-10^{-3}$", 0: "0", 1e-3: "$10^{-3}$", 1: "1"}),
              marks=_by_rank(chosen, hessians, "H", kinds)),
    ], columns=3, preset=preset, notes=[
        *_modes_of(chosen, summaries),
        f"A, B: {len(nets)} networks, budget {between(nets['budget'])} evaluations:"
        f" {endings(nets['status'])}; jammed (N_Δ > {JAMMED:g} N): {int(marked['jammed'].sum())}.",
    ])  # fmt: skip


def _kinds(rows: pd.DataFrame) -> list[str]:
    """The kind of each network in words: net, activation, data, labels, start."""
    columns = ["data", "net", "labels", "activation", "initialisation"]
    return [
        f"{net(name).label} {'ReLU' if activation == 'relu' else activation},"
        f" {'random data' if data == 'random' else f'SRHM, {labels}'}"
        f"{'' if start == 'gaussian' else f', {start}'}"
        for data, name, labels, activation, start in rows[columns].to_numpy().tolist()
    ]


def _with_spectra(marked: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """The jammed cell of least loss of each kind among those with exact spectra at the end.

    With n_modes, the number of weights and biases: of eigenvalues.
    """
    if marked.empty or summaries.empty:
        return marked.iloc[:0]
    exact = summaries[(summaries["when"] == "end") & (summaries["method"] == "exact")]
    known = exact.groupby(["curve", "key"]).agg(n_modes=("N", "first"), n=("part", "nunique"))
    known = known[known["n"] == 3].drop(columns="n").reset_index()
    return at_jamming(marked.drop(columns=["load", "unsatisfied", "fits", "jammed"]).merge(known))


def _spectrum(row: pd.Series, hessians: pd.DataFrame, part: str) -> NDArray[np.float64]:
    """All eigenvalues (n_modes,), decreasing: those that the rows leave out are zero."""
    match = (hessians["curve"] == row["curve"]) & (hessians["key"] == row["key"])
    match &= (hessians["when"] == "end") & (hessians["part"] == part)
    values = hessians.loc[match, "eigenvalue"].to_numpy(dtype=float)
    return np.sort(np.pad(values, (0, int(row["n_modes"]) - len(values))))[::-1]


def _curvature(chosen: pd.DataFrame, hessians: pd.DataFrame, kinds: list[Scale]) -> Panel:
    """Density of the eigenvalues of Hp in units of the root of the loss."""
    title = "$H_p$ at jamming"
    if chosen.empty:
        return Panel(title=title)
    spectra = [
        _spectrum(row, hessians, "Hp") / sqrt(row["mean_loss"]) for _, row in chosen.iterrows()
    ]
    spreads = [float(np.quantile(np.abs(values), 0.9)) for values in spectra]
    # One set of bins, linear about zero and logarithmic beyond, for spectra of unlike widths.
    widest = max(spreads) or 1.0
    linear = max(min(spreads), widest / 100) / 3
    edges = linear * np.sinh(np.linspace(-1, 1, 42) * np.arcsinh(3 * widest / linear))
    parts = []
    for kind, values in zip(chosen["kind"], spectra, strict=True):
        density = np.histogram(values, bins=edges)[0] / len(values) / np.diff(edges)
        rows = pd.DataFrame({"edge": np.repeat(edges, 2)[1:-1], "density": np.repeat(density, 2)})
        parts.append(rows.assign(kind=kind))
    densities = pd.concat(parts)
    power = int(np.floor(np.log10(edges[-1])))
    highest = float(densities["density"].max())
    least = densities["density"].where(densities["density"] > 0).min()
    lowest = max(float(least) / 1.3, highest * 1e-3)
    # Empty bins: below the panel.
    densities["density"] = densities["density"].clip(lower=lowest / 10)
    ticks = {-(10.0**power): f"$-10^{{{power}}}$", 0: "0", 10.0**power: f"$10^{{{power}}}$"}
    return Panel(
        title=title,
        x=Axis("$\\lambda/\\sqrt{\\mathrm{Loss}}$", limits=(edges[0], edges[-1]), ticks=ticks,
               linear=linear, stretch=0.7),
        y=Axis("density", log=True, limits=(lowest, highest * 1.3)), marks=[
            Marks(rows=densities, x="edge", y="density", by=kinds, name="Hp", marker="", line="-",
                  width=0.9, sort=False),
            level(0, "$\\lambda=0$", across="y", line="-"),
        ],
    )  # fmt: skip


def _by_rank(
    chosen: pd.DataFrame, hessians: pd.DataFrame, part: str, kinds: list[Scale]
) -> list[Marks]:
    """Eigenvalues by rank over the largest; of H0 those beyond rank N_Delta are to be zero."""
    parts = []
    for _, row in chosen.iterrows():
        values = _spectrum(row, hessians, part)
        shown = values / np.abs(values).max()
        shown = np.maximum(shown, FLOOR_OF_H0) if part == "H0" else shown
        rank = np.arange(1, len(values) + 1) / len(values)
        parts.append(pd.DataFrame({"rank": rank, "value": shown, "kind": row["kind"]}))
    if not parts:
        return []
    lines = Marks(rows=pd.concat(parts), x="rank", y="value", by=kinds, name=part, marker="",
                  line="-", width=0.9, sort=False)  # fmt: skip
    if part == "H":
        return [lines, level(0, "$\\lambda=0$", line="-")]
    predicted = chosen.assign(rank=chosen["n_unsatisfied"] / chosen["n_modes"])
    return [lines, laws(predicted, "rank", "", "$N_\\Delta$ (E)", by=kinds, name="predicted rank")]


def _modes_of(chosen: pd.DataFrame, summaries: pd.DataFrame) -> list[str]:
    """What the spectra count, beside what is predicted."""
    lines = []
    for _, row in chosen.iterrows():
        counts = hessian_modes(row, summaries)
        if counts is not None:
            lines.append(
                f"Spectra, {row['kind']}: h = {row['width']}, P = {row['P']}, loss"
                f" {row['mean_loss']:.2g}, N_Δ = {row['n_unsatisfied']}; zero modes of H0:"
                f" {counts.zero} of {counts.n}, N − N_Δ = {counts.predicted}; negative fraction of"
                f" the nonzero modes: Hp {counts.negative_hp:.3f}, H {counts.negative_h:.3f}."
            )
    return lines
