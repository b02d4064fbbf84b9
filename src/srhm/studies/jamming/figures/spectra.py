"""Jamming: unsatisfied points against P/N and loss, N*(P), and the spectra of H, H0 and Hp.

Letters of the thesis (chapters 1 and 2a): N number of weights, N_Delta unsatisfied points, N* the
smallest N that fits P points, H = H0 + Hp the Hessian of the training loss.
"""

from collections.abc import Mapping
from math import sqrt

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from srhm.figures.architecture_marks import look, wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, between, few_ticks, line
from srhm.statistics.jamming import (
    JAMMED,
    LEAST_LOSS,
    at_jamming,
    hessian_modes,
    smallest_that_fit,
    with_jamming,
)

STUDIES = ("jamming", "double_descent")
ABSENT = "not in this preset"
# Chapter 1: at the transition, random data; chapter 2a: the least at any jammed network.
AT_TRANSITION, LEAST = 0.75, 0.25
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "p")
ROW = 2.0  # inches, with titles and labels
# Eigenvalues of H0 below this part of the largest are drawn at it, which the axis calls 0.
FLOOR_OF_H0 = 1e-9


@styled
def draw(
    cells: pd.DataFrame, hessians: pd.DataFrame, summaries: pd.DataFrame, *, preset: str
) -> Figure:
    """Panels A to C from the cells, D to F the spectra of a jammed network of each kind.

    cells, hessians, summaries: rows of FLOW_CELLS, HESSIANS and HESSIAN_SUMMARIES, of any studies;
    spectra are those at the end of training.
    """
    own = cells[cells["study"].isin(STUDIES)]
    marked = with_jamming(own) if len(own) else own
    kinds = _kinds(marked)
    chosen = _with_spectra(marked, summaries)
    stars = smallest_that_fit(own) if len(own) else pd.DataFrame()
    lines = wrapped([*_spectra_lines(chosen, summaries), *_cell_lines(own, marked)])
    figure, page = laid_out_page(2 * ROW, preset=preset, foot=lines)
    panels = page.subplots(2, 3).ravel()
    titles = (
        f"{len(marked)} networks" if len(marked) else "",
        "against the loss",
        "$N^*(P)$",
        "$H_p$ at jamming",
        "$H_0$ at jamming",
        "$H$ at jamming",
    )
    for letter, axes, title in zip("ABCDEF", panels, titles, strict=True):
        panel_title(axes, letter, title)
    _against_load(panels[0], marked, kinds)
    _against_loss(panels[1], marked, kinds)
    _thresholds(panels[2], stars, kinds)
    _curvature(panels[3], chosen, hessians, kinds)
    _kernel_part(panels[4], chosen, hessians, kinds)
    _whole(panels[5], chosen, hessians, kinds)
    handles = _handles(kinds)
    add_legends(page, [("", handles)])
    return figure


Kind = tuple[str, str, str, str, str]
KIND = ["data", "net", "labels", "activation", "initialisation"]


def _kinds(marked: pd.DataFrame) -> dict[Kind, tuple[str, str]]:
    """Colour and marker of each kind of cells: the values of KIND."""
    if marked.empty:
        return {}
    found = sorted(set(map(tuple, marked[KIND].to_numpy())))
    return {
        kind: (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]) for i, kind in enumerate(found)
    }


def _kind_of(row: pd.Series) -> Kind:
    data, net, labels, activation, initialisation = row[KIND]
    return data, net, labels, activation, initialisation


def _name(kind: Kind) -> str:
    data, net, labels, activation, initialisation = kind
    sigma = {"relu": "ReLU"}.get(activation, activation)
    what = "random data" if data == "random" else f"SRHM, {labels}"
    start = "" if initialisation == "gaussian" else f", {initialisation}"
    return f"{look(net).label} {sigma}, {what}{start}"


def _of(kind: Kind, rows: pd.DataFrame) -> pd.DataFrame:
    match = np.ones(len(rows), dtype=bool)
    for column, value in zip(KIND, kind, strict=True):
        match &= (rows[column] == value).to_numpy()
    return rows[match]


