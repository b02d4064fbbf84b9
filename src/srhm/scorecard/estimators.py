"""Estimators: from rows to a measurement with its 95 % interval, each a frozen set of parameters.

All of them choose rows by `where`, leave out those that say so (`srhm.scorecard.rows`) and count
these in the note. What they share:

    rows     function from tables to rows
    where    values that columns must have
    what     what a point is, in the plural, for the note
    each     format of a row that is listed in the note, like "{P}: {N_star:.3g}"
    note     words in front of the note
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from srhm.model.seeding import generator
from srhm.scorecard.claims import NOT_MEASURED, Measurement, Tables
from srhm.scorecard.fits import as_ratio, listed_as_left_out, mean_of, no_points, of_fit, part_of
from srhm.scorecard.rows import LEFT_OUT, Conditions, RowFunction, chosen, counted
from srhm.statistics.rank_correlation import rank_correlation
from srhm.statistics.regression import CONFIDENCE, slope_with_group_intercepts

# What a mean is taken of: the values; their logarithms; those, and shown as a geometric mean.
Scale = Literal["plain", "log", "ratio"]
# Which of both coordinates of a slope are logarithms.
Logs = Literal["both", "x", "y", "none"]
Statistic = Callable[[pd.DataFrame], float]


@dataclass(frozen=True, kw_only=True)
class Estimator(ABC):
    """A measurement of rows; the module says what the parameters are."""

    rows: RowFunction
    where: Conditions = field(default_factory=dict)
    what: str = "rows"
    each: str = ""
    note: str = ""

    def __call__(self, tables: Tables) -> Measurement:
        """The measurement; without a table NOT_MEASURED, without rows their function's words."""
        if not all(len(tables.get(name, ())) for name in self.rows.names):
            return NOT_MEASURED
        own = self.points(self.rows(tables))
        if own.empty:
            return no_points(self.rows.nothing)
        used, others = counted(own)
        end = listed_as_left_out(others)
        if used.empty:
            return no_points(f"{self.rows.nothing}{end}")
        found = self.of(used)
        front = f"{self.note}; " if self.note else ""
        return replace(found, note=f"{front}{found.note}{self._listed(used)}{end}")

    def points(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows that are chosen."""
        return chosen(table, self.where)

    @abstractmethod
    def of(self, table: pd.DataFrame) -> Measurement:
        """The measurement of rows of which there is at least one."""

    def _listed(self, table: pd.DataFrame) -> str:
        if not self.each:
            return ""
        rows = [self.each.format_map(row) for row in table.to_dict("records")]
        return f" ({', '.join(rows)})"


@dataclass(frozen=True)
class Mean(Estimator):
    """Mean of a column, its interval that of the scatter (Student t).

    per: points that agree in these columns are averaged first, as they are not independent.
    """

    column: str = field(kw_only=False)
    scale: Scale = field(default="plain", kw_only=True)
    per: Sequence[str] = field(default=(), kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        values = table[self.column].astype(float)
        if self.scale != "plain":
            values = pd.Series(np.log(values.to_numpy()), index=values.index)
        if self.per:
            values = values.groupby([table[name] for name in self.per]).mean()
        found = mean_of(values.tolist(), self.what)
        return as_ratio(found) if self.scale == "ratio" else found


@dataclass(frozen=True)
class Ratio(Estimator):
    """Geometric mean of a column of some rows over that of others which agree in `on`.

    over: what the others must have in place of, or besides, `where`. A pair one of whose rows does
    not count is left out for that row's reason.
    """

    column: str = field(kw_only=False)
    over: Conditions = field(kw_only=True)
    on: Sequence[str] = field(kw_only=True)
    scale: Scale = field(default="ratio", kw_only=True)

    def points(self, table: pd.DataFrame) -> pd.DataFrame:
        """A row for each pair, with the columns of both, those of the second ending in "_over"."""
        upper = chosen(table, self.where)
        lower = chosen(table, {**self.where, **self.over})
        pairs = upper.merge(lower, on=list(self.on), suffixes=("", "_over"))
        if LEFT_OUT in pairs:
            first, second = pairs[LEFT_OUT], pairs[f"{LEFT_OUT}_over"]
            pairs = pairs.assign(**{LEFT_OUT: first.where(first != "", second)})
        return pairs.assign(ratio=pairs[self.column] / pairs[f"{self.column}_over"])

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        found = mean_of(np.log(table["ratio"].astype(float)).tolist(), self.what)
        return as_ratio(found) if self.scale == "ratio" else found


@dataclass(frozen=True)
class Slope(Estimator):
    """Least-squares slope of a column against another, an intercept for each group of `within`.

    The interval is that of the scatter about the lines. Where a logarithm is taken, values that are
    not positive are left out and counted.
    """

    column: str = field(kw_only=False)
    against: str = field(kw_only=True)
    logs: Logs = field(default="both", kw_only=True)
    within: Sequence[str] = field(default=(), kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        columns = (self.against, self.column)
        logarithmic = {"both": (True, True), "x": (True, False), "y": (False, True)}
        taken = logarithmic.get(self.logs, (False, False))
        positive = pd.Series(True, index=table.index)
        for name, is_log in zip(columns, taken, strict=True):
            positive &= (table[name] > 0) | (not is_log)
        used = table[positive]
        end = listed_as_left_out({f"{self.what} with no positive value": int((~positive).sum())})
        if used.empty:
            return no_points(f"no positive value{end}")
        x, y = (
            np.log(values) if is_log else values
            for name, is_log in zip(columns, taken, strict=True)
            for values in [used[name].to_numpy(dtype=float)]
        )
        fit = slope_with_group_intercepts(x, y, groups_of(used, self.within), [])
        if not fit.n:
            return no_points(f"no two {self.what} that differ in {self.against}{end}")
        lines = f" on {fit.n_groups} lines" if fit.n_groups > 1 else ""
        return of_fit(fit, f"{fit.n} {self.what}{lines}; the error is the scatter about them{end}")


@dataclass(frozen=True)
class Part(Estimator):
    """Part of the rows in which a column is true, with the exact interval of a binomial."""

    column: str = field(kw_only=False)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        count, n = int(table[self.column].astype(bool).sum()), len(table)
        return part_of(count, n, f"{count} of {n} {self.what}")


@dataclass(frozen=True)
class Correlation(Estimator):
    """Spearman's rank correlation of two columns, the interval by a bootstrap over groups.

    groups: columns in which points of one group agree; without them each point is its own.
    """

    column: str = field(kw_only=False)
    against: str = field(kw_only=True)
    groups: Sequence[str] = field(default=(), kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        x, y = (table[name].to_numpy(dtype=float) for name in (self.against, self.column))
        member = groups_of(table, self.groups) if self.groups else None
        found = rank_correlation(x, y, member, generator=generator(0, role="drawing"))
        note = f"{found.n} {self.what}; chance orders them as well in {found.p_value:.2g}"
        return Measurement(value=found.value, low=found.low, high=found.high, n=found.n, note=note)


@dataclass(frozen=True)
class Jackknife(Estimator):
    """A statistic of all rows, its interval by leaving out one seed after another (Student t).

    over: column of what is left out. Unknown where the statistic fails for one.
    """

    statistic: Statistic = field(kw_only=False)
    over: str = field(default="seed", kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        value, kept = self.statistic(table), sorted(set(table[self.over]))
        if not np.isfinite(value):
            return no_points("not enough points")
        n, half = len(kept), nan
        if n > 1:
            without = [self.statistic(table[table[self.over] != one]) for one in kept]
            left = np.array(without)
            error = np.sqrt((n - 1) / n * np.square(left - left.mean()).sum())
            half = float(special.stdtrit(n - 1, (1 + CONFIDENCE) / 2) * error)
        note = f"{n} {self.over}s, jackknife over them"
        return Measurement(value=value, low=value - half, high=value + half, n=n, note=note)


@dataclass(frozen=True)
class Stored(Estimator):
    """A number that a table holds with its interval: of the one row that is chosen."""

    value: str = field(default="value", kw_only=True)
    low: str = field(default="low", kw_only=True)
    high: str = field(default="high", kw_only=True)
    n: str = field(default="n", kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        row = table.iloc[0]
        value, low, high = (float(row[name]) for name in (self.value, self.low, self.high))
        n = int(row[self.n])
        return Measurement(value=value, low=low, high=high, n=n, note=f"{n} {self.what}")


def groups_of(table: pd.DataFrame, by: Sequence[str]) -> NDArray[Any]:
    """A number for each row, the same for rows that agree in the columns `by`."""
    if not by:
        return np.zeros(len(table), dtype=int)
    found: NDArray[Any] = table.groupby(list(by), sort=False, dropna=False).ngroup().to_numpy()
    return found
