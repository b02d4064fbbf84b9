"""Fluctuations of the output near and beyond jamming (thesis, chapter 2b).

n networks are an ensemble, fbar is the mean of their outputs f, delta the distance of boundaries.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.looks import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level, power_law
from srhm.figures.scales import by_name, parted
from srhm_studies.landscape.fluctuations import analysis

# x, y and exponent of each panel of ensembles.
PANELS = (("n", "excess", -1), ("n", "delta", -0.5), ("delta", "excess", 2),
          ("estimate", "delta", 1))  # fmt: skip
NAMES = {"n": "networks $n$", "excess": r"$\varepsilon^n-\bar{\varepsilon}$",
         "delta": r"distance $\delta$",
         "estimate": r"$\|f^n-\bar{f}\|/\|\nabla f^n\|$"}  # fmt: skip
TIMES = by_name("time", analysis.TIMES, {
    time: Look(f"after {100 * time:g} %", tint)
    for time, tint in zip(analysis.TIMES, (SKY, ORANGE, BLUE), strict=True)
}, "Training")  # fmt: skip
SIZE = Axis("number of weights $N$", log=True)
COLUMNS = {
    "test": Look("test points", BLUE), "train": Look("training points", VERMILION),
    "noise": Look("noise", GREEN), "single": Look("single networks", BLUE),
    "early": Look("early stopped", PURPLE), "ensemble": Look("mean output", VERMILION),
}  # fmt: skip
LEAST = 3e-4  # excess: below it a band is cut off; a test point in six
DELTA = Axis(r"distance $\delta$", log=True)
ESTIMATE = Axis(r"$\|f-\bar{f}\|/\|\nabla f\|$", log=True)
# Title; columns; x with its axis; axis of y; exponents of the fit.
SIZE_PANELS = (
    ("fluctuation: $N^{-1/4}$", ("test", "train", "noise"), "N", SIZE,
     Axis(r"$\|f-\bar{f}\|$", log=True), (-0.25,)),
    ("gradient: $C_0+C_1N^{-1/4}$", ("gradient",), "N", SIZE, Axis(r"$\|\nabla f\|$"),
     (0.0, -0.25)),
    (r"error: $\varepsilon_\infty+D_0\delta^2$", ("single",), "delta", DELTA,
     Axis(r"$\varepsilon$"), (0.0, 2.0)),
    ("distance: linear", ("delta",), "estimate", ESTIMATE, DELTA, (1.0,)),
    ("excess: $E_0N^{-1/2}+E_1N^{-3/4}$", ("excess",), "N", SIZE,
     Axis(r"$\varepsilon-\bar{\varepsilon}$", log=True, limits=(LEAST, None)), (-0.5, -0.75)),
    (r"$\varepsilon_\infty+B_0N^{-1/2}+B_1N^{-3/4}$", ("single", "early", "ensemble"), "N", SIZE,
     Axis("test error"), (0.0, -0.5, -0.75)),
)  # fmt: skip


def members(*tables: pd.DataFrame, data: str, preset: str) -> Figure:
    """A-D: excess error and distance of ensembles of n; E, F: f along its gradient.

    A-D: means over seeds, each seed thin, and the exponent of the thesis through the first mean.
    E, F: from test points, with the quartiles of where f crosses zero. tables: cells, resampled,
    crossings and courses.
    """
    _, resampled, crossings, courses = analysis.of_data(data, *tables)
    panels, all_means = [], analysis.ensembles_of(resampled)
    seeds = [analysis.ensembles_of(rows).assign(seed=seed)
             for seed, rows in parted(resampled, "seed")]  # fmt: skip
    for x, y, power in PANELS:
        means = all_means[all_means[y] > 0]
        panels.append(Panel(
            title=f"{NAMES[y]}: exponent ${power:g}$", x=Axis(NAMES[x], log=True),
            y=Axis(NAMES[y], log=True), marks=[
                Marks(rows=pd.concat(seeds).query(f"{y} > 0"), x=x, y=y, each=["seed"], name="seed",
                      label="a seed", colour=SKY, marker="", line="-", width=0.7, sort=False),
                Marks(rows=means, x=x, y=y, name=f"{y} {x}", label="mean over seeds", colour=BLUE,
                      line="-", size=3, sort=False),
                power_law(means[x].tolist(), power, through=(means[x].iloc[0], means[y].iloc[0]),
                          label="exponent of the thesis", name="guide"),
            ] if len(means) else [],
        ))  # fmt: skip
    widths = sorted(set(courses["width"])) if len(courses) else []
    for width in (widths[len(widths) // 3], widths[-1]) if widths else ():
        quartiles = analysis.quartiles(crossings[crossings["width"] == width])
        zeros = quartiles[["low", "middle", "high"]].replace(np.inf, np.nan).mean().dropna()
        panels.append(Panel(
            title=f"along $\\nabla f$, $h={width}$",
            x=Axis("distance / linear estimate", limits=(0, 3)),
            y=Axis("$f$ / $f$ at the point", limits=(-2, 1.5)), marks=[
                Marks(rows=courses[courses["width"] == width], x="step", y="value", each=["line"],
                      label="a test point", colour="0.6", marker="", line="-", width=0.6,
                      sort=False),
                law([0, 2], [1, -1], "linear estimate", name="linear"),
                level(0, "$f = 0$", name="zero", line=":"),
                *(law([at, at], [-0.3, 0.3], "quartiles of the crossing", name=f"tick {name}",
                      line="-", colour=VERMILION) for name, at in zeros.items()),
            ],
        ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=[
        f"A-D: h = {resampled['width'].max()}, P = {resampled['P'].max()}, ensembles drawn with"
        f" replacement out of {resampled['n_members'].max()} networks;"
        f" {resampled['seed'].nunique()} seeds."
    ] if len(resampled) else [])  # fmt: skip


def norm(*tables: pd.DataFrame, data: str, preset: str) -> Figure:
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
    means = spread(rows, "norm", ["batch", "is_noisy", "N"])
    few = ", ".join(str(batch) for batch in sorted(set(rows.loc[rows["is_noisy"], "batch"])))
    looks = {True: Look(f"batches of {few}", VERMILION), False: Look("all points", GREEN)}
    scale = by_name("is_noisy", sorted(set(rows["is_noisy"])), looks, "SGD (D)")
    return Panel(
        title="with the noise of batches", x=SIZE, y=Axis(r"$\|f\|^2$", log=True), marks=[
            Marks(rows=means, x="N", y="norm", by=[scale], name="noise", line="-", size=3),
            level(rows["N_star"].iloc[0], "$N^*$", across="y", name="N* without noise"),
        ],
    )  # fmt: skip


def size(*tables: pd.DataFrame, data: str, preset: str) -> Figure:
    """A: |f - fbar|; B: |grad f|; C-E: errors and distances; F: single, early stopped, ensemble.

    tables: cells, histories and fluctuations.
    """
    cells, histories, fluctuations = analysis.of_data(data, *tables)
    rows = analysis.by_seed(cells, histories, fluctuations)
    if rows.empty:
        return mosaic([], columns=3, preset=preset)
    table, (N_star, h_star) = analysis.by_width(rows), analysis.threshold(cells)
    panels = []
    for letter, (title, columns, x, at, y, powers) in zip("ABCDEF", SIZE_PANELS, strict=True):
        used = table[
            table["width"] >= h_star * (analysis.FAR if len(powers) == 1 else analysis.FITS)
        ]
        # One column alone is named by its axis.
        scales = [by_name("column", columns, COLUMNS, letter)] if len(columns) > 1 else []
        # A row for each width and column: its mean over seeds, and their range; not below zero.
        points = pd.concat([
            table[["width", x]].assign(column=name, value=table[name].where(table[name] > 0))
            .merge(spread(rows, name, ["width"]).drop(columns=name, errors="ignore"), on="width")
            for name in columns
        ])  # fmt: skip
        shown = Marks(rows=points, x=x, y="value", name="column", by=scales, size=3, colour=BLUE,
                      each=() if scales else ["column"], line="-" if x == "N" else "",
                      low="low" if x == "N" else "", high="high",
                      bar_label="range of the seeds")  # fmt: skip
        star = [level(N_star, "$N^*$", across="y", name="N*")] if x == "N" else []
        # The sum of powers of x that fits.
        xs = np.sort(used[x].to_numpy())
        factors = analysis.coefficients(used[x], used[columns[0]], powers)
        values = np.asarray(sum(c * xs**power for c, power in zip(factors, powers, strict=True)))
        fit = law(xs, values, "fit", name=f"fit {columns[0]}")
        panels.append(Panel(title=title, x=at, y=y, marks=[shown, fit, *star]))
    return mosaic(panels, columns=3, preset=preset, notes=[
        f"P = {cells['P'].max()}, {rows['seed'].nunique()} seeds, {table['n'].min():g} to"
        f" {table['n'].max():g} networks a width; N* = {N_star:.3g}. Fits of A and D are from"
        f" {analysis.FAR:g} h* on, others from {analysis.FITS:g} h* on."
    ])  # fmt: skip
