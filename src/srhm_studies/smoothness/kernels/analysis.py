"""From cells and spectra to exponents, and the P at which a kernel or a network has learnt.

Letters: P training points, d intrinsic dimension, and those of the SRHM.

A learning curve is the mean over runs (seeds) at each P, as in chapter 6 of the thesis. Its
exponent is minus the slope of the logarithms, its error a delete-one jackknife over the runs: a row
for each seed holds the pseudo-value k e - (k - 1) e_i, with e of all k runs and e_i of all but i.
Their mean is the exponent, their scatter its error, and differences of two curves that share their
seeds are differences of rows.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp, isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from srhm.experiments.cells import schema
from srhm.model.grammar import GRAMMAR
from srhm.statistics.publications import published_complexities
from srhm.statistics.sample_complexity import crossing

# Coordinates of a learning curve, a spectrum or distances: all but P and the seed.
_COORDINATES = {
    "experiment": str, "data": str, "d": int, "teacher": str, "kernel": str, "method": str,
    "sigma": float, "L": int, "s": int, "s0": int, "v": int, "m": int, "n_c": int,
}  # fmt: skip
FAMILY = tuple(_COORDINATES)
# mse: mean squared error over test points (and over drawn fields); expected_mse: its exact mean
# over the fields of the teacher; error: fraction classified wrong; distance: to the nearest.
CELLS = schema({
    **_COORDINATES, "jitter": float, "n_test": int, "n_fields": int, "P": int, "mse": float,
    "expected_mse": float, "error": float, "distance": float,
})  # fmt: skip
# eigenvalue: of the Gram matrix over its size; tail: part of the target's mean square at this rank
# and above.
SPECTRA = schema({"rank": int, "eigenvalue": float, "tail": float}, long=True)

Values = NDArray[np.float64]
Slope = Callable[[Values, Values], float]

_FAMILY = [CELLS.field(name) for name in FAMILY]
# n_from, n_to: P, or ranks of the spectrum of P points; window: which rule gave them.
EXPONENTS = pa.schema([
    *_FAMILY, ("quantity", pa.string()), ("window", pa.string()), ("P", pa.int64()),
    ("n_from", pa.int64()), ("n_to", pa.int64()), ("seed", pa.int64()), ("n_seeds", pa.int64()),
    ("exponent", pa.float64()),
])  # fmt: skip
# bound_low, bound_high: P between which the error falls below the threshold for good.
CROSSINGS = pa.schema([
    *_FAMILY, ("seed", pa.int64()), ("threshold", pa.float64()), ("status", pa.string()),
    ("P_star", pa.float64()), ("bound_low", pa.float64()), ("bound_high", pa.float64()),
])  # fmt: skip
# What has a power law in P, by experiment.
QUANTITIES = {
    "teacher_student": ("expected_mse",),
    "digits": ("mse", "error"),
    "mnist5k": ("mse", "error"),
    "mnist": ("mse", "error"),
    "neighbours": ("distance",),
    "stripe": ("error",),
}
# Ranks of a spectrum that are fitted. Tails vanish at rank n, whatever the data, and eigenvalues
# converge at ranks well below n (appendix J): fits of fixed ranks go from the first to the last of
# those by which convergence is judged. Of power laws, as of spheres, a part of the ranks will do.
FIXED_RANKS = range(10, 101, 10)
PART_OF_RANKS = (1 / 100, 1 / 10)
DECADE = 10.001
LEAST_SIZES = 3
# Powers p between which log MSE = a - b P^p is fitted.
POWERS = (0.02, 1.5)


def exponents(cells: pd.DataFrame, spectra: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Rows of EXPONENTS.

    window: "last decade", P from a tenth of the largest; "from the start", up to each P; "ranks",
    a part of them; "fixed ranks".
    quantity "stretching": the power p of log MSE = a - b P^p of a Gaussian student and teacher.
    """
    for family, of_family in _families(cells):
        for quantity in QUANTITIES.get(family["experiment"], ()):
            table = of_family.pivot_table(index="P", columns="seed", values=quantity).dropna(axis=1)
            yield from _of_curve(family, quantity, table)
        if family["experiment"] == "spectrum":
            joined = spectra.merge(of_family[["key", "P", "seed"]], on="key")
            for (P, seed), ranks in joined.groupby(["P", "seed"]):
                yield from _of_ranks({**family, "P": P, "seed": seed}, ranks)


def crossings(cells: pd.DataFrame, threshold: float) -> Iterator[dict[str, Any]]:
    """Rows of CROSSINGS: where the error on the SRHM falls below the threshold, seed by seed."""
    for family, of_family in _families(cells[cells["experiment"] == "srhm"]):
        for seed, curve in of_family.sort_values("P").groupby("seed"):
            sizes, errors = (curve[name].to_numpy(dtype=float) for name in ("P", "error"))
            star = crossing(sizes, errors, threshold)
            yield {
                **family, "seed": seed, "threshold": threshold, "status": star.status,
                "P_star": exp(star.log_size) if isfinite(star.log_size) else nan,
                "bound_low": star.low, "bound_high": star.high,
            }  # fmt: skip


