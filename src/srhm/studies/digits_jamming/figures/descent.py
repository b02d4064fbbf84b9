"""Test error of digits against time and against N: final, early stopped, mean network (chapter 2).

Letters of the thesis: N number of weights, N* the smallest N that fits P points, h width.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale, coloured, graded, parted
from srhm.studies.digits_jamming.analysis import CURVE, errors

# Widths whose error is drawn against time, at most.
N_WIDTHS = 5
ERRORS = {
    "final": Look("end of training; bars: lowest to highest", marker="o", line="-"),
    "early": Look("early stopped: least in its history", marker="", line="--"),
    "ensemble": Look("mean output of the networks", marker="s", line=":", filled=False),
}
ERROR = Axis("test error $\\varepsilon$", limits=(0, None))


@styled
def draw(
    cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame, *, preset: str
) -> Figure:
    """A row for each data and depth: error against time at the largest P, against N, and N/N*.

    cells, ensembles, histories: rows of FLOW_CELLS, ENSEMBLES and HISTORIES of the study. Early
    stopping takes the least test error of each history.
    """
    table = errors(cells, ensembles, histories) if len(cells) and len(histories) else cells[:0]
    if table.empty:
        return mosaic([], columns=3, preset=preset)
    table = table.assign(over_star=table["N"] / table["N_star"])
    in_time = pd.concat([_in_time(own, cells, histories) for _, own in parted(table, *CURVE[:2])])
    widths = graded("width", in_time["width"], "Width $h$ (left)")
    sizes = coloured("P", table["P"], "$P$ (middle, right)", label=str)
    panels, notes = [], []
    for (data, depth), own in parted(table, *CURVE[:2]):
        name = looks.data(data).label
        mine = in_time[(in_time["data"] == data) & (in_time["hidden_layers"] == depth)]
        panels += [
            Panel(title=f"{name}, $L={depth}$, $P={own['P'].max()}$", y=ERROR,
                  x=Axis("gradient evaluations", log=True), marks=[
                Marks(rows=mine, x="evaluations", y="test_error", by=[widths], name="in time",
                      marker="", line="-"),
            ]),
            Panel(title="against $N$", x=Axis("number of weights $N$", log=True), y=ERROR,
                  marks=_against(own, "N", sizes)),
            Panel(title="against $N/N^*$", x=Axis("$N/N^*$", log=True), y=ERROR, marks=[
                *_against(own.dropna(subset="N_star"), "over_star", sizes),
                level(1.0, "$N=N^*$", across="y", name="N*", line="-"),
            ]),
        ]  # fmt: skip
        stars = own.drop_duplicates("P")[["P", "N_star"]].itertuples(index=False)
        listed = ", ".join(f"{N:.0f} (P = {P})" if np.isfinite(N) else f"unknown (P = {P})"
                           for P, N in stars)  # fmt: skip
        notes.append(f"{name}, L = {depth}: {own['n'].max()} networks at each point; N* {listed}.")
    return mosaic(panels, columns=3, preset=preset, notes=notes)


def _in_time(own: pd.DataFrame, cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """Mean test error of the networks of some widths at the largest P, against evaluations."""
    at = own[own["P"] == own["P"].max()].sort_values("N")
    chosen = at.iloc[np.unique(np.linspace(0, len(at) - 1, N_WIDTHS).round().astype(int))]
    found = []
    for _, row in chosen.iterrows():
        mine = cells[(cells["curve"] == row["curve"]) & (cells["P"] == row["P"])]
        rows = histories[histories["key"].isin(mine["key"])]
        # Networks that have ended stay where they are.
        wide = rows.pivot_table(index="evaluations", columns="key", values="test_error").ffill()
        means = wide.mean(axis=1).rename("test_error").reset_index()
        found.append(means.assign(width=row["width"], **row[CURVE[:2]]))
    return pd.concat(found)


def _against(rows: pd.DataFrame, x: str, sizes: Scale) -> list[Marks]:
    """The three errors of each P, in its colour."""
    return [
        Marks(rows=rows, x=x, y=name, by=[sizes], label=look.label, marker=look.marker,
              line=look.line, size=3.2, filled=look.filled is None,
              low="low" if name == "final" else "", high="high")
        for name, look in ERRORS.items()
    ]  # fmt: skip
