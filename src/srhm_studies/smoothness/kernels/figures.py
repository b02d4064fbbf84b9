"""Figures of the learning curves of kernel methods: means over runs with their standard error.

Dashed guides have the slope of a law and end at the last point of their family.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from srhm.figures import looks
from srhm.figures.averaging import spread
from srhm.figures.complexity_marks import empty_places
from srhm.figures.looks import BLACK, BLUE, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel, law, laws, level, power_law
from srhm.figures.scales import Scale, by_name, distinct, graded, nets
from srhm.figures.words import between, plural
from srhm.model.theory import predicted
from srhm.scorecard.rows import chosen
from srhm.statistics.regression import CONFIDENCE
from srhm_studies.smoothness.kernels.analysis import FIXED_RANKS, of_grammars
from srhm_studies.smoothness.kernels.methods import (
    COMPRESSED,
    density_exponent,
    learning_exponent,
    neighbour_distance,
    stripe_exponent,
)
from srhm_studies.smoothness.kernels.methods import KERNELS as SMOOTHNESS

KERNELS = {"laplace": Look("Laplace", VERMILION), "gauss": Look("Gauss", PURPLE)}
METHODS = {"regression": Look("regression", marker="o", filled=True),
           "svm": Look("SVM", marker="s", filled=False)}  # fmt: skip
INPUTS = {"stripe": Look("as they are", BLUE, "o"),
          COMPRESSED: Look("compressed by $\\sqrt{P}$", VERMILION, "s")}  # fmt: skip
WIDTHS = {False: Look("$\\sigma=d$", marker="o", filled=True),
          True: Look("$\\sigma=10$", marker="s", filled=False)}  # fmt: skip
# Teacher by colour, student by shape; full where they are the same.
PAIRS = {f"{teacher} {student}": Look(f"{KERNELS[teacher].label}, {KERNELS[student].label}",
                                      KERNELS[teacher].colour, "o" if student == "laplace" else "s",
                                      filled=teacher == student)
         for teacher in KERNELS for student in KERNELS}  # fmt: skip
PLACES = {"sphere": "spheres", "cube": "cubes", "lattice": "lattices"}
ABSENT = {"mnist": "No files of MNIST here: make mnist.",
          "mnist5k": "Without published rows: make env-images."}  # fmt: skip
NUMBER = Axis("points $P$", log=True)
RANK, PART = Axis("rank", log=True), Axis("fraction of the target", log=True)
ERROR = Axis("mean squared error / variance", log=True)
CIRCLE_WIDTH, STANDARD_WIDTH = 2.0, 1.0
DIMENSION = 15  # d_eff of MNIST in the thesis


def curve(rows: pd.DataFrame, y: str, by: Sequence[str] = ()) -> pd.DataFrame:
    """Means over runs against P, `low` and `high` a standard error beside; positive ones alone."""
    means = spread(rows.dropna(subset=[y]), y, [*by, "P"], ends="error")
    means = means[means[y] > 0]
    return means.assign(low=np.maximum(means["low"], means[y] / 10))


def drawn(rows: pd.DataFrame, y: str, *by: Scale, **others: Any) -> Marks:
    """A curve with its band, against P."""
    means = curve(rows, y, [scale.column for scale in by])
    return Marks(**{"rows": means, "x": "P", "y": y, "low": "low", "high": "high", "band": True,
                    "by": by, "line": "-", "size": 3.5, "name": "curve", **others})  # fmt: skip


def guides(
    means: pd.DataFrame, y: str, by: Scale, exponent: Callable[[Any], float], *, x: str = "P"
) -> Marks:
    """A dashed line of slope -exponent for each family, through its last point, over a decade."""
    rows = []
    for value, family in means.sort_values(x).groupby(by.column):
        power, end, height = exponent(value), float(family[x].iloc[-1]), float(family[y].iloc[-1])
        rows += [{by.column: value, x: at, y: height * (at / end) ** -power}
                 for at in (max(end / 10, float(family[x].iloc[0])), end)
                 if power < float("inf")]  # fmt: skip
    lines = pd.DataFrame(rows, columns=[by.column, x, y])
    shown = by.without("marker", "colour")
    return replace(laws(lines, x, y, "slope of the law", by=[shown], name="guide"), order=4.0)


def with_law(
    rows: pd.DataFrame, y: str, by: Scale, exponent: Callable[[Any], float], **others: Any
) -> list[Marks]:
    """A curve for each family, and its law."""
    return [drawn(rows, y, by, **others), guides(curve(rows, y, [by.column]), y, by, exponent)]


def runs(rows: pd.DataFrame) -> str:
    """How many runs the curves of a panel are means of, for its title."""
    counts = rows.groupby(["curve", "P"], dropna=False)["seed"].nunique()
    return f", {between(counts)} {plural('run', int(counts.max()))}" if len(rows) else ""


def dimensions(rows: pd.DataFrame, title: str = "$d$") -> Scale:
    """A colour and a marker for each dimension."""
    return distinct("d", rows["d"].dropna().astype(int), title)


def kernel_teachers(cells: pd.DataFrame, *, preset: str) -> Figure:
    """MSE of Laplace students. A, B: spheres; D, E: cubes; F, G: lattices, Laplace and Gauss
    teacher each. C: Matérn teachers on the circle."""
    rows = chosen(cells, {"experiment": "teacher_student", "kernel": "laplace"})
    width_d = rows[rows["sigma"] == rows["d"]]
    by, y = dimensions(width_d, "$d$ (all but C)"), "expected_mse"
    circle = chosen(rows, {"d": 1, "sigma": CIRCLE_WIDTH, "data": "sphere"})
    circle = circle.assign(nu=circle["teacher"].map(SMOOTHNESS).astype(float))
    names = dict(zip(circle["nu"], circle["teacher"], strict=True))
    panels = [
        Panel(title=f"{PLACES[data]}, {KERNELS[teacher].label}{runs(part)}", x=POINTS, y=ERROR,
              marks=with_law(part, y, by, partial(learning_exponent, teacher, "laplace")))
        for data in PLACES for teacher in KERNELS
        for part in [chosen(width_d, {"data": data, "teacher": teacher})]
    ]  # fmt: skip
    panels.insert(2, Panel(title=f"circle, Matérn{runs(circle)}", x=POINTS, y=ERROR, marks=with_law(
        circle, y, distinct("nu", circle["nu"], "$\\nu$ (C)"),
        lambda nu: learning_exponent(names[nu], "laplace", 1), name="curve matern")))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset)


def kernel_dimensions(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: beta against d, Laplace and Gauss teacher; C: against nu on the circle."""
    fit = chosen(exponents, {"experiment": "teacher_student", "kernel": "laplace",
                             "data": "sphere", "quantity": "expected_mse"})  # fmt: skip
    ends = fit.loc[fit["window"] == "from the start", "n_to"].unique()
    words, beta, panels = "$\\min(\\alpha_T-d,2\\alpha_S)/d$", Axis("exponent $\\beta$"), []
    for teacher, look in KERNELS.items():
        rows = fit[(fit["teacher"] == teacher) & ((fit["sigma"] == fit["d"]) | (fit["sigma"] > 9))]
        ds = sorted(int(d) for d in rows["d"].unique())
        line = law(ds, [learning_exponent(teacher, "laplace", d) for d in ds], words, name="law",
                   line="-")  # fmt: skip
        panels.append(Panel(
            title=f"spheres, {look.label} teacher", x=Axis("dimension $d$", ticks=ds), y=beta,
            marks=[*_fits(rows.assign(x=rows["d"].astype(float)), ends), line],
        ))  # fmt: skip
    rows = fit[(fit["d"] == 1) & (fit["sigma"] == CIRCLE_WIDTH) & (fit["teacher"] != "gauss")]
    rows, nu = rows.assign(x=rows["teacher"].map(SMOOTHNESS).astype(float)), np.array([0.5, 2, 2.5])
    panels.append(Panel(
        title="circle, Matérn teachers", x=Axis("smoothness $\\nu$ of the teacher"), y=beta,
        marks=[*_fits(rows, ends), law(nu, np.minimum(2 * nu, 4), words, name="law", line="-")],
    ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset)


def _fits(rows: pd.DataFrame, ends: np.ndarray) -> list[Marks]:
    """Exponents at x of each curve, one marker for each window; intervals of the last decade."""
    rows = rows.assign(wide=(rows["sigma"] == 10) & (rows["d"] != 10))
    betas = rows.groupby(["wide", "x", "window", "n_to"])["exponent"].agg(["mean", "sem", "size"])
    betas = betas.reset_index()
    last = betas["window"] == "last decade"
    half = betas["sem"] * stats.t.ppf((1 + CONFIDENCE) / 2, np.maximum(betas["size"] - 1, 1))
    betas = betas.assign(low=betas["mean"] - half, high=betas["mean"] + half,
                         x=betas["x"] + 0.12 * betas["wide"] + 0.06 * last)  # fmt: skip
    widths = by_name("wide", betas["wide"], WIDTHS, "Width (A, B)")
    shades = graded("n_to", ends, "Fit up to $P=$", label=lambda P: f"${P:g}$")
    return [
        Marks(rows=betas[~last], x="x", y="mean", name="exponent from the start",
              by=[shades, widths]),
        Marks(rows=betas[last], x="x", y="mean", low="low", high="high", order=3.0, by=[widths],
              name="exponent last decade", colour=VERMILION,
              label=f"last decade of $P$, {100 * CONFIDENCE:.0f} % interval"),
    ]  # fmt: skip


def kernel_students(cells: pd.DataFrame, *, preset: str) -> Figure:
    """MSE of teachers and students where Gauss learns Gauss; B: the line of chapter 6."""
    rows = cells[cells["experiment"] == "teacher_student"]
    gaussian = rows[(rows["kernel"] == "gauss") & (rows["sigma"] == rows["d"])]
    d = int(gaussian["d"].max()) if len(gaussian) else 0
    mse = chosen(rows, {"d": d, "data": "sphere", "sigma": d})
    mse = mse.assign(pair=mse["teacher"] + " " + mse["kernel"])
    mse = mse[mse["pair"].isin(PAIRS)]
    by, both = by_name("pair", mse["pair"], PAIRS, "Teacher, student"), mse["pair"] == "gauss gauss"
    root = mse[both].assign(P=mse["P"] ** (1 / 3))
    return mosaic([
        Panel(title=f"sphere, $d={d}${runs(mse)}", x=POINTS, y=ERROR, marks=with_law(
            mse, "expected_mse", by,
            lambda pair: learning_exponent(pair.split()[0], pair.split()[1], d))),
        Panel(title=f"Gauss teacher and student, $d={d}${runs(mse[both])}", x=Axis("$P^{1/3}$"),
              y=ERROR, marks=[drawn(root, "expected_mse", by, name="curve stretched")]),
    ], columns=2, preset=preset)  # fmt: skip


def kernel_digits(cells: pd.DataFrame, *, preset: str, experiment: str) -> Figure:
    """A: MSE of regression; B: test error of regression and machine; C: MSE by width, Laplace."""
    rows = cells[cells["experiment"] == experiment]
    return mosaic(_of_digits(rows), columns=3, preset=preset, absent=ABSENT.get(experiment, ""))


def _of_digits(rows: pd.DataFrame) -> list[Panel]:
    standard = rows[rows["sigma"] == STANDARD_WIDTH]
    widths = chosen(rows, {"kernel": "laplace", "method": "regression"})
    by = [by_name("kernel", standard["kernel"], KERNELS, "Kernel"),
          by_name("method", standard["method"], METHODS, "Task (A, B)")]  # fmt: skip
    squared = Axis("mean squared error", log=True)
    return [
        Panel(title=f"regression{runs(standard)}", x=POINTS, y=squared,
              marks=[drawn(standard[standard["method"] == "regression"], "mse", *by)]),
        Panel(title=f"classification{runs(standard)}", x=POINTS,
              y=Axis("test error (fraction wrong)", log=True),
              marks=[drawn(standard, "error", *by)]),
        Panel(title=f"Laplace kernel{runs(widths)}", x=POINTS, y=squared,
              marks=[drawn(widths, "mse", distinct("sigma", widths["sigma"], "$\\sigma$ (C)"))]),
    ]  # fmt: skip


def kernel_mnist5k(cells: pd.DataFrame, spectra: pd.DataFrame, *, preset: str) -> Figure:
    """A to C: as of 8 x 8 digits; D, E: kernel PCA; F: distances to the nearest neighbour."""
    mnist = cells[cells["data"] == "mnist5k"]
    near = mnist[mnist["experiment"] == "neighbours"]
    table = _of_spectra(mnist, spectra)
    means = curve(near, "distance").head(1)
    slope = [
        power_law(list(near["P"]), -1 / DIMENSION, through=(P, distance),
                  label=f"slope $-1/{DIMENSION}$ (F)")
        for P, distance in means[["P", "distance"]].to_numpy().tolist()
    ]  # fmt: skip
    return mosaic([
        *_of_digits(mnist[mnist["experiment"] == "mnist5k"]),
        *_of_pca(cells, table, "mnist5k", "MNIST", "DE"),
        Panel(title=f"nearest neighbours{runs(near)}", x=NUMBER,
              y=Axis("distance / mean distance", log=True), marks=[
                  drawn(near, "distance", name="distance", colour=BLACK,
                        label="digits of MNIST (F)"), *slope] if len(near) else []),
    ], columns=3, preset=preset, absent=ABSENT["mnist5k"])  # fmt: skip


def kernel_pca(cells: pd.DataFrame, spectra: pd.DataFrame, *, preset: str) -> Figure:
    """A: tails on digits; B: tails on spheres; C: their eigenvalues; D: eigenvalues of digits.

    All with the Laplace kernel. The law of B and C ends at a tenth of the points.
    """
    table = _of_spectra(cells, spectra)
    spheres = table[table["data"] == "sphere"]
    most = spheres[spheres["P"] == spheres.groupby("d")["P"].transform("max")]
    means = most.groupby(["d", "P", "rank"])[["tail", "eigenvalue"]].mean().reset_index()
    middle, by = means[means["rank"] <= means["P"] / 10], dimensions(spheres, "$d$ (B, C)")
    tails, convergence = _of_pca(cells, table[table["data"] == "digits"], "digits", "digits", "AD")
    exponents = {"tail": lambda d: learning_exponent("laplace", "laplace", d),
                 "eigenvalue": lambda d: 1 / (density_exponent("laplace", d) - 1)}  # fmt: skip
    axes = {"tail": ("target beyond a rank", PART),
            "eigenvalue": ("Gram spectrum", Axis("eigenvalue / points", log=True))}  # fmt: skip
    return mosaic([tails, *(
        Panel(title=f"spheres: {words}", x=RANK, y=axis, marks=[
            Marks(rows=means, x="rank", y=y, by=[by], line="-", size=2),
            # Marks are dense: the law stands out of them.
            replace(guides(middle, y, by, exponents[y], x="rank"), colour=BLACK, width=1.4)])
        for y, (words, axis) in axes.items()
    ), convergence], columns=2, preset=preset)  # fmt: skip


def _of_spectra(cells: pd.DataFrame, spectra: pd.DataFrame) -> pd.DataFrame:
    laplace = chosen(cells, {"experiment": "spectrum", "kernel": "laplace"})
    return spectra.merge(laplace[["key", "data", "d", "teacher", "P", "seed"]], on="key")


def _of_pca(
    cells: pd.DataFrame, spectra: pd.DataFrame, data: str, words: str, letters: str
) -> list[Panel]:
    """Tails by number of points beside the error of regression; eigenvalues over those of most."""
    sizes = graded("P", spectra["P"].astype(int), f"Points ({letters[0]}, {letters[1]})")
    means = spectra.groupby(["P", "rank"])[["tail", "eigenvalue"]].mean().reset_index()
    fixed = means[means["rank"].isin(FIXED_RANKS)]
    last = fixed[fixed["P"] == fixed["P"].max()][["rank", "eigenvalue"]]
    both = fixed.merge(last, on="rank", suffixes=("", "_last"))
    both = both.assign(ratio=both["eigenvalue"] / both["eigenvalue_last"])
    known = chosen(cells, {"experiment": data, "kernel": "laplace", "method": "regression",
                           "sigma": STANDARD_WIDTH})  # fmt: skip
    return [
        Panel(title=f"{words}: target beyond a rank", x=Axis("rank; training points $P$", log=True),
              y=Axis("fraction of the target", log=True, limits=(1e-3, None)), marks=[
                  Marks(rows=means, x="rank", y="tail", by=[sizes], marker="", line="-"),
                  drawn(known, "mse", name="curve error", colour=BLACK, marker="X", filled=False,
                        label=f"error of regression ({letters[0]})"),
              ] if len(spectra) else []),
        Panel(title=f"{words}: convergence of eigenvalues", x=Axis("rank"),
              y=Axis("eigenvalue / at largest $P$", limits=(0, None)), marks=[
                  Marks(rows=both, x="rank", y="ratio", by=[sizes], marker=".", line="-"),
                  level(1.0, f"1: converged ({letters[1]})", name="one")]),
    ]  # fmt: skip


def kernel_neighbours(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: spheres, with the law for many points, no fit. B: digits beside spheres."""
    rows = cells[cells["experiment"] == "neighbours"].copy()
    least = rows["distance"].where(rows["P"] == rows.groupby("curve")["P"].transform("min"))
    rows["relative"] = rows["distance"] / least.groupby(rows["curve"]).transform("mean")
    spheres, ours = (rows[rows["data"] == name] for name in ("sphere", "digits"))
    by, exact = dimensions(spheres), curve(spheres, "distance", ["d"])
    exact["distance"] = [
        neighbour_distance(int(d), int(P)) for d, P in exact[["d", "P"]].to_numpy()
    ]
    return mosaic([
        Panel(title=f"spheres{runs(spheres)}", x=NUMBER,
              y=Axis("nearest distance / radius", log=True), marks=[
                  drawn(spheres, "distance", by),
                  laws(exact, "P", "distance", "law for many points (A)", name="law",
                       by=[by.without("colour", "marker")])]),
        Panel(title=f"digits beside spheres{runs(ours)}", x=NUMBER,
              y=Axis("relative distance", log=True), marks=[
                  drawn(spheres, "relative", by, name="relative"),
                  drawn(ours, "relative", name="relative digits", colour=BLACK, marker="X",
                        label="digits (B)")] if len(ours) else []),
    ], columns=2, preset=preset)  # fmt: skip


def kernel_stripe(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Test error against P by inputs. A: the Laplace kernel. B: the tangent kernel of a net."""
    rows = chosen(cells, {"experiment": "stripe", "status": "done"})
    by = by_name("data", rows["data"], INPUTS, "Inputs")
    d = int(rows["d"].max()) if len(rows) else 1
    return mosaic([
        Panel(title=f"{kernel.capitalize() if kernel == 'laplace' else kernel} kernel{runs(part)}",
              x=POINTS, y=Axis("test error", log=True), marks=with_law(part, "error", by,
                  lambda data: stripe_exponent(d, compressed=data == COMPRESSED)))
        for kernel in ("laplace", "tangent") for part in [rows[rows["kernel"] == kernel]]
    ], columns=2, preset=preset)  # fmt: skip


def kernel_srhm(
    cells: pd.DataFrame, crossings: pd.DataFrame, networks: pd.DataFrame, *, preset: str,
    threshold: float,
) -> Figure:  # fmt: skip
    """A: test error, B: squared error, against P, largest v; C: P of the threshold against s_0.

    Laws have the constant 1.
    """
    rows = cells[cells["experiment"] == "srhm"]
    rows = rows[rows["v"] == rows["v"].max()]
    crossed = crossings[crossings["v"] == crossings["v"].max()]
    measured = of_grammars(networks, rows).assign(threshold=threshold)
    # Beside s_0 + 1, so that nothing covers another.
    aside = {"laplace": -0.06, "gauss": 0.06, "lcn": -0.12, "cnn": 0.12}
    measured = measured.assign(place=measured["s0"] + 1 + measured["net"].map(aside).astype(float))
    beyond = (crossed["status"] != "reached").astype(int)
    crossed = crossed.assign(
        beyond=beyond, y=crossed["P_star"].where(beyond == 0, crossed["bound_low"]),
        place=crossed["s0"] + 1 + crossed["kernel"].map(aside).astype(float),
    )  # fmt: skip
    title = f"SRHM{f', $v={int(rows.v.iloc[0])}$' if len(rows) else ''}{runs(rows)}"
    by = [by_name("kernel", rows["kernel"], KERNELS, "Kernel"), empty_places(rows["s0"].dropna())]
    of_networks = [nets(measured["net"], title="Network"), by[1]]
    shown: dict[str, Any] = {"filled": False, "marker": "o"}
    s0 = np.array(sorted(by[1].looks))
    grid = crossed.head(1).drop(columns="s0").merge(pd.DataFrame({"s0": s0}), how="cross")
    return mosaic([
        Panel(title=title, x=POINTS, y=Axis("test error", limits=(0, None)), marks=[
            drawn(rows, "error", *by, **shown),
            level(threshold, f"error {threshold:g} (A)", name="threshold", line="--"),
            Marks(rows=measured[measured["net"] == "cnn"], x="P_star", y="threshold",
                  by=of_networks, name="P*", order=5, guide=True)]),
        Panel(title=title, x=POINTS, y=Axis("squared error / that of 0", limits=(0, None)),
              marks=[drawn(rows, "mse", *by, **shown)]),
        Panel(title=f"$P$ of test error {threshold:g}", y=Axis("training points $P$", log=True),
              x=Axis("$s_0+1$", ticks=[s0 + 1 for s0 in by[1].looks]), marks=[
                  Marks(rows=crossed, x="place", y="y", by=by, filled=False, beyond="beyond",
                        arrow_label="not reached, $P$ is", name="kernel"),
                  Marks(rows=measured, x="place", y="P_star", low="P_star_low", high="P_star_high",
                        by=of_networks, name="measured"),
                  *(law(s0 + 1, [predicted(row) for _, row in grid.assign(net=net).iterrows()],
                        words, name=f"law {net}", line=line, colour=looks.net(net).colour)
                    for net, words, line in (("lcn", "Eq. 3, LCN", "-"), ("cnn", "Eq. 4, CNN", ":"))
                    if len(crossed)),
              ] if len(rows) else []),
    ], columns=3, preset=preset)  # fmt: skip
