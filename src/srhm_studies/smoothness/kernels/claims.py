"""Claims on learning curves of kernel methods (chapter 6 of the thesis).

Tolerances were fixed before the grids of quick and laptop were run. A run with one to a few seeds
up to P = 1024 had been seen, to see that the numbers are stable. Those on 5,000 digits of MNIST are
those of other digits and of spheres; another's trial had given β of 0.34 to 0.36, a − 1 of 0.40 to
0.47 and d_eff = 12.6.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Measurement, Tables
from srhm.scorecard.expectations import Above, Expectation, Within
from srhm.scorecard.sheet import Rows, Sheet, rows_of
from srhm_studies.smoothness.kernels.analysis import FIXED_RANKS
from srhm_studies.smoothness.kernels.methods import (
    density_exponent,
    learning_exponent,
    stripe_exponent,
)

# Coordinates in which spectra agree of which those of most points count.
SPECTRUM = ["experiment", "data", "d", "kernel", "quantity"]
Family = dict[str, Any]


@rows_of("exponents", what="runs")
def curves(exponents: pd.DataFrame) -> pd.DataFrame:
    """Pseudo-values of the exponents of each curve at its last decade of P."""
    return exponents[exponents["window"] == "last decade"]


@rows_of("exponents", what="runs")
def ranks(exponents: pd.DataFrame, *, window: str) -> pd.DataFrame:
    """Exponents of spectra, of most points that several seeds have."""
    rows = exponents[exponents["window"] == window]
    seeds = rows.groupby([*SPECTRUM, "P"], dropna=False)["seed"].transform("nunique")
    size = rows["P"].where(seeds > 1, rows["P"] - rows["P"].max())  # any other one is below 1
    most = size.groupby([rows[name] for name in SPECTRUM], dropna=False).transform("max")
    return rows[size == most]


@rows_of("spectra", "cells", what="seeds")
def convergence(
    spectra: pd.DataFrame, cells: pd.DataFrame, *, data: str = "digits"
) -> pd.DataFrame:
    """By which factor eigenvalues move further at the last but one doubling of the points.

    For each seed the change of the mean log of FIXED_RANKS from a quarter to a half, divided by
    that from a half to all points, of which the mean over seeds counts. 1/P leads to 2.
    """
    grams = cells.query("experiment == 'spectrum' and data == @data and kernel == 'laplace'")
    joined = spectra.merge(grams[["key", "P", "seed"]], on="key")
    joined = joined[joined["rank"].isin(FIXED_RANKS)]
    of_seeds = joined.assign(log=np.log(joined["eigenvalue"])).groupby(["P", "seed"])["log"].mean()
    sizes = sorted(of_seeds.index.unique("P"))
    if len(sizes) < 3:
        return pd.DataFrame(columns=["seed", "factor", "P"])
    quarter, half, largest = sizes[-3:]
    logs = of_seeds.unstack("P")
    last = logs[half] - logs[largest].mean()
    return ((logs[quarter] - logs[half]) / last).rename("factor").reset_index().assign(P=largest)


def exponent(family: Family, rows: Rows = curves) -> Any:
    """Exponent of one curve with the interval of its jackknife, or of its spectra over seeds."""
    return rows.mean("exponent", where=family, note_columns=("n_from", "n_to"))


def difference(one: Family, other: Family) -> Any:
    """Exponent of one curve minus that of another, run by run."""
    return curves.difference("exponent", where=one, over=other, on="seed",
                             what="runs, the same in both curves, by a jackknife")  # fmt: skip


def compared(one: Family, other: Family, data: str) -> Any:
    """As `difference`, on one kind of digits."""
    return difference({**one, "experiment": data}, {**other, "experiment": data})


def on_mnist(measure: Callable[[str], Callable[[Tables], Measurement]]) -> Any:
    """A measurement on the whole of MNIST where a run has it, else on 5,000 of its digits."""

    def found(tables: Tables) -> Measurement:
        whole = measure("mnist")(tables)
        return whole if whole.n else measure("mnist5k")(tables)

    return found


def beyond_pca(data: str) -> Callable[[Tables], Measurement]:
    """Exponent of the mean squared error on digits minus that of the tail of kernel PCA.

    The two errors are independent estimates; the interval has the width of both.
    """

    def found(tables: Tables) -> Measurement:
        curve = exponent({**LAPLACE, "experiment": data})(tables)
        tail = exponent({**TAIL, "data": data}, OF_FIXED)(tables)
        if not (curve.n and tail.n):
            return NOT_MEASURED
        value = curve.value - tail.value
        half = sum((estimate.high - estimate.value) ** 2 for estimate in (curve, tail)) ** 0.5
        note = f"{curve.value:.3f} of the curve, {tail.value:.3f} of the tail"
        return Measurement(value=value, low=value - half, high=value + half,
                           n=min(curve.n, tail.n), note=note)  # fmt: skip

    return found


LAPLACE = {"experiment": "digits", "sigma": 1.0, "kernel": "laplace", "method": "regression",
           "quantity": "mse"}  # fmt: skip
MACHINE = {**LAPLACE, "method": "svm", "quantity": "error"}
# What is independent of what: one curve minus another.
COMPARED = (
    ("kernel", "squared error, Laplace minus Gauss kernel", LAPLACE, {"kernel": "gauss"}, "Fig. 1"),
    ("task", "error of the SVM minus squared error of regression", MACHINE, LAPLACE, "Fig. 1"),
    ("width", "squared error, kernel width σ = 10 minus σ = 1",
     {**LAPLACE, "sigma": 10.0}, LAPLACE, "app. B, Fig. 5"),
    ("width-narrow", "squared error, kernel width σ = 0.1 minus σ = 1",
     {**LAPLACE, "sigma": 0.1}, LAPLACE, "app. B, Fig. 5"),
)  # fmt: skip
OF_FIXED = ranks.given(window="fixed ranks")
TENS = f"ranks {FIXED_RANKS[0]} to {FIXED_RANKS[-1]}"
TAIL = {"experiment": "spectrum", "data": "digits", "kernel": "laplace", "quantity": "tail"}
SPECTRUM_OF = {"experiment": "spectrum", "kernel": "laplace", "quantity": "eigenvalue"}
DISTANCE = {"experiment": "neighbours", "quantity": "distance"}
STUDENT = {"experiment": "teacher_student", "quantity": "expected_mse", "kernel": "laplace"}
NAMES = {"laplace": "Laplace", "gauss": "Gauss"}
OF_FORMULA = "0.1 of the formula, which holds for large P alone"
SAME = (
    "0.1: the thesis calls exponents of 0.36 and 0.4, 0.07 and 0.1 equal, and 0.4 and 0.1 different"
)
# The rule of convergence, changed after seeing results.
DOUBLINGS = (
    "the changes are to vanish; changed after seeing results: before, the eigenvalue at half the"
    " points was to be within a tenth of that at all, which the source does not say"
)
HALF = "0.075: half the distance of the two numbers, as for networks (stripe)"
MORE_RUNS = (
    "; P = 8192 of inputs as they are, and sixteen runs in place of eight, were set after seeing"
    " 0.44 [0.39, 0.50] and 0.73 [0.51, 0.95]"
)
NO_DIFFERENCE = {"expected": Within(0, 0.1), "why": SAME}

sheet = Sheet()
teacher = sheet.topic("Teacher and student", "kernel_teachers", why=OF_FORMULA)
digits = sheet.topic("Digits", "kernel_digits", **NO_DIFFERENCE)
stripes = sheet.topic("The stripe model", "kernel_stripe", place="thesis, ch. 3b, Fig. 9, right")
mnist = sheet.topic("MNIST", "kernel_mnist5k", **NO_DIFFERENCE)
geometry = sheet.topic("Spectra and neighbours", "kernel_neighbours", why=OF_FORMULA)


def tenth(value: float) -> Expectation:
    """A number, give or take a tenth of it."""
    return Within(value, 0.1 * value)


for data, words, place in (("sphere", "Sphere S^", "thesis, ch. 6, Theorem 1; Fig. 2"),
                           ("cube", "Cube, d = ", "ch. 6, Theorem 1"),
                           ("lattice", "Lattice, d = ", "ch. 6, Theorem 1")):  # fmt: skip
    for name in NAMES:
        for d in (1, 2, 3, 5) if (data, name) == ("sphere", "laplace") else (1, 2, 3):
            teacher(f"kernel-{data}-{name}-{d}",
                    f"{words}{d}, {NAMES[name]} teacher, Laplace student: squared error ~ P^-β",
                    exponent({**STUDENT, "data": data, "d": d, "teacher": name, "sigma": d}),
                    tenth(learning_exponent(name, "laplace", d)), place=place)  # fmt: skip
on_S2 = {**STUDENT, "data": "sphere", "d": 2, "teacher": "laplace"}
teacher("kernel-sigma",
        "Sphere S^2, Laplace teacher and student: β of squared error ~ P^-β, σ = d minus σ = 10",
        difference({**on_S2, "sigma": 2.0}, {"sigma": 10.0}),
        Within(0, 0.1 * learning_exponent("laplace", "laplace", 2)),
        figure="kernel_dimensions", place="thesis, ch. 6, appendix C, Fig. 6")  # fmt: skip
for index, name in enumerate(
    ("laplace", "matern-1", "matern-3/2", "matern-2", "matern-5/2"), start=1
):
    teacher(f"kernel-matern-{index}",
            f"Circle S^1, Matérn teacher ν = {index}/2, Laplace student: squared error ~ P^-β",
            exponent({**STUDENT, "data": "sphere", "d": 1, "teacher": name, "sigma": 2.0}),
            tenth(learning_exponent(name, "laplace", 1)),
            place="thesis, ch. 6, Eq. 26; Fig. 8")  # fmt: skip
for name, words, one, other, place in COMPARED:
    digits(f"kernel-digits-{name}", f"Digits: exponent β of the {words}", difference(one, other),
           place=f"thesis, ch. 6, {place} (MNIST)")  # fmt: skip
digits("kernel-digits-pca",
       "Digits: exponent β of the squared error minus a − 1, a: exponent of kernel PCA",
       beyond_pca("digits"), figure="kernel_pca",
       place="thesis, ch. 6, section 6, Fig. 3")  # fmt: skip
for name, words in (("stripe", "inputs as they are"),
                    ("stripe-compressed", "inputs compressed by √P")):  # fmt: skip
    for kernel, label in (("laplace", "Laplace"), ("tangent", "tangent")):
        looked = {"why": HALF + MORE_RUNS, "fixed": "after"} if kernel == "tangent" else {}
        stripes(f"kernel-{name}-{kernel}",
                f"Stripes, {words}, d = 5, {label} kernel: exponent β of the test error ~ P^-β",
                exponent({"experiment": "stripe", "data": name.replace("-", "_"), "d": 5,
                          "kernel": kernel, "quantity": "error"}),
                Within(stripe_exponent(5, compressed=name != "stripe"), 0.075),
                **{"why": HALF, **looked})  # fmt: skip
mnist("kernel-mnist-beta", "MNIST, Laplace kernel: exponent β of the squared error ~ P^-β",
      on_mnist(lambda data: exponent({**LAPLACE, "experiment": data})),
      Within(0.4, 0.1), place="thesis, ch. 6, Fig. 1")  # fmt: skip
for name, words, one, other, place in COMPARED:
    mnist(f"kernel-mnist-{name}", f"MNIST: exponent β of the {words}",
          on_mnist(partial(compared, one, other)),
          place=f"thesis, ch. 6, {place}")  # fmt: skip
mnist("kernel-mnist-ranks", f"MNIST: a − 1, a: exponent of kernel PCA at {TENS}",
      exponent({**TAIL, "data": "mnist5k"}, OF_FIXED), Within(0.36, 0.1),
      place="thesis, ch. 6, Fig. 3: 0.36; ranks not stated")  # fmt: skip
mnist("kernel-mnist-pca",
      f"MNIST: exponent β of the squared error minus a − 1 of kernel PCA at {TENS}",
      beyond_pca("mnist5k"), place="thesis, ch. 6, section 6, Fig. 3")  # fmt: skip
CONVERGENCE = "change of eigenvalues 10 to 100 from P/4 to P/2 divided by change from P/2 to P"
CONVERGED: dict[str, Any] = {"expected": Above(1), "why": DOUBLINGS, "fixed": "after",
                             "place": "thesis, ch. 6, appendix J, Fig. 9"}  # fmt: skip
mnist("kernel-mnist-convergence", f"MNIST: {CONVERGENCE}",
      convergence.given(data="mnist5k").mean("factor", per="seed", note_columns="P"),
      **CONVERGED)  # fmt: skip
mnist("kernel-mnist-theta",
      f"MNIST, Laplace kernel: exponent 1/(θ − 1) of Gram eigenvalues by rank, {TENS}",
      exponent({**SPECTRUM_OF, "data": "mnist5k"}, OF_FIXED), tenth(1 / 0.937),
      "a tenth, as on spheres", place="thesis, ch. 6, Fig. 9: θ = 1.937")  # fmt: skip
for d in (1, 2, 3):
    geometry(f"kernel-theta-{d}",
             f"Sphere S^{d}, Laplace kernel: exponent 1/(θ − 1) of Gram eigenvalues by rank",
             exponent({**SPECTRUM_OF, "data": "sphere", "d": d}, ranks.given(window="ranks")),
             tenth(1 / (density_exponent("laplace", d) - 1)),
             figure="kernel_pca", place="thesis, ch. 6, Eq. 56, 57")  # fmt: skip
for d in (1, 2, 3, 5):
    geometry(f"kernel-neighbour-{d}",
             f"Sphere S^{d}: exponent of 1/P in the distance to the nearest neighbour",
             exponent({**DISTANCE, "data": "sphere", "d": d}),
             tenth(1 / d), place="thesis, ch. 6, Eq. 15; Fig. 4")  # fmt: skip
geometry("kernel-gram-convergence", f"Digits: {CONVERGENCE}",
         convergence.mean("factor", per="seed", note_columns="P"), figure="kernel_pca",
         **CONVERGED)  # fmt: skip

CLAIMS = sheet.finished(
    changed={
        "kernel-sphere-laplace-? kernel-sphere-gauss-[23] kernel-cube-laplace-? kernel-lattice-*"
        " kernel-matern-* kernel-sigma": "24 seeds in place of 4 to 12, by cost alone",
        "kernel-sphere-laplace-5": (
            "P = 4096 and 8192, as 0.223 [0.221, 0.225] disagreed and exponents from P to P fell"
        ),
        "kernel-cube-gauss-? kernel-*-width-narrow": (
            "shown before without a claim; a reviewer saw that they depart from the law"
        ),
        "kernel-cube-laplace-3": (
            "P = 2048 and 4096, as 0.379 [0.374, 0.385] disagreed and exponents from P to P fell"
        ),
        "kernel-mnist-ranks kernel-mnist-pca kernel-mnist-theta kernel-digits-pca": (
            f"{TENS}, before a fraction of the points, whose ranks grow with P"
        ),
    }
)
