"""Claims of chapter 2b on FCN that learn digits.

Tolerances were fixed before measuring; the README says what was changed after that.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import log, nan

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables, once
from srhm.scorecard.fits import listed_as_left_out, mean_of, no_points, part_of
from srhm.studies.fluctuations import analysis
from srhm.studies.fluctuations.analysis import FAR, over_seeds

MOST = 16  # members of the ensembles whose fall with n is fitted, at most
FITS = 1.5  # times h*: from there on no network should err on its training points
NO_STAR = "no N* within the widths, or no width beyond"


def _table(tables: Tables, name: str) -> pd.DataFrame:
    return tables.get(name, pd.DataFrame())


def _sizes(tables: Tables) -> tuple[pd.DataFrame, float, float]:
    """Rows of `by_seed`, N* and h*."""
    given = [_table(tables, name) for name in ("cells", "histories", "fluctuations")]
    rows = once(tables, "by seed", lambda: analysis.by_seed(*given))
    return rows, *once(tables, "threshold", lambda: analysis.threshold(given[0]))


def _of_widths(tables: Tables, statistic: Callable[[pd.DataFrame], float], *, least: float,
               what: Callable[[pd.DataFrame], str]) -> Measurement:  # fmt: skip
    """A statistic of `by_width` from a multiple of h* on; what: it in words."""
    rows, _, h_star = _sizes(tables)
    used = rows[rows["width"] >= least * h_star]
    if used.empty:
        return no_points(NO_STAR)
    widths = f"{used['width'].nunique()} widths from {least:g} h* on, h* = {h_star:.3g}"
    note = f"{what(analysis.by_width(used))}; {widths}"
    return over_seeds(used, lambda own: statistic(analysis.by_width(own)), note)


def _left_out(rows: pd.DataFrame, means: Callable[[pd.DataFrame], pd.DataFrame], x: str, y: str,
              place: str) -> str:  # fmt: skip
    """Means without a logarithm, which a fitted exponent leaves out: of all seeds, and of draws.

    place: the column that names them. Empty where there are none.
    """
    if rows.empty:
        return ""

    def missing(own: pd.DataFrame) -> list[int]:
        table = means(own)
        return [int(at) for at in table.loc[~analysis.positive(table[x], table[y]), place]]

    left = missing(rows)
    listed = f"{place} {', '.join(map(str, left))}"
    end = listed_as_left_out(
        {f"of {rows[place].nunique()} with no positive mean ({listed})": len(left)}
    )
    draws = [len(missing(rows[rows["seed"] != seed])) for seed in sorted(set(rows["seed"]))]
    if any(draws):
        end += f"; left out in draws without a seed: {', '.join(map(str, draws))}"
    return f"{end}; that biases the slope" if end else ""


def of_sizes(tables: Tables, *, x: str, y: str) -> Measurement:
    """Exponent of a column of `by_width` in another, from FAR h* on."""
    found = _of_widths(tables, lambda own: analysis.exponent(own[x], own[y]), least=FAR,
                       what=lambda own: f"{y} in {x}")  # fmt: skip
    rows, _, h_star = _sizes(tables)
    used = rows[rows["width"] >= FAR * h_star]
    return replace(found, note=found.note + _left_out(used, analysis.by_width, x, y, "width"))


def minus(
    tables: Tables, *, y: str, powers: tuple[float, ...], place: int, x: str = "N"
) -> Measurement:
    """Minus a coefficient of y = sum_k c_k x^power_k over widths above h*."""

    def all_of(own: pd.DataFrame) -> list[float]:
        return analysis.coefficients(own[x], own[y], powers).tolist()

    def words(own: pd.DataFrame) -> str:
        terms = zip(all_of(own), powers, strict=True)
        return f"{y} = " + " + ".join(f"{c:.3g} {x}^{power:g}" for c, power in terms)

    return _of_widths(tables, lambda own: -all_of(own)[place], least=1.0, what=words)


def of_members(tables: Tables, *, x: str, y: str) -> Measurement:
    """Exponent of a column of ensembles of n in another, n up to MOST."""
    rows = _table(tables, "resampled")
    if rows.empty:
        return NOT_MEASURED

    def slope(own: pd.DataFrame) -> float:
        means = analysis.ensembles_of(own)
        return analysis.exponent(means[x], means[y])

    note = f"out of {rows['n_members'].max()} members, h = {rows['width'].max()}, n up to {MOST}"
    used = rows[rows["n"] <= MOST]
    found = over_seeds(used, slope, note)
    return replace(found, note=found.note + _left_out(used, analysis.ensembles_of, x, y, "n"))


def peak(tables: Tables, *, column: str) -> Measurement:
    """Log of the N of the largest value over N*, mean over seeds.

    The interval is that of the seeds' scatter, wider by half a step of the grid of widths on either
    side of each peak (in ln N; unknown at the end of the grid) and by N*'s bracket.
    """
    rows, N_star, _ = _sizes(tables)
    if rows.empty or not np.isfinite(N_star):
        return no_points(NO_STAR)
    tops = rows.loc[rows.groupby("seed")[column].idxmax(), "N"].to_numpy(dtype=float)
    grid = np.unique(_table(tables, "cells")["n_weights"].to_numpy(dtype=float))
    at, star = np.searchsorted(grid, tops) + 1, int(np.searchsorted(grid, N_star))
    logs = np.concatenate([[nan], np.log(grid), [nan]])
    low, high = grid[star - 1], grid[star]
    listed = ", ".join(f"{N:g}" for N in tops)
    found = mean_of(np.log(tops / N_star).tolist(), f"seeds (N = {listed}; N* = {N_star:.3g})")
    below = found.low - (logs[at] - logs[at - 1]).mean() / 2 - log(high / N_star)
    above = found.high + (logs[at + 1] - logs[at]).mean() / 2 + log(N_star / low)
    side = "; before N*" if above < 0 else "; beyond N*" if below > 0 else ""
    note = f"{found.note}, half a step of the widths and N* from {low:g} to {high:g}{side}"
    return replace(found, low=below, high=above, note=note)


def norm_slope(tables: Tables) -> Measurement:
    """Slope of log f^2 in log(N/N* - 1), N* fitted with it, from the peak to FAR h*."""
    rows, _, h_star = _sizes(tables)
    if rows.empty or not np.isfinite(h_star):
        return no_points(NO_STAR)

    def fitted(own: pd.DataFrame) -> tuple[float, float]:
        part = analysis.near(analysis.by_width(own), "norm", h_star)
        return analysis.divergence(part["N"], part["norm"])

    note = f"N* fitted: {fitted(rows)[1]:.4g}"
    return over_seeds(rows, lambda own: fitted(own)[0], note)


def cut_off(tables: Tables) -> Measurement:
    """Largest f^2 over that of the widest: after a tenth of the training over that at its end.

    On training points. F = f - f(w0) starts at 0: a growth of f^2 common to all widths cancels.
    """
    cells, histories = (_table(tables, name) for name in ("cells", "histories"))
    early, late = (analysis.norms_at(cells, histories, part) for part in analysis.TIMES[1:])
    both = late.merge(early, on=["width", "seed", "N"], suffixes=("", "_early"))

    def ratio(own: pd.DataFrame) -> float:
        means = own.groupby("width")[["norm", "norm_early"]].mean()
        heights = means.max() / means.iloc[-1]
        return float(heights["norm_early"] / heights["norm"])

    return over_seeds(both, ratio, f"largest over widths, over h = {both['width'].max()}")


def misfits(tables: Tables) -> Measurement:
    """Part of the networks from FITS h* on that err on a training point."""
    cells = _table(tables, "cells")
    used = cells[cells["width"] >= FITS * analysis.threshold(cells)[1]] if len(cells) else cells
    if used.empty:
        return no_points(NO_STAR)
    wrong, n = int((used["train_error"] > 0).sum()), len(used)
    return part_of(wrong, n, f"{wrong} of {n} networks from {FITS:g} h* on")


def crossing(tables: Tables, *, spread: bool) -> Measurement:
    """Median distance to f = 0 over its estimate, widest networks, a value of each seed.

    spread: their interquartile range minus that of the narrowest above h*.
    """
    rows, (_, h_star) = _table(tables, "crossings"), analysis.threshold(_table(tables, "cells"))
    used = rows[rows["width"] >= h_star] if len(rows) else rows
    if used.empty:
        return no_points(NO_STAR)
    found = analysis.quartiles(used).set_index(["width", "seed"])
    ranges = found["high"] - found["low"]
    first, last = used["width"].min(), used["width"].max()
    if spread:
        return mean_of((ranges[last] - ranges[first]).tolist(), f"seeds, h = {last} minus {first}")
    return mean_of(found["middle"][last].tolist(), f"seeds, h = {last}")


MEMBERS, SIZE, NORM = "fluctuations_members", "fluctuations_size", "fluctuations_norm"
QUARTER = "0.08, ours: two decades of N, and corrections of order 1/h"
POSITIVE = "an upper bound: the coefficient, here with its sign turned, is positive"
STEP = "log 2, ours: a step of the widths is up to 1.8 in N"


def _claim(name: str, statement: str, place: str, expected: float, tolerance: float, reason: str,
           figure: str, measure: Callable[[Tables], Measurement]) -> Claim:  # fmt: skip
    return Claim(
        topic="Fluctuations beyond jamming", figure=figure, identifier=f"fluctuations-{name}",
        statement=statement, place=f"thesis, ch. 2b, {place}", expected=expected,
        tolerance=tolerance, tolerance_reason=reason, measure=measure,
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    _claim("members-error", "Exponent of n in the excess error of ensembles of n networks",
           "Fig. 4: 1/n", -1, 0.25, "0.25, ours: few test points lie between the boundaries",
           MEMBERS, partial(of_members, x="n", y="excess")),
    _claim("members-delta", "Exponent of n in the distance δ of their boundary",
           "Fig. 4: n^-1/2", -0.5, 0.1, "0.1, ours: δ is a mean over few points", MEMBERS,
           partial(of_members, x="n", y="delta")),
    _claim("members-square", "Exponent of δ in their excess error", "Fig. 4: δ²", 2, 0.5,
           "0.5, ours: the thesis's free fit over sizes has 2.5", MEMBERS,
           partial(of_members, x="delta", y="excess")),
    _claim("members-estimate", "Exponent of ‖f − f̄‖/‖∇f‖ in δ, ensembles of n networks",
           "Fig. 10: linear", 1, 0.15, "0.15, ours", MEMBERS,
           partial(of_members, x="estimate", y="delta")),
    _claim("crossing", "Distance to f = 0 along ∇f over |f|/‖∇f‖, widest networks: median",
           "Fig. 9", 1, 0.1, "0.1, ours: by eye, the ticks of Fig. 9", MEMBERS,
           partial(crossing, spread=False)),
    _claim("crossing-spread", "Its interquartile range, widest minus narrowest above h*",
           "Fig. 9: the estimate improves with N", 0, nan, "an upper bound: it shrinks", MEMBERS,
           partial(crossing, spread=True)),
    *(_claim(f"norm-{column}", f"Exponent of N in ‖f − f̄‖, {where} points", "Fig. 5: N^-1/4",
             -0.25, 0.08, QUARTER, SIZE, partial(of_sizes, x="N", y=column))
      for column, where in (("test", "test"), ("train", "training"), ("noise", "noise"))),
    _claim("peak", "N of the largest ‖f − f̄‖ over N*: mean of the logarithm",
           "Fig. 5: a peak at jamming", 0, log(2), STEP, SIZE, partial(peak, column="test")),
    _claim("gradient", "Exponent of N in ‖∇f‖, from 3 h* on",
           "Fig. 6A: free fit -0.28", -0.28, 0.1, "0.1, ours: C0 and C1 depend on the data",
           SIZE, partial(of_sizes, x="N", y="gradient")),
    _claim("gradient-falls", "Minus C1 of ‖∇f‖ = C0 + C1 N^-1/4, above h*", "Fig. 6A: C1 = 51",
           0, nan, POSITIVE, SIZE, partial(minus, y="gradient", powers=(0.0, -0.25), place=1)),
    _claim("square", "Exponent of δ in the excess ε − ε̄ over sizes, from 3 h* on",
           "Fig. 6B: δ², free fit 2.5", 2, 0.5, "0.5, ours: reaches the thesis's free fit", SIZE,
           partial(of_sizes, x="delta", y="excess")),
    _claim("error-delta", "Minus D0 of ε = ε_∞ + D0 δ², above h*", "Fig. 6B", 0, nan, POSITIVE,
           SIZE, partial(minus, x="delta", y="single", powers=(0.0, 2.0), place=1)),
    _claim("linear", "Exponent of ‖f − f̄‖/‖∇f‖ in δ over sizes, from 3 h* on",
           "Fig. 6C: linear, free fit 1.1", 1, 0.2, "0.2, ours", SIZE,
           partial(of_sizes, x="estimate", y="delta")),
    _claim("excess", "Exponent of N in the excess ε − ε̄, from 3 h* on",
           "Fig. 6D: N^-1/2, free fit -0.42", -0.5, 0.2, "0.2, ours: that of digits_jamming", SIZE,
           partial(of_sizes, x="N", y="excess")),
    _claim("error-size", "Minus B0 of ε = ε_∞ + B0 N^-1/2 + B1 N^-3/4, above h*",
           "Fig. 2A: B0 = 6.4, B1 = -49", 0, nan, POSITIVE, SIZE,
           partial(minus, y="single", powers=(0.0, -0.5, -0.75), place=1)),
    _claim("fits", "Part of the networks from 1.5 h* on with a training error", "Fig. 2B: none",
           0, 0.05, "0.05, ours: none of a number of networks shows no more", NORM, misfits),
    _claim("divergence", "Slope of log ‖f‖² in log(N/N* − 1), N* fitted, peak to 3 h*",
           "Fig. 7B: -2", -2, 0.5, "0.5, ours: few widths, three fitted numbers", NORM,
           norm_slope),
    _claim("divergence-peak", "N of the largest ‖f‖² over N*: mean of the logarithm",
           "Fig. 7A: right after jamming", 0, log(2), STEP, NORM, partial(peak, column="norm")),
    _claim("cut-off", "Peak of ‖f‖² over the widest: after a tenth of the training over the end",
           "Fig. 7B: cut off by time", 1, nan, "an upper bound: the peak is higher late than early",
           NORM, cut_off),
)  # fmt: skip