def _unsatisfied_axis(axes: Axes, rows: pd.DataFrame, *, label: str) -> None:
    axes.set_yscale("symlog", linthresh=JAMMED, linscale=0.5)
    axes.axhline(AT_TRANSITION, color=GUIDE, linewidth=0.8, linestyle="--", gid="at the transition")
    axes.axhline(LEAST, color=GUIDE, linewidth=0.8, linestyle=":", gid="least when jammed")
    ticks = [0, 0.1, 1] + ([10] if rows["unsatisfied"].max() > 5 else [])
    axes.set_yticks(ticks, labels=[f"${tick:g}$" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(-0.015, max(1.5, 1.5 * rows["unsatisfied"].max()))
    axes.set_ylabel("$N_\\Delta/N$", labelpad=1)
    axes.set_xlabel(label, labelpad=1)


def _against_load(axes: Axes, marked: pd.DataFrame, kinds: Mapping[Kind, tuple[str, str]]) -> None:
    if marked.empty:
        empty_panel(axes, ABSENT)
        return
    for kind, (tint, shape) in kinds.items():
        own = _of(kind, marked)
        axes.plot(own["load"], own["unsatisfied"], shape, color=tint, markersize=2.8,
                  markerfacecolor="none", markeredgewidth=0.7,
                  gid=f"load {_name(kind)}")  # fmt: skip
    axes.set_xscale("log")
    low, high = marked["load"].min() / 1.2, marked["load"].max() * 1.2
    axes.set_xlim(low, high)
    few_ticks(axes.xaxis, low, high)
    _unsatisfied_axis(axes, marked, label="$P/N$")


def _against_loss(axes: Axes, marked: pd.DataFrame, kinds: Mapping[Kind, tuple[str, str]]) -> None:
    """Those that fit are at the left, at a loss that the axis calls 0."""
    if marked.empty:
        empty_panel(axes, ABSENT)
        return
    positive = marked.loc[~marked["fits"], "mean_loss"]
    floor = max(float(positive.min()), LEAST_LOSS) / 30 if len(positive) else LEAST_LOSS
    for kind, (tint, shape) in kinds.items():
        own = _of(kind, marked)
        loss = own["mean_loss"].where(~own["fits"], floor)
        axes.plot(loss, own["unsatisfied"], shape, color=tint, markersize=2.8,
                  markerfacecolor="none", markeredgewidth=0.7,
                  gid=f"loss {_name(kind)}")  # fmt: skip
    high = 3 * max(float(marked["mean_loss"].max()), 10 * floor)
    axes.set(xscale="log", xlim=(floor / 3, high))
    powers = range(int(np.ceil(np.log10(floor * 50))), int(np.floor(np.log10(high))) + 1)
    powers = powers[:: max(1, len(powers) // 3)]
    axes.set_xticks([floor, *(10.0**k for k in powers)],
                    labels=["$0$", *(f"$10^{{{k}}}$" for k in powers)])  # fmt: skip
    axes.set_xticks([], minor=True)
    _unsatisfied_axis(axes, marked, label="training loss")


def _thresholds(axes: Axes, stars: pd.DataFrame, kinds: Mapping[Kind, tuple[str, str]]) -> None:
    """N* of each P with the two N that it lies between; arrows where it is beyond the widths."""
    if stars.empty:
        empty_panel(axes, ABSENT)
        return
    by = [*KIND, "hidden_layers", "n_inputs"]
    for values, part in stars.groupby(by, sort=True, dropna=False):
        data, net, labels, activation, initialisation = map(str, values[: len(KIND)])
        kind = (data, net, labels, activation, initialisation)
        (tint, shape), name = kinds[kind], _name(kind)
        part = part.sort_values("P")
        reached = part[part["status"] == "reached"]
        axes.plot(reached["P"], reached["N_star"], f"-{shape}", color=tint, markersize=3.5,
                  markerfacecolor="none", gid=f"N* {name}")  # fmt: skip
        axes.vlines(reached["P"], reached["N_low"], reached["N_high"], color=tint, linewidth=1)
        for status, column, arrow in (("above_range", "N_low", "$\\uparrow$"),
                                      ("below_range", "N_high", "$\\downarrow$")):  # fmt: skip
            some = part[part["status"] == status]
            axes.plot(some["P"], some[column], linestyle="", marker=arrow, color=tint, markersize=7,
                      markeredgewidth=0.3, gid=f"N* {name} {status}")  # fmt: skip
    ends = stars[["N_low", "N_high"]].to_numpy().ravel()
    ends = ends[np.isfinite(ends)]
    sizes = stars["P"].min() / 1.3, stars["P"].max() * 1.3
    P = np.array(sizes)
    # The line of random data is to be seen, however far from it the points are.
    low, high = min(float(ends.min()) / 1.4, sizes[1] / 2.9 / 2), float(ends.max()) * 1.4
    axes.plot(P, P / 2.9, color=GUIDE, linewidth=0.8, linestyle="--", gid="N = P/2.9")
    axes.set(xscale="log", yscale="log", xlim=sizes, ylim=(low, high))
    few_ticks(axes.xaxis, *sizes)
    few_ticks(axes.yaxis, low, high)
    axes.set_xlabel("$P$", labelpad=1)
    axes.set_ylabel("$N^*$", labelpad=1)


def _with_spectra(marked: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """The jammed cell of least loss of each kind among those with exact spectra at the end.

    With n_modes, the number of weights and biases: of eigenvalues.
    """
    if marked.empty or summaries.empty:
        return marked.iloc[:0]
    exact = summaries[(summaries["when"] == "end") & (summaries["method"] == "exact")]
    found = exact.groupby(["curve", "key"]).agg(n_modes=("N", "first"), n=("part", "nunique"))
    found = found[found["n"] == 3].drop(columns="n").reset_index()
    return at_jamming(marked.drop(columns=["load", "unsatisfied", "fits", "jammed"]).merge(found))


def _spectrum(row: pd.Series, hessians: pd.DataFrame, part: str) -> NDArray[np.float64]:
    """All eigenvalues (n_modes,), decreasing: those that the rows leave out are zero."""
    match = (hessians["curve"] == row["curve"]) & (hessians["key"] == row["key"])
    match &= (hessians["when"] == "end") & (hessians["part"] == part)
    values = hessians.loc[match, "eigenvalue"].to_numpy(dtype=float)
    return np.sort(np.pad(values, (0, int(row["n_modes"]) - len(values))))[::-1]


def _look_of(row: pd.Series, kinds: Mapping[Kind, tuple[str, str]]) -> tuple[str, str]:
    kind = _kind_of(row)
    return kinds[kind][0], _name(kind)


def _curvature(
    axes: Axes, chosen: pd.DataFrame, hessians: pd.DataFrame, kinds: Mapping[Kind, tuple[str, str]]
) -> None:
    """Density of the eigenvalues of Hp in units of the root of the loss."""
    if chosen.empty:
        empty_panel(axes, ABSENT)
        return
    spectra = [
        _spectrum(row, hessians, "Hp") / sqrt(row["mean_loss"]) for _, row in chosen.iterrows()
    ]
    spreads = [float(np.quantile(np.abs(values), 0.9)) for values in spectra]
    # One set of bins, linear about zero and logarithmic beyond, for spectra of unlike widths.
    widest = max(spreads) or 1.0
    linear = max(min(spreads), widest / 100) / 3
    edges = linear * np.sinh(np.linspace(-1, 1, 42) * np.arcsinh(3 * widest / linear))
    for (_, row), values in zip(chosen.iterrows(), spectra, strict=True):
        tint, name = _look_of(row, kinds)
        density, _ = np.histogram(values, bins=edges)
        fraction = density / len(values) / np.diff(edges)
        axes.stairs(fraction, edges, color=tint, linewidth=0.9, gid=f"Hp {name}")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    low, high = max(low, high * 1e-3), high * 1.3
    axes.set_xscale("symlog", linthresh=linear, linscale=0.7)
    axes.set(xlim=(edges[0], edges[-1]), ylim=(low, high))
    if high / low < 100:
        few_ticks(axes.yaxis, low, high)
    power = int(np.floor(np.log10(edges[-1])))
    axes.set_xticks([-(10.0**power), 0, 10.0**power],
                    labels=[f"$-10^{{{power}}}$", "$0$", f"$10^{{{power}}}$"])  # fmt: skip
    axes.set_xticks([], minor=True)
    axes.axvline(0, color=GUIDE, linewidth=0.6)
    axes.set_xlabel("$\\lambda/\\sqrt{\\mathrm{Loss}}$", labelpad=1)
    axes.set_ylabel("density", labelpad=1)


def _kernel_part(
    axes: Axes, chosen: pd.DataFrame, hessians: pd.DataFrame, kinds: Mapping[Kind, tuple[str, str]]
) -> None:
    """Eigenvalues of H0 by rank: those beyond rank N_Delta are predicted to be zero."""
    if chosen.empty:
        empty_panel(axes, ABSENT)
        return
    for _, row in chosen.iterrows():
        values = _spectrum(row, hessians, "H0")
        tint, name = _look_of(row, kinds)
        rank = np.arange(1, len(values) + 1) / len(values)
        axes.plot(rank, np.maximum(values / values[0], FLOOR_OF_H0), "-", color=tint, linewidth=0.9,
                  gid=f"H0 {name}")  # fmt: skip
        axes.axvline(row["n_unsatisfied"] / len(values), color=tint, linewidth=0.8,
                     linestyle="--", gid=f"predicted rank {name}")  # fmt: skip
    axes.set(yscale="log", ylim=(FLOOR_OF_H0 / 2, 2), xlim=(0, 1.03), xticks=(0, 0.5, 1))
    axes.set_yticks([FLOOR_OF_H0, 1e-6, 1e-3, 1], labels=["$0$", "$10^{-6}$", "$10^{-3}$", "$1$"])
    axes.set_yticks([], minor=True)
    axes.set_xlabel("rank / number of eigenvalues", labelpad=1)
    axes.set_ylabel("$\\lambda/\\lambda_{\\max}$", labelpad=1)


def _whole(
    axes: Axes, chosen: pd.DataFrame, hessians: pd.DataFrame, kinds: Mapping[Kind, tuple[str, str]]
) -> None:
    """Eigenvalues of H by rank, on an axis that is linear about zero."""
    if chosen.empty:
        empty_panel(axes, ABSENT)
        return
    for _, row in chosen.iterrows():
        values = _spectrum(row, hessians, "H")
        tint, name = _look_of(row, kinds)
        rank = np.arange(1, len(values) + 1) / len(values)
        axes.plot(rank, values / np.abs(values).max(), "-", color=tint, linewidth=0.9,
                  gid=f"H {name}")  # fmt: skip
    axes.axhline(0, color=GUIDE, linewidth=0.6)
    axes.set_yscale("symlog", linthresh=1e-5, linscale=0.7)
    axes.set_yticks([-1e-3, 0, 1e-3, 1], labels=["$-10^{-3}$", "$0$", "$10^{-3}$", "$1$"])
    axes.set_yticks([], minor=True)
    axes.set(xlim=(0, 1.03), xticks=(0, 0.5, 1))
    axes.set_xlabel("rank / number of eigenvalues", labelpad=1)
    axes.set_ylabel("$\\lambda/\\lambda_{\\max}$", labelpad=1)


def _spectra_lines(chosen: pd.DataFrame, summaries: pd.DataFrame) -> list[str]:
    """What the spectra count, beside what is predicted."""
    lines = []
    for _, row in chosen.iterrows():
        counts = hessian_modes(row, summaries)
        if counts is None:
            continue
        lines.append(
            f"Spectra, {_name(_kind_of(row))}: h = {row['width']}, P = {row['P']}, loss"
            f" {row['mean_loss']:.2g}, N_Δ = {row['n_unsatisfied']}; zero modes of H0:"
            f" {counts.zero} of {counts.n}, N − N_Δ = {counts.predicted}; negative part of the"
            f" nonzero modes: Hp {counts.negative_hp:.3f}, H {counts.negative_h:.3f}"
        )
    return lines


def _cell_lines(own: pd.DataFrame, marked: pd.DataFrame) -> list[str]:
    if own.empty:
        return []
    counts = own["status"].value_counts()
    ends = ", ".join(f"{counts[name]} {name}" for name in ("fitted", "capped", "diverged")
                     if name in counts)  # fmt: skip
    return [
        f"A, B: {len(own)} networks, budget {between(own['budget'])}"
        f" evaluations: {ends}; jammed (N_Δ > {JAMMED:g} N): {int(marked['jammed'].sum())}"
    ]


def _handles(kinds: Mapping[Kind, tuple[str, str]]) -> list[Line2D]:
    handles = [
        line(
            _name(kind),
            color=tint,
            linewidth=0.9,
            marker=shape,
            markersize=3.5,
            markerfacecolor="none",
        )
        for kind, (tint, shape) in kinds.items()
    ]
    guides = [
        line(f"${AT_TRANSITION:g}$ (A, B), $N=P/2.9$ (C), $N_\\Delta$ (E)", color=GUIDE,
             linestyle="--", linewidth=0.8),
        line(f"${LEAST:g}$: the least of a jammed network", color=GUIDE, linestyle=":",
             linewidth=0.8),
    ]  # fmt: skip
    return [*handles, *guides]
