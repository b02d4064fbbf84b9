"""Norm of the output and training error near jamming (thesis, chapter 2b, figures 2B and 7)."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, GREEN, ORANGE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import by_name, ranged
from srhm.studies.fluctuations import analysis

TIMES = by_name("time", analysis.TIMES, {
    time: Look(f"after {100 * time:g} %", tint)
    for time, tint in zip(analysis.TIMES, (SKY, ORANGE, BLUE), strict=True)
}, "Training")  # fmt: skip
SIZE = Axis("number of weights $N$", log=True)


@styled
def draw(*tables: pd.DataFrame, data: str, preset: str) -> Figure:
    """A: f^2 against N; B: against N/N* - 1, by time; C: training error against N.

    D: f^2 of networks of small batches and of all points, where the data have such. tables: cells,
    histories and fluctuations.
    """
    noise = analysis.by_noise(data, tables[0])
    cells, histories, fluctuations = analysis.of_data(data, *tables)
    rows = analysis.by_seed(cells, histories, fluctuations)
    if rows.empty:
        return mosaic([], columns=3, preset=preset)
    table, (N_star, h_star) = analysis.by_width(rows), analysis.threshold(cells)
    part = analysis.near(table, "norm", h_star)
    slope, fitted = analysis.divergence(part["N"], part["norm"])
    x = part["N"].to_numpy(dtype=float) / fitted - 1
    then = pd.concat([
        analysis.norms_at(cells, histories, time).groupby("N")["norm"].mean().reset_index()
        .assign(time=time) for time in analysis.TIMES
    ])  # fmt: skip
    then = then.assign(distance=lambda own: own["N"] / fitted - 1)
    beyond = then[then["distance"] > 0]
    star = level(N_star, "$N^*$", across="y", name="N*")

    def at_end(column: str) -> Marks:
        return Marks(rows=table, x="N", y=column, label="end, training and test points (A)",
                     colour="0.2", line="-", size=3)  # fmt: skip

    return mosaic([
        Panel(title="norm", x=SIZE, y=Axis(r"$\|f\|^2$", log=True), marks=[
            Marks(rows=then, x="N", y="norm", by=[TIMES], name="size", marker="", line="-",
                  width=0.9), at_end("norm"), star,
        ]),
        Panel(title="beyond $N^*$", x=Axis("$N/N^*-1$, $N^*$ fitted", log=True),
              y=Axis(r"$\|f\|^2$, training points", log=True,
                     limits=(float(table["norm"].min()) / 2, None)), marks=[
            Marks(rows=beyond, x="distance", y="norm", by=[TIMES], name="beyond", line="-", size=3),
            law(x, part["norm"].max() * (x / x.min()) ** -2, "slope $-2$", name="guide"),
        ]),
        Panel(title="fit", x=SIZE, y=Axis("misclassified training points"),
              marks=[at_end("train_error"), star]),
        *([_noise(noise)] if len(noise) else []),
    ], columns=2 if len(noise) else 3, preset=preset, notes=[
        f"{rows['n'].sum():g} networks, {rows['seed'].nunique()} seeds; N* of jamming {N_star:.3g},"
        f" fitted with the slope {slope:.2f} of B: {fitted:.3g}."
    ])  # fmt: skip


def _noise(rows: pd.DataFrame) -> Panel:
    """f^2 against N of steps of a few points and of all."""
    means = ranged(rows, "norm", ["batch", "is_noisy", "N"])
    few = ", ".join(str(batch) for batch in sorted(set(rows.loc[rows["is_noisy"], "batch"])))
    looks = {True: Look(f"batches of {few}", VERMILION), False: Look("all points", GREEN)}
    scale = by_name("is_noisy", sorted(set(rows["is_noisy"])), looks, "SGD (D)")
    return Panel(
        title="with the noise of batches", x=SIZE, y=Axis(r"$\|f\|^2$", log=True), marks=[
            Marks(rows=means, x="N", y="norm", by=[scale], name="noise", line="-", size=3),
            level(rows["N_star"].iloc[0], "$N^*$", across="y", name="N* without noise"),
        ],
    )  # fmt: skip