def power_law(sizes: Values, values: Values) -> float:
    """-b of values ~ sizes^b, least squares of the logarithms."""
    return -float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def stretching(sizes: Values, values: Values) -> float:
    """p of log values = a - b sizes^p, least squares; p between the ends of POWERS."""
    logs = np.log(values)

    def misfit(power: float) -> float:
        lines = np.column_stack([np.ones_like(sizes), sizes**power])
        return float(np.linalg.lstsq(lines, logs, rcond=None)[1].sum())

    return float(minimize_scalar(misfit, bounds=POWERS, method="bounded").x)


def pseudo_values(sizes: Values, runs: Values, slope: Slope) -> Values:
    """Jackknife of the exponent of the mean of runs, (n_sizes, n_runs): shape (n_runs,).

    A single run gives its own exponent.
    """
    n_runs = runs.shape[1]
    whole = slope(sizes, runs.mean(axis=1))
    if n_runs == 1:
        return np.array([whole])
    without = (runs.sum(axis=1, keepdims=True) - runs) / (n_runs - 1)
    left = np.array([slope(sizes, mean) for mean in without.T])
    return n_runs * whole - (n_runs - 1) * left


def _families(cells: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Finished cells by FAMILY; a coordinate that they lack is None."""
    done = cells[cells["status"] == "done"]
    for _, rows in done.groupby(list(FAMILY), dropna=False):
        known = rows[list(FAMILY)].iloc[0].dropna()
        # Whole numbers of a column with gaps come as floats.
        family = {str(name): int(value) if _COORDINATES[str(name)] is int else value
                  for name, value in known.items()}  # fmt: skip
        yield {**dict.fromkeys(FAMILY), **family}, rows


def _of_curve(
    family: dict[str, Any], quantity: str, table: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """Rows of one curve, table: index P, a column for each seed that has all P."""
    runs, sizes = table.to_numpy(dtype=float), table.index.to_numpy(dtype=float)
    # The means of all runs, and of all but any one, have logarithms.
    left = runs.sum(axis=1, keepdims=True) - runs if runs.shape[1] > 1 else runs
    if table.empty or not ((left > 0).all() and (runs.mean(axis=1) > 0).all()):
        return
    largest = sizes[-1]
    windows = [("last decade", sizes >= largest / DECADE)]
    windows += [("from the start", sizes <= end) for end in sizes]
    rules: list[tuple[str, Slope]] = [(quantity, power_law)]
    if family["teacher"] == family["kernel"] == "gauss":
        rules.append(("stretching", stretching))
    for window, chosen in windows:
        if chosen.sum() < LEAST_SIZES:
            continue
        for name, slope in rules:
            pseudo = pseudo_values(sizes[chosen], runs[chosen], slope)
            row = {**family, "quantity": name, "window": window, "P": int(largest),
                   "n_from": int(sizes[chosen][0]), "n_to": int(sizes[chosen][-1])}  # fmt: skip
            for seed, value in zip(table.columns, pseudo, strict=True):
                yield {**row, "seed": int(seed), "n_seeds": len(pseudo), "exponent": float(value)}


def _of_ranks(row: dict[str, Any], ranks: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Rows of the spectrum of P points."""
    ends = FIXED_RANKS[0], FIXED_RANKS[-1]
    part = [times * row["P"] for times in PART_OF_RANKS]
    for quantity, window, (first, last) in (
        ("eigenvalue", "ranks", part),
        ("eigenvalue", "fixed ranks", ends),
        ("tail", "fixed ranks", ends),
    ):
        chosen = ranks[ranks["rank"].between(first, last)]
        chosen = chosen[chosen[quantity] > 0]
        if len(chosen) < LEAST_SIZES:
            continue
        at, values = (chosen[name].to_numpy(dtype=float) for name in ("rank", quantity))
        yield {**row, "quantity": quantity, "window": window, "n_from": int(at[0]),
               "n_to": int(at[-1]), "n_seeds": 1, "exponent": power_law(at, values)}  # fmt: skip


# P_star: from which on the test error is at most the threshold; NaN where it is not reached.
NETWORKS = pa.schema([
    ("net", pa.string()),
    *((name, pa.int64()) for name in GRAMMAR),
    *((name, pa.float64()) for name in ("P_star", "P_star_low", "P_star_high")),
    ("status", pa.string()),
    ("n_seeds", pa.int64()),
    ("origin", pa.string()),
])  # fmt: skip


def networks(*, published: Sequence[str], threshold: float) -> pd.DataFrame:
    """Measured P* to stand beside the kernels, from the rows in published/: rows of NETWORKS.

    One for each net and grammar: of several presets that of most seeds.
    """
    frames = [published_complexities(Path(file), threshold=threshold) for file in sorted(published)]
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return pd.DataFrame(columns=NETWORKS.names)
    rows = pd.concat(frames, ignore_index=True)
    rows = rows.sort_values("n_seeds", ascending=False, kind="stable")
    return rows.drop_duplicates(["net", *GRAMMAR]).sort_index()[NETWORKS.names]


def of_grammars(measured: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the networks that reach their P* on a grammar of these rows."""
    grammars = rows[list(GRAMMAR)].dropna().drop_duplicates().astype("int64")
    return measured[measured["status"] == "reached"].merge(grammars, on=list(GRAMMAR))
