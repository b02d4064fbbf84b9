"""Jamming of digits beside random data, and their test error in time and against N."""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale, by_name, coloured, graded, parted
from srhm.figures.unsatisfied import at_loss, thresholds, unsatisfied_points
from srhm.figures.words import endings, several
from srhm.statistics.jamming import smallest_that_fit, with_jamming
from srhm_studies.landscape.digits_jamming.analysis import CURVE, errors

DATA = {name: replace(look, marker="") for name, look in looks.DATA.items()}
DEPTHS = {depth: Look(f"$L={depth}$", marker=symbol)
          for depth, symbol in ((2, "v"), (3, "o"), (5, "s"))}  # fmt: skip
LOSS, ERROR = Axis("training loss", log=True), Axis("test error $\\varepsilon$", limits=(0, None))
N_WIDTHS = 5  # whose error is drawn against time, at most
ERRORS = {
    "final": Look("end of training; bars: lowest to highest", marker="o", line="-"),
    "early": Look("early stopped: least in its history", marker="", line="--"),
    "ensemble": Look("mean output of the networks", marker="s", line=":", filled=False),
}


def digits_jamming(cells: pd.DataFrame, *, preset: str) -> Figure:
    """N_Delta/N against P/N and the loss; misclassified fraction against the loss; N*(P).

    Losses below LEAST_LOSS, and of networks that fit, are drawn at it.
    """
    marked = at_loss(with_jamming(cells))
    by = [by_name("data", marked["data"], DATA, "Data"),
          by_name("hidden_layers", marked["hidden_layers"], DEPTHS, "Depth")]  # fmt: skip
    wrong = Marks(rows=marked, x="at_loss", y="train_error", by=by, size=3.2, filled=False)
    linear = {"linear": 1.0, "scale": 2.0}
    return mosaic([
        unsatisfied_points("against $P/N$", marked, "load", Axis("$P/N$", log=True), by, **linear),
        unsatisfied_points("against the loss", marked, "at_loss", LOSS, by, **linear),
        Panel(title="misclassified", x=LOSS, y=Axis("misclassified fraction"), marks=[wrong]),
        thresholds("$N^*(P)$", smallest_that_fit(cells), marked["P"], by),
    ], columns=2, preset=preset, notes=[
        f"{DATA[str(data)].label}: FCN, quadratic hinge, {networks['optimiser'].iloc[0]}, at most"
        f" {networks['budget'].max():,} evaluations; {len(networks)} networks of"
        f" {several(networks['seed'].nunique(), 'data set')}: {endings(networks['status'])},"
        f" {int(networks['jammed'].sum())} jammed."
        for data, networks in marked.groupby("data")
    ])  # fmt: skip


def digits_descent(
    cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame, *, preset: str
) -> Figure:
    """A row for each data and depth: error against time at the largest P, against N, and N/N*.

    Early stopping takes the least test error of each history.
    """
    table = errors(cells, ensembles, histories) if len(cells) and len(histories) else cells[:0]
    if table.empty:
        return mosaic([], columns=3, preset=preset)
    table = table.assign(over_star=table["N"] / table["N_star"])
    parts = {key: (fcn, _in_time(fcn, cells, histories)) for key, fcn in parted(table, *CURVE[:2])}
    widths = graded("width", pd.concat([rows for _, rows in parts.values()])["width"],
                    "Width $h$ (left)")  # fmt: skip
    sizes = coloured("P", table["P"], "$P$ (middle, right)", label=str)
    panels, notes = [], []
    for (data, depth), (fcn, in_time) in parts.items():
        name = looks.data(data).label
        panels += [
            Panel(title=f"{name}, $L={depth}$, $P={fcn['P'].max()}$", y=ERROR,
                  x=Axis("gradient evaluations", log=True), marks=[
                Marks(rows=in_time, x="evaluations", y="test_error", by=[widths], name="in time",
                      marker="", line="-"),
            ]),
            Panel(title="against $N$", x=Axis("number of weights $N$", log=True), y=ERROR,
                  marks=_against(fcn, "N", sizes)),
            Panel(title="against $N/N^*$", x=Axis("$N/N^*$", log=True), y=ERROR, marks=[
                *_against(fcn.dropna(subset="N_star"), "over_star", sizes),
                level(1.0, "$N=N^*$", across="y", name="N*", line="-"),
            ]),
        ]  # fmt: skip
        stars = fcn.drop_duplicates("P")[["P", "N_star"]].itertuples(index=False)
        listed = ", ".join(f"{N:.0f} (P = {P})" if np.isfinite(N) else f"unknown (P = {P})"
                           for P, N in stars)  # fmt: skip
        notes.append(f"{name}, L = {depth}: {fcn['n'].max()} networks at each point; N* {listed}.")
    return mosaic(panels, columns=3, preset=preset, notes=notes)


def _in_time(own: pd.DataFrame, cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """Mean test error of the networks of some widths at the largest P, against evaluations."""
    at = own[own["P"] == own["P"].max()].sort_values("N")
    chosen = at.iloc[np.unique(np.linspace(0, len(at) - 1, N_WIDTHS).round().astype(int))]
    curves = []
    for _, row in chosen.iterrows():
        mine = cells[(cells["curve"] == row["curve"]) & (cells["P"] == row["P"])]
        rows = histories[histories["key"].isin(mine["key"])]
        # Networks that have ended stay where they are.
        wide = rows.pivot_table(index="evaluations", columns="key", values="test_error").ffill()
        means = wide.mean(axis=1).rename("test_error").reset_index()
        curves.append(means.assign(width=row["width"]))
    return pd.concat(curves)


def _against(rows: pd.DataFrame, x: str, sizes: Scale) -> list[Marks]:
    """The three errors of each P, in its colour."""
    return [
        Marks(rows=rows, x=x, y=name, by=[sizes], label=look.label, marker=look.marker,
              line=look.line, size=3.2, filled=look.filled is None,
              low="low" if name == "final" else "", high="high")
        for name, look in ERRORS.items()
    ]  # fmt: skip
