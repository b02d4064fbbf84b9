"""Means over networks as marks: a line, bars of the 95 % interval, hollow where one was stopped."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from srhm.figures.panels import Marks
from srhm.figures.scales import Scale
from srhm.statistics.regimes import averages

INTERVAL = "95 % interval (Student $t$)"
CAPPED, DIVERGED = "a network or more stopped at the step limit", "a network diverged"


def averaged(
    rows: pd.DataFrame, y: str, *, at: str, by: Sequence[str] = (), logarithmic: bool = False
) -> pd.DataFrame:
    """`averages` of a column at each value of `at`, for each family: the columns `by`."""
    return averages(rows, y, by=[at, *by], logarithmic=logarithmic)


def spread(
    rows: pd.DataFrame, y: str, by: Sequence[str], *, ends: str = "range", middle: str = "mean",
    geometric: bool = False, flags: Sequence[str] = (),
) -> pd.DataFrame:  # fmt: skip
    """Mean or median of a column by others, and "low" and "high" around it.

    ends: "range", the least and the largest; "error", a standard error beside. geometric: of the
    logarithms. flags: columns that are true where they are of any row.
    """
    if rows.empty:
        return pd.DataFrame(columns=[*by, y, "low", "high", *flags])
    values = rows.assign(**{y: np.log(rows[y].astype(float))}) if geometric else rows
    found = values.groupby(list(by))[y].agg([middle, "min", "max", "sem"])
    low, high = found["min"], found["max"]
    if ends == "error":
        half = found["sem"].fillna(0.0)
        low, high = found[middle] - half, found[middle] + half
    spreads = pd.DataFrame({y: found[middle], "low": low, "high": high})
    spreads = spreads.astype(float).apply(np.exp) if geometric else spreads
    if flags:
        spreads = spreads.join(rows.groupby(list(by))[list(flags)].any())
    return spreads.reset_index()


def mean_line(
    rows: pd.DataFrame, x: str, y: str, *by: Scale, ends: str = "range", middle: str = "mean",
    geometric: bool = False, **look: Any,
) -> Marks:  # fmt: skip
    """A line for each family through its `spread`; look: of `Marks`, in place of what is drawn."""
    means_of = spread(rows, y, [*(scale.column for scale in by), x], ends=ends, middle=middle,
                   geometric=geometric)  # fmt: skip
    return Marks(**{"rows": means_of, "x": x, "y": y, "low": "low", "high": "high", "by": by,
                    "line": "-", **look})  # fmt: skip


def geometric_mean(values: pd.Series) -> float:
    """Of positive numbers; NaN without any."""
    return float(np.exp(np.log(values.astype(float)).mean()))


def density(values: Sequence[np.ndarray], bins: np.ndarray) -> pd.DataFrame:
    """Densities of pooled numbers in logarithmic bins of five at least: at, density."""
    pooled = np.concatenate([np.empty(0), *values])
    counts = np.histogram(pooled, bins)[0]
    densities = counts / np.diff(bins) / max(len(pooled), 1)
    rows = pd.DataFrame({"at": np.sqrt(bins[1:] * bins[:-1]), "density": densities})
    return rows[counts >= 5]


def means(points: pd.DataFrame, x: str, by: Sequence[Scale] = (), **look: Any) -> Marks:
    """Marks of rows of `averaged`; look: of `Marks`, in place of what is drawn else."""
    looks = {"name": "mean", "line": "-", "size": 3.6, "bar_label": INTERVAL,
             "open_label": CAPPED, **look}  # fmt: skip
    return Marks(rows=points.assign(capped=points["n_capped"] > 0), x=x, y="value", low="low",
                 high="high", by=by, open="capped", **looks)  # fmt: skip


def with_diverged(
    points: pd.DataFrame, x: str, by: Sequence[Scale] = (), **look: Any
) -> list[Marks]:
    """`means`, and crosses where a network diverged, at the lowest of all values."""
    lost = points[points["n_diverged"] > 0].assign(value=points["value"].min())
    crosses = Marks(rows=lost, x=x, y="value", by=by, name=f"diverged {look.get('name', 'mean')}",
                    marker="x", label=DIVERGED)  # fmt: skip
    return [means(points, x, by, **look), crosses]
