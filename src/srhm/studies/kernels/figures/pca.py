"""Tails of kernel PCA beside a learning curve, Gram spectra, and how they converge."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale, graded
from srhm.studies.kernels.exponents import FIXED_RANKS
from srhm.studies.kernels.figures.curves import dimensions, drawn, guides
from srhm.studies.kernels.laws import density_exponent, learning_exponent

RANK = Axis("rank", log=True)
PART = Axis("part of the target", log=True)


@styled
def draw(cells: pd.DataFrame, spectra: pd.DataFrame, *, preset: str) -> Figure:
    """A: tails on digits by number of points, and the error against P; B: tails on spheres.

    C: eigenvalues on spheres by rank; D: on digits at n points over those at all, ranks 10 to 100.
    All with the Laplace kernel.
    """
    own = cells[(cells["experiment"] == "spectrum") & (cells["kernel"] == "laplace")]
    table = spectra.merge(own[["key", "data", "d", "teacher", "P", "seed"]], on="key")
    digits, spheres = (table[table["data"] == name] for name in ("digits", "sphere"))
    sizes = graded("P", digits["P"].astype(int), "Points (A, D)")
    most = spheres[spheres["P"] == spheres.groupby("d")["P"].transform("max")]
    means = most.groupby(["d", "P", "rank"])[["tail", "eigenvalue"]].mean().reset_index()
    by = dimensions(spheres, "$d$ (B, C)")
    return mosaic([
        of_tails(digits, standard_curve(cells, "digits"), sizes, "digits", "A"),
        Panel(title="spheres: power beyond a rank", x=RANK, y=PART, marks=_spheres(
            means, "tail", by, lambda d: learning_exponent("laplace", "laplace", d))),
        Panel(title="spheres: Gram spectrum", x=RANK, y=Axis("eigenvalue / points", log=True),
              marks=_spheres(means, "eigenvalue", by,
                             lambda d: 1 / (density_exponent("laplace", d) - 1))),
        of_convergence(digits, sizes, "digits", "D"),
    ], columns=2, preset=preset)  # fmt: skip


def standard_curve(cells: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Regression with the Laplace kernel of the standard width, on one kind of digits."""
    return cells[
        (cells["experiment"] == experiment) & (cells["kernel"] == "laplace")
        & (cells["method"] == "regression") & (cells["sigma"] == 1)
    ]  # fmt: skip


def of_tails(
    spectra: pd.DataFrame, curve: pd.DataFrame, sizes: Scale, words: str, letter: str
) -> Panel:
    """Tails of Gram spectra by number of points, and the error of regression against P."""
    tails = spectra.groupby(["P", "rank"])["tail"].mean().reset_index()
    return Panel(
        title=f"{words}: power beyond a rank", x=Axis("rank; training points $P$", log=True),
        y=Axis("part of the target", log=True, limits=(1e-3, None)), marks=[
            Marks(rows=tails, x="rank", y="tail", by=[sizes], marker="", line="-"),
            drawn(curve, "mse", [], name="curve error", colour=BLACK, marker="X", filled=False,
                  label=f"error of regression ({letter})"),
        ] if len(spectra) else [],
    )  # fmt: skip


def of_convergence(spectra: pd.DataFrame, sizes: Scale, words: str, letter: str) -> Panel:
    """Eigenvalues over those of most points, by rank."""
    return Panel(
        title=f"{words}: convergence of eigenvalues", x=Axis("rank"),
        y=Axis("eigenvalue / at largest $P$", limits=(0, None)), marks=[
            Marks(rows=_convergence(spectra), x="rank", y="ratio", by=[sizes], marker=".",
                  line="-"),
            level(1.0, f"1: converged ({letter})", name="one"),
        ],
    )  # fmt: skip


def _spheres(
    means: pd.DataFrame, quantity: str, by: Scale, exponent: Callable[[int], float]
) -> list[Marks]:
    """B, C: the largest Gram matrices; the law ends at a tenth of the points."""
    middle = means[means["rank"] <= means["P"] / 10]
    law = guides(middle, quantity, by, exponent, x="rank")
    return [
        Marks(rows=means, x="rank", y=quantity, by=[by], line="-", size=2),
        # Marks are dense: the law stands out of them.
        replace(law, colour=BLACK, width=1.4),
    ]


def _convergence(rows: pd.DataFrame) -> pd.DataFrame:
    """P, rank, ratio: means over draws, over those at the most points."""
    shown = rows[rows["rank"].isin(FIXED_RANKS)]
    means = shown.groupby(["P", "rank"])["eigenvalue"].mean().reset_index()
    last = means[means["P"] == means["P"].max()][["rank", "eigenvalue"]]
    both = means.merge(last, on="rank", suffixes=("", "_last"))
    return both.assign(ratio=both["eigenvalue"] / both["eigenvalue_last"])
