"""The exponent of a density on a window, p(x) ~ x^e for low <= x <= high, of pooled samples.

theta and gamma of the thesis (chapter 1, figures 8 and 9d) are those of the gaps of unsatisfied and
of satisfied points at jamming.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import expm1, inf, log, nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq

from srhm.model.seeding import generator as stream
from srhm.scorecard.rows import left_out
from srhm.statistics.regression import CONFIDENCE

# Two decades, of z and of |Delta|: below is the noise of Adam, above the end of the law.
LOW, HIGH = 1e-2, 1.0
FEWEST = 3  # seeds that an interval is made of
# The thesis has no theta of digits.
THETA = {"relu-2": 0.3, "relu-3": 0.3, "relu-5": 0.3, "tanh-3": 0.2, "digits-3": nan}
GAMMA = {"relu-2": 0.2, "relu-3": 0.2, "relu-5": 0.2, "tanh-3": 0.16, "digits-3": 0.25}
DRAWS = 400
STEEPEST = 50.0  # |e + 1| beyond which nothing is fitted


@dataclass(frozen=True)
class Exponent:
    """e with its interval; n numbers of n_samples samples lie in the window."""

    value: float
    low: float
    high: float
    n: int
    n_samples: int


def exponent(
    samples: Sequence[NDArray[np.floating]], *, low: float, high: float,
    generator: np.random.Generator,
) -> Exponent:  # fmt: skip
    """Maximum likelihood for the conditional CDF (x^(e+1) - low^(e+1))/(high^(e+1) - low^(e+1)).

    What lies outside of the window has no part in it. The interval is that of samples (networks)
    drawn again with replacement: numbers of one sample are not independent.
    """
    parts = [np.log(x[(x >= low) & (x <= high)] / low) for x in samples]
    sums = np.array([part.sum() for part in parts])
    sizes = np.array([len(part) for part in parts])
    used = sizes > 0
    sums, sizes = sums[used], sizes[used]
    if not len(sizes):
        return Exponent(nan, nan, nan, 0, 0)
    width = log(high / low)
    value = _solved(float(sums.sum() / sizes.sum()), width)
    n, n_samples = int(sizes.sum()), len(sizes)
    drawn = generator.integers(n_samples, size=(DRAWS, n_samples))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    ends = np.quantile([_solved(float(mean), width) for mean in means],
                       [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])  # fmt: skip
    return Exponent(value, float(ends[0]), float(ends[1]), n, n_samples)


def gap_exponent(
    samples: Sequence[NDArray[np.floating]], *, satisfied: bool, high: float = HIGH
) -> Exponent:
    """theta, or gamma of satisfied points, of gaps by seed; NaN of fewer seeds than FEWEST."""
    fit = exponent(samples, low=LOW, high=high, generator=stream(0, role="drawing"))
    if fit.n_samples < FEWEST:
        return replace(fit, value=nan, low=nan, high=nan)
    mirrored = replace(fit, value=-fit.value, low=-fit.high, high=-fit.low)
    return mirrored if satisfied else fit


def pooled_gaps(
    networks: pd.DataFrame, gaps: pd.DataFrame, *, side: str
) -> list[NDArray[np.float64]]:
    """Of each seed z ("plus"), Delta over its median ("median"), or |Delta| ("minus", "fitted").

    networks: key, seed, mean_loss. Those of a seed share data and start, so that their gaps are one
    sample.
    """
    groups = dict(list(gaps[gaps["key"].isin(networks["key"])].groupby("key")["gap"]))
    pools: dict[int, list[NDArray[np.float64]]] = {}
    for key, seed, loss in networks[["key", "seed", "mean_loss"]].itertuples(index=False):
        values = groups[key].to_numpy(dtype=float)
        overlaps = values[values > 0]
        part = -values[values < 0]
        if side in ("plus", "median"):
            part = overlaps / (np.sqrt(loss) if side == "plus" else np.median(overlaps))
        pools.setdefault(seed, []).append(part)
    return [np.concatenate(parts) for parts in pools.values()]


def fitted_gaps(
    samples: Mapping[str, Sequence[NDArray[np.floating]]], *, side: str
) -> pd.DataFrame:
    """`gap_exponent` of each kind: kind, side, value, low, high, gaps, n (seeds).

    Those of too few seeds for an interval are left out, and counted.
    """
    fits = {kind: gap_exponent(parts, satisfied=side == "minus") for kind, parts in samples.items()}
    rows = pd.DataFrame([
        {"kind": kind, "side": side, "value": fit.value, "low": fit.low, "high": fit.high,
         "gaps": fit.n, "n": fit.n_samples} for kind, fit in fits.items()
    ])  # fmt: skip
    few = {f"of {n} seeds, fewer than {FEWEST}": rows["n"] == n for n in range(FEWEST)}
    return left_out(rows, few)


def _solved(mean: float, width: float) -> float:
    """e at which u = log(x/low), of density ~ exp((e + 1) u) on [0, width], has this mean."""
    lowest, highest = (_mean(end, width) for end in (-STEEPEST, STEEPEST))
    if not lowest < mean < highest:
        return -inf if mean <= lowest else inf
    rate = brentq(lambda k: _mean(k, width) - mean, -STEEPEST, STEEPEST)
    return float(rate) - 1


def _mean(rate: float, width: float) -> float:
    if abs(rate * width) < 1e-6:
        return width / 2
    return -width / expm1(-rate * width) - 1 / rate
