"""Tails of kernel PCA beside a learning curve, Gram spectra, and how they converge."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, shades
from srhm.studies.kernels.figures.curves import (
    GUIDES,
    ROW,
    curve_handle,
    dimension_marks,
    draw_curve,
    draw_guide,
    logarithmic,
)
from srhm.studies.kernels.laws import density_exponent, learning_exponent

GREY = (0.4, 0.4, 0.4)
SHOWN_RANKS = range(10, 101, 10)


@styled
def draw(cells: pd.DataFrame, spectra: pd.DataFrame, *, preset: str) -> Figure:
    """A: tails on digits by number of points, and the error against P; B: tails on spheres.

    C: eigenvalues on spheres by rank; D: on digits at n points over those at all, ranks 10 to 100.
    All with the Laplace kernel.
    """
    figure, page = laid_out_page(2 * ROW, preset=preset)
    boxes = page.subplots(2, 2).ravel()
    own = cells[(cells["experiment"] == "spectrum") & (cells["kernel"] == "laplace")]
    columns = ["key", "data", "d", "teacher", "P", "seed"]
    table = spectra.merge(own[columns], on="key")
    digits, spheres = (table[table["data"] == name] for name in ("digits", "sphere"))
    sizes = sorted(int(P) for P in digits["P"].unique())
    tints = shades([float(P) for P in sizes], "viridis")
    for axes, letter, title, rows in zip(
        boxes, "ABCD",
        ("digits: power beyond a rank", "spheres: power beyond a rank",
         "spheres: Gram spectrum", "digits: convergence of eigenvalues"),
        (digits, spheres, spheres, digits), strict=True,
    ):  # fmt: skip
        panel_title(axes, letter, title)
        if rows.empty:
            empty_panel(axes, f"not in preset {preset}")
    _tails(boxes[0], digits, tints, cells)
    dimensions = _spheres(boxes[1], boxes[2], spheres)
    _convergence(boxes[3], digits, tints)
    marks = dimension_marks(dimensions)
    add_legends(
        page,
        [
            ("Points (A, D)", [line(f"{P}", color=tints[float(P)], linewidth=4) for P in sizes]),
            ("Dimension (B, C)", [curve_handle(f"$d={d}$", *marks[d]) for d in dimensions]),
            ("Lines", [curve_handle("error of regression (A)", GREY, "X", filled=False), GUIDES]),
        ],
    )  # fmt: skip
    return figure


def _tails(
    axes: Axes, rows: pd.DataFrame, tints: dict[float, tuple[float, float, float]],
    cells: pd.DataFrame,
) -> None:  # fmt: skip
    """A: means over draws."""
    if rows.empty:
        return
    logarithmic(axes, "part of the target", "rank; training points $P$")
    for P, tint in tints.items():
        means = rows[rows["P"] == P].groupby("rank")["tail"].mean()
        axes.plot(means.index, means, color=tint, gid=f"tail {P:.0f}")
    curve = cells[
        (cells["experiment"] == "digits") & (cells["kernel"] == "laplace")
        & (cells["method"] == "regression") & (cells["sigma"] == 1)
    ]  # fmt: skip
    if len(curve):
        draw_curve(axes, curve, "mse", tint=GREY, symbol="X", filled=False, name="error")
    axes.set_ylim(bottom=max(axes.get_ylim()[0], 1e-3))


def _spheres(tails: Axes, values: Axes, rows: pd.DataFrame) -> list[int]:
    """B, C: the largest Gram matrices; returns the dimensions."""
    dimensions = sorted(int(d) for d in rows["d"].dropna().unique())
    marks = dimension_marks(dimensions)
    for axes, quantity, label in (
        (tails, "tail", "part of the target"), (values, "eigenvalue", "eigenvalue / points"),
    ):  # fmt: skip
        if len(rows):
            logarithmic(axes, label, "rank")
        for d in dimensions:
            own = rows[rows["d"] == d]
            own = own[own["P"] == own["P"].max()]
            means = own.groupby("rank")[quantity].mean()
            axes.plot(means.index, means, color=marks[d][0], marker=marks[d][1], markersize=3,
                      gid=f"{quantity} d={d}")  # fmt: skip
            law = learning_exponent("laplace", "laplace", d)
            if quantity == "eigenvalue":
                law = 1 / (density_exponent("laplace", d) - 1)
            middle = means[means.index <= own["P"].max() / 10]
            draw_guide(axes, middle, law, name=f"d={d}")
    return dimensions


def _convergence(
    axes: Axes, rows: pd.DataFrame, tints: dict[float, tuple[float, float, float]]
) -> None:
    """D: a line for each number of points, mean over draws."""
    if rows.empty:
        return
    shown = rows[rows["rank"].isin(SHOWN_RANKS)]
    means = shown.groupby(["P", "rank"])["eigenvalue"].mean().unstack("rank")
    ratios = means / means.loc[means.index.max()]
    for P, tint in tints.items():
        ratio = ratios.loc[int(P)]
        axes.plot(ratio.index, ratio, color=tint, marker=".", gid=f"ratio {P:.0f}")
    axes.axhline(1.0, color=GUIDE, linewidth=0.8, linestyle=":", gid="one")
    axes.set(xlabel="rank", ylabel="eigenvalue / that of most points", ylim=(0, None))
